use std::fmt;
use std::sync::Arc;

use contextfit_core::request::Native;
use tower_layer::Layer;

use super::OverflowRetry;
use crate::{Fitter, RetryBudget};

/// Applies [`OverflowRetry`] to a service.
///
/// See the [module docs](super) for an example.
#[derive(Clone)]
pub struct OverflowRetryLayer<C, A = Native> {
    fitter: Fitter<A>,
    classifier: C,
    budget: Option<Arc<dyn RetryBudget>>,
}

impl<C, A> OverflowRetryLayer<C, A> {
    /// Recovers from what `classifier` recognises, with the strategies of `fitter`.
    pub const fn new(fitter: Fitter<A>, classifier: C) -> Self {
        Self {
            fitter,
            classifier,
            budget: None,
        }
    }

    /// What bounds how much is sent again, over all requests. Nothing does unless set.
    #[must_use]
    pub fn retry_budget(mut self, budget: impl RetryBudget + 'static) -> Self {
        self.budget = Some(Arc::new(budget));
        self
    }
}

impl<S, C: Clone, A: Clone> Layer<S> for OverflowRetryLayer<C, A> {
    type Service = OverflowRetry<S, C, A>;

    fn layer(&self, inner: S) -> Self::Service {
        OverflowRetry::new(
            inner,
            self.fitter.clone(),
            self.classifier.clone(),
            self.budget.clone(),
        )
    }
}

impl<C, A> fmt::Debug for OverflowRetryLayer<C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverflowRetryLayer")
            .field("fitter", &self.fitter)
            .finish_non_exhaustive()
    }
}
