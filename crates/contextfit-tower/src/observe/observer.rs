use std::sync::Arc;

use super::FitEvent;

/// Hears of every decision.
///
/// Called on the task that runs the request: it must be quick and must not block. `()` hears
/// nothing; closures come in through [`observer_fn`](super::observer_fn); a pair of observers is one,
/// in which the first hears first.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn on_event(&self, event: &FitEvent<'_>);

    /// Has another observer hear of the same, after this one.
    ///
    /// ```
    /// use contextfit_tower::{Fitter, Observer, observer_fn};
    ///
    /// let (logs, counts) = (observer_fn(|event| println!("{event:?}")), observer_fn(|_| {}));
    /// let fitter = Fitter::builder().window(128_000).observer(logs.and(counts)).build()?;
    /// # Ok::<(), contextfit_tower::ConfigError>(())
    /// ```
    fn and<O>(self, other: O) -> (Self, O)
    where
        Self: Sized,
        O: Observer,
    {
        (self, other)
    }
}

impl Observer for () {
    fn on_event(&self, _: &FitEvent<'_>) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn on_event(&self, event: &FitEvent<'_>) {
        self.0.on_event(event);
        self.1.on_event(event);
    }
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        impl<O: Observer + ?Sized> Observer for $pointer {
            fn on_event(&self, event: &FitEvent<'_>) {
                (**self).on_event(event);
            }
        }
    )*};
}
forward_to_inner!(Arc<O>, Box<O>);
