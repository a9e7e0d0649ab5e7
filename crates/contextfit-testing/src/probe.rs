//! Services that watch how they are used.

use std::task::{Context, Poll};

use tower_service::Service;

/// Panics when a service is called that wasn't ready.
///
/// Tower demands that `poll_ready` of the very instance returned `Ready(Ok)` before each
/// `call`. Most services don't notice when a middleware forgets this, so tests pass and a
/// stack with a concurrency limit in it panics. Put the probe under the middleware to test:
/// each call uses readiness up, and a clone has none, however ready the original is.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use contextfit_testing::probe::ReadinessProbe;
/// use tower::{Service, ServiceExt, service_fn};
///
/// let double = service_fn(|number: u32| async move { Ok::<_, std::io::Error>(2 * number) });
/// let mut probe = ReadinessProbe::new(double);
/// let doubled = probe.ready().await.expect("always ready").call(21).await;
/// assert_eq!(doubled.expect("never fails"), 42);
/// # }
/// ```
#[derive(Debug)]
pub struct ReadinessProbe<S> {
    inner: S,
    ready: bool,
}

impl<S> ReadinessProbe<S> {
    /// Watches a service. As a layer: `tower::layer::layer_fn(ReadinessProbe::new)`.
    pub const fn new(inner: S) -> Self {
        Self {
            inner,
            ready: false,
        }
    }

    /// The service that is watched.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }
}

/// A clone isn't ready.
impl<S: Clone> Clone for ReadinessProbe<S> {
    fn clone(&self) -> Self {
        Self::new(self.inner.clone())
    }
}

impl<S, Request> Service<Request> for ReadinessProbe<S>
where
    S: Service<Request>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        let polled = self.inner.poll_ready(cx);
        self.ready = matches!(polled, Poll::Ready(Ok(())));
        polled
    }

    /// # Panics
    ///
    /// The service wasn't ready: that is what the probe is for.
    fn call(&mut self, request: Request) -> S::Future {
        assert!(
            std::mem::take(&mut self.ready),
            "`call` without readiness: `poll_ready` of this very instance must return \
             `Ready(Ok(()))` before each `call`, and a clone must be polled anew"
        );
        self.inner.call(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{Ready, ready};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Answers readiness as told.
    #[derive(Clone)]
    struct Told(Poll<Result<(), ()>>);

    impl Service<u32> for Told {
        type Response = u32;
        type Error = ();
        type Future = Ready<Result<u32, ()>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
            self.0
        }

        fn call(&mut self, request: u32) -> Self::Future {
            ready(Ok(request))
        }
    }

    const READY: Poll<Result<(), ()>> = Poll::Ready(Ok(()));

    fn poll(probe: &mut ReadinessProbe<Told>) -> Poll<Result<(), ()>> {
        probe.poll_ready(&mut Context::from_waker(std::task::Waker::noop()))
    }

    fn call_panics(probe: &mut ReadinessProbe<Told>) -> bool {
        catch_unwind(AssertUnwindSafe(|| drop(probe.call(1)))).is_err()
    }

    #[test]
    fn readiness_is_good_for_one_call() {
        let mut probe = ReadinessProbe::new(Told(READY));
        assert!(call_panics(&mut probe));
        assert_eq!(poll(&mut probe), READY);
        assert_eq!(poll(&mut probe), READY);
        assert!(!call_panics(&mut probe));
        assert!(call_panics(&mut probe));
    }

    #[test]
    fn pending_and_failed_are_not_ready() {
        for told in [Poll::Pending, Poll::Ready(Err(()))] {
            let mut probe = ReadinessProbe::new(Told(READY));
            assert_eq!(poll(&mut probe), READY);
            probe.inner.0 = told;
            assert_eq!(poll(&mut probe), told);
            assert!(call_panics(&mut probe));
        }
    }

    #[test]
    fn a_clone_is_not_ready_and_the_original_stays_so() {
        let mut probe = ReadinessProbe::new(Told(READY));
        assert_eq!(poll(&mut probe), READY);
        let mut clone = probe.clone();
        assert!(call_panics(&mut clone));
        assert!(!call_panics(&mut probe));
    }
}
