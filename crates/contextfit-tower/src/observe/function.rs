use std::fmt;

use super::{FitEvent, Observer};

/// Makes an observer of a closure.
///
/// ```
/// use contextfit_tower::{FitEvent, observer_fn};
///
/// let observer = observer_fn(|event| {
///     if let FitEvent::Fitted(report) = event {
///         println!("{} -> {} tokens", report.tokens_before, report.tokens_after);
///     }
/// });
/// ```
pub fn observer_fn<F>(on_event: F) -> ObserverFn<F>
where
    F: Fn(&FitEvent<'_>) + Send + Sync,
{
    ObserverFn { on_event }
}

/// An observer made of a closure. See [`observer_fn`].
#[derive(Clone, Copy)]
pub struct ObserverFn<F> {
    on_event: F,
}

impl<F> fmt::Debug for ObserverFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObserverFn").finish_non_exhaustive()
    }
}

impl<F> Observer for ObserverFn<F>
where
    F: Fn(&FitEvent<'_>) + Send + Sync,
{
    fn on_event(&self, event: &FitEvent<'_>) {
        (self.on_event)(event);
    }
}
