use std::collections::VecDeque;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use contextfit_core::chat::ChatRequest;
use contextfit_testing::provider::ProviderError;
use contextfit_tower::{BoxError, ItemKind};
use futures_core::Stream;
use tower::Service;

/// What comes out of a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The stream was opened, with the tokens of the prompt if they are known by then.
    Created(Option<u64>),
    /// Some of the answer.
    Text(&'static str),
    /// The answer is complete, with the tokens of the prompt and the output.
    Done(u64, u64),
}

/// What an event means.
#[must_use]
pub const fn look(event: &Event) -> ItemKind {
    match event {
        Event::Created(_) => ItemKind::Bookkeeping,
        Event::Text(_) => ItemKind::Content,
        Event::Done(..) => ItemKind::End,
    }
}

/// What a stream does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// It gives an event.
    Gives(Event),
    /// It fails.
    Fails(ProviderError),
    /// It has nothing yet.
    Waits,
}

/// A stream by a script. It must not be polled after its end.
#[derive(Debug)]
pub struct Script {
    steps: VecDeque<Step>,
    ended: bool,
    polls: Arc<AtomicUsize>,
}

impl Stream for Script {
    type Item = Result<Event, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        assert!(!self.ended, "polled after its end");
        self.polls.fetch_add(1, Ordering::SeqCst);
        Poll::Ready(match self.steps.pop_front() {
            Some(Step::Gives(event)) => Some(Ok(event)),
            Some(Step::Fails(error)) => Some(Err(error.into())),
            Some(Step::Waits) => {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            None => {
                self.ended = true;
                None
            }
        })
    }
}

/// A provider that answers with streams: the script of each call, the last of them for all that
/// follow. Clones are the same provider.
#[derive(Clone, Debug)]
pub struct Streaming {
    scripts: Arc<[Vec<Step>]>,
    received: Arc<Mutex<Vec<ChatRequest>>>,
    polls: Arc<AtomicUsize>,
}

impl Streaming {
    /// A provider with a script for each call.
    pub fn new(scripts: impl IntoIterator<Item = Vec<Step>>) -> Self {
        Self {
            scripts: scripts.into_iter().collect(),
            received: Arc::default(),
            polls: Arc::default(),
        }
    }

    /// The requests, in order.
    #[must_use]
    pub fn received(&self) -> Vec<ChatRequest> {
        let received = self.received.lock();
        received.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often its streams were polled.
    #[must_use]
    pub fn polls(&self) -> usize {
        self.polls.load(Ordering::SeqCst)
    }
}

impl Service<ChatRequest> for Streaming {
    type Response = Script;
    type Error = BoxError;
    type Future = Ready<Result<Script, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ChatRequest) -> Self::Future {
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let script = received.len().min(self.scripts.len() - 1);
        received.push(request);
        ready(Ok(Script {
            steps: self.scripts[script].clone().into(),
            ended: false,
            polls: Arc::clone(&self.polls),
        }))
    }
}
