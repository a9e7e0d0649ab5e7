use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use tower::Service;

/// Is pending for so many polls, and wants to be polled again each time.
pub async fn pending(polls: usize) {
    let mut left = polls;
    poll_fn(|cx| wait(&mut left, cx)).await;
}

fn wait(left: &mut usize, cx: &mut Context<'_>) -> Poll<()> {
    if *left == 0 {
        return Poll::Ready(());
    }
    *left -= 1;
    cx.waker().wake_by_ref();
    Poll::Pending
}

/// A service that lets its callers wait for so many polls, before it is ready and before it
/// answers. A clone lets them wait anew.
#[derive(Debug)]
pub struct Hesitant<S> {
    inner: S,
    polls: usize,
    left: usize,
}

impl<S> Hesitant<S> {
    /// Slows a service down.
    pub const fn new(inner: S, polls: usize) -> Self {
        Self {
            inner,
            polls,
            left: polls,
        }
    }
}

impl<S: Clone> Clone for Hesitant<S> {
    fn clone(&self) -> Self {
        Self::new(self.inner.clone(), self.polls)
    }
}

impl<S, R> Service<R> for Hesitant<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        std::task::ready!(wait(&mut self.left, cx));
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        self.left = self.polls;
        let polls = self.polls;
        let response = self.inner.call(request);
        Box::pin(async move {
            pending(polls).await;
            response.await
        })
    }
}
