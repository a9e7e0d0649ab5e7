use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::TryStream;
use pin_project_lite::pin_project;

use super::{ItemKind, Peeked};

pin_project! {
    /// The response of a [`PeekFirst`](super::PeekFirst) service.
    pub struct ResponseFuture<Fut, St, F>
    where
        St: TryStream,
    {
        look: F,
        most_held: usize,
        #[pin]
        state: State<Fut, St>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<Fut, St>
    where
        St: TryStream,
    {
        // Dropped as soon as there is a stream: a call may hold a place among those that run.
        Calling { #[pin] call: Fut },
        Peeking { stream: Option<St>, held: Vec<St::Ok> },
    }
}

impl<Fut, St, F> ResponseFuture<Fut, St, F>
where
    St: TryStream,
{
    pub(super) const fn new(call: Fut, look: F, most_held: usize) -> Self {
        Self {
            look,
            most_held,
            state: State::Calling { call },
        }
    }
}

impl<Fut, St, E, F> Future for ResponseFuture<Fut, St, F>
where
    Fut: Future<Output = Result<St, E>>,
    St: TryStream + Unpin,
    E: From<St::Error>,
    F: Fn(&St::Ok) -> ItemKind,
{
    type Output = Result<Peeked<St>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let (stream, held) = match this.state.as_mut().project() {
                StateProj::Calling { call } => {
                    let stream = Some(ready!(call.poll(cx))?);
                    let held = Vec::new();
                    this.state.set(State::Peeking { stream, held });
                    continue;
                }
                StateProj::Peeking { stream, held } => (stream, held),
            };
            let peeked = stream.as_mut().expect("not polled after completion");
            let item = ready!(Pin::new(peeked).try_poll_next(cx)).transpose()?;
            let ended = item.is_none();
            let mut is_known = ended;
            if let Some(item) = item {
                is_known = (this.look)(&item) != ItemKind::Bookkeeping;
                held.push(item);
            }
            if is_known || held.len() >= *this.most_held {
                let stream = stream.take().filter(|_| !ended);
                let held = std::mem::take(held);
                return Poll::Ready(Ok(Peeked::new(stream, held)));
            }
        }
    }
}

impl<Fut, St, F> fmt::Debug for ResponseFuture<Fut, St, F>
where
    St: TryStream,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
