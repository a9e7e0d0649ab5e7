//! Time, for those who wait no longer than so long.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Waits.
///
/// With the feature `tokio`, `TokioTimer` does.
pub trait Timer: Send + Sync {
    /// Is done when so much time has passed since this was called.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

impl<T: Timer + ?Sized> Timer for Arc<T> {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        (**self).sleep(duration)
    }
}

/// Tokio's time, paused and advanced with it in tests.
#[cfg(feature = "tokio")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokioTimer;

#[cfg(feature = "tokio")]
impl Timer for TokioTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}
