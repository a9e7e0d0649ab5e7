//! Bodies that do what a script says.

use std::collections::VecDeque;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body::{Body, Frame, SizeHint};

/// What a body does when it is polled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Data(Bytes),
    /// Nothing is there yet, and nobody is woken until it is.
    Stall,
    /// Nothing is there yet, and in a moment there is.
    Wait,
    Fail(&'static str),
    Trailers(HeaderMap),
}

/// An error of the connection.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Broken(pub(crate) &'static str);

/// A body that follows a script, and must stay where it was polled.
#[derive(Debug)]
pub(crate) struct Script {
    /// Behind a lock, because what is pinned can't be borrowed to be changed.
    steps: Mutex<VecDeque<Step>>,
    /// Whether it says how long it is, and when it is over.
    is_sized: bool,
    polls: Arc<AtomicUsize>,
    _pinned: PhantomPinned,
}

impl Script {
    pub(crate) fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: Mutex::new(steps.into_iter().collect()),
            is_sized: false,
            polls: Arc::default(),
            _pinned: PhantomPinned,
        }
    }

    /// A body in these pieces.
    pub(crate) fn pieces<T: AsRef<[u8]>>(pieces: impl IntoIterator<Item = T>) -> Self {
        let data = |piece: T| Step::Data(Bytes::copy_from_slice(piece.as_ref()));
        Self::new(pieces.into_iter().map(data))
    }

    pub(crate) const fn sized(mut self, is_sized: bool) -> Self {
        self.is_sized = is_sized;
        self
    }

    fn steps(&self) -> MutexGuard<'_, VecDeque<Step>> {
        self.steps.lock().expect("nobody panicked")
    }

    /// How often it was polled.
    pub(crate) fn polls(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.polls)
    }
}

impl Body for Script {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        let mut steps = self.steps();
        Poll::Ready(match steps.pop_front() {
            None => None,
            Some(Step::Data(data)) => Some(Ok(Frame::data(data))),
            Some(Step::Trailers(trailers)) => Some(Ok(Frame::trailers(trailers))),
            Some(Step::Fail(text)) => Some(Err(Broken(text))),
            Some(Step::Stall) => {
                steps.push_front(Step::Stall);
                return Poll::Pending;
            }
            Some(Step::Wait) => {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.is_sized && self.steps().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let steps = self.steps();
        let bytes = steps.iter().map(|step| match step {
            Step::Data(data) => data.len() as u64,
            _ => 0,
        });
        if self.is_sized {
            SizeHint::with_exact(bytes.sum())
        } else {
            SizeHint::new()
        }
    }
}

/// A response with a body of this type.
pub(crate) fn response(status: u16, kind: &str, body: Script) -> Response<Script> {
    let response = Response::builder().status(status);
    let response = response.header("content-type", kind).body(body);
    response.expect("a response that is well formed")
}

/// Events of a stream with this data.
pub(crate) fn events(data: &[&str]) -> String {
    let event = |data: &&str| format!("data: {data}\n\n");
    data.iter().map(event).collect()
}
