//! How much may be sent again.

use std::fmt;
use std::sync::Arc;

/// Bounds what is sent again, over all requests.
///
/// Each request is sent once more at most, but where many are too long at the same time, that alone
/// doubles the load. Set for a layer with
/// [`ContextFitLayer::retry_budget`](crate::ContextFitLayer::retry_budget) or
/// [`OverflowRetryLayer::retry_budget`](crate::OverflowRetryLayer::retry_budget), it is asked before
/// anything is made smaller, and before a summary is paid for. Where it refuses, the provider's answer
/// is passed on, and the observer hears [`FitEvent::RetryRefused`](crate::FitEvent::RetryRefused).
///
/// It is meant to be shared with the retry layers of the same stack. Tower's own budget fits in with
/// `TowerBudget`, behind the feature `retry-budget`; a closure with [`retry_budget_fn`].
pub trait RetryBudget: Send + Sync {
    /// A request was answered, and the answer is no overflow.
    fn deposit(&self);

    /// Whether one more request may be sent again. If so, it counts as sent.
    fn withdraw(&self) -> bool;
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        impl<B: RetryBudget + ?Sized> RetryBudget for $pointer {
            fn deposit(&self) {
                (**self).deposit();
            }

            fn withdraw(&self) -> bool {
                (**self).withdraw()
            }
        }
    )*};
}
forward_to_inner!(Arc<B>, Box<B>);

/// Makes a budget of a closure that says whether one more request may be sent again.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use contextfit_tower::{RetryBudget, retry_budget_fn};
///
/// // Three in all.
/// let sent = AtomicU32::new(0);
/// let budget = retry_budget_fn(move || sent.fetch_add(1, Ordering::Relaxed) < 3);
/// assert!(budget.withdraw());
/// ```
pub fn retry_budget_fn<F>(withdraw: F) -> RetryBudgetFn<F>
where
    F: Fn() -> bool + Send + Sync,
{
    RetryBudgetFn { withdraw }
}

/// A budget made of a closure. See [`retry_budget_fn`].
#[derive(Clone, Copy)]
pub struct RetryBudgetFn<F> {
    withdraw: F,
}

impl<F> fmt::Debug for RetryBudgetFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryBudgetFn").finish_non_exhaustive()
    }
}

impl<F> RetryBudget for RetryBudgetFn<F>
where
    F: Fn() -> bool + Send + Sync,
{
    fn deposit(&self) {}

    fn withdraw(&self) -> bool {
        (self.withdraw)()
    }
}

/// A budget of Tower, shared with whatever else retries.
///
/// ```
/// use std::sync::Arc;
/// use contextfit_tower::{ContextFitLayer, Fitter, NoRetry, TowerBudget};
/// use tower::retry::budget::TpsBudget;
///
/// let budget = Arc::new(TpsBudget::default());
/// let fitter = Fitter::builder().window(128_000).build()?;
/// let layer = ContextFitLayer::new(fitter)
///     .overflow_retry(NoRetry) // or what recognises an overflow
///     .retry_budget(TowerBudget::new(budget));
/// # Ok::<(), contextfit_tower::ConfigError>(())
/// ```
#[cfg(feature = "retry-budget")]
#[derive(Debug)]
pub struct TowerBudget<B: ?Sized> {
    budget: Arc<B>,
}

#[cfg(feature = "retry-budget")]
impl<B: ?Sized> TowerBudget<B> {
    /// Draws on `budget`.
    pub const fn new(budget: Arc<B>) -> Self {
        Self { budget }
    }
}

#[cfg(feature = "retry-budget")]
impl<B: ?Sized> Clone for TowerBudget<B> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.budget))
    }
}

#[cfg(feature = "retry-budget")]
impl<B> RetryBudget for TowerBudget<B>
where
    B: tower::retry::budget::Budget + Send + Sync + ?Sized,
{
    fn deposit(&self) {
        self.budget.deposit();
    }

    fn withdraw(&self) -> bool {
        self.budget.withdraw()
    }
}
