use std::fmt;
use std::sync::Arc;

use contextfit_core::request::Native;
use tower_layer::Layer;

use super::{ContextFit, ReportingLayer};
use crate::{Fitter, NoRetry, RetryBudget, WithUsage};

/// Applies [`ContextFit`] to a service.
///
/// See the [module docs](super) for an example.
#[derive(Clone)]
pub struct ContextFitLayer<A = Native, C = NoRetry> {
    fitter: Fitter<A>,
    classifier: Option<C>,
    budget: Option<Arc<dyn RetryBudget>>,
}

impl<A> ContextFitLayer<A> {
    /// Makes requests fit before they are sent.
    pub const fn new(fitter: Fitter<A>) -> Self {
        Self {
            fitter,
            classifier: None,
            budget: None,
        }
    }

    /// Recovers from overflows too, with the same fitter: a request that the provider finds
    /// too long is made smaller and sent once more.
    ///
    /// This is the usual way to have both. In one service, the two can't be stacked in the
    /// wrong order, and an overflow that can't be helped becomes
    /// [`FitError::StillTooLong`](crate::FitError::StillTooLong).
    ///
    /// ```
    /// use contextfit_core::chat::ChatResponse;
    /// use contextfit_tower::{ContextFitLayer, Fitter, Overflow, classifier_fn};
    ///
    /// let classifier = classifier_fn(|_, result: &Result<ChatResponse, String>| {
    ///     let error = result.as_ref().err()?;
    ///     error.contains("maximum context length").then(Overflow::new)
    /// });
    /// let fitter = Fitter::builder().window(128_000).build()?;
    /// let layer = ContextFitLayer::new(fitter).overflow_retry(classifier);
    /// # Ok::<(), contextfit_tower::ConfigError>(())
    /// ```
    #[must_use]
    pub fn overflow_retry<C>(self, classifier: C) -> ContextFitLayer<A, C> {
        ContextFitLayer {
            fitter: self.fitter,
            classifier: Some(classifier),
            budget: self.budget,
        }
    }
}

impl<A, C> ContextFitLayer<A, C> {
    /// Reads from responses what the provider counted, for the fitter's
    /// [`Calibrator`](crate::Calibrator) and its observer. Needed only where no classifier of an
    /// [`overflow_retry`](Self::overflow_retry), which is set before, reads it already.
    ///
    /// ```
    /// use contextfit_tower::{Calibrator, ChatUsageReader, ContextFitLayer, Fitter};
    ///
    /// let fitter = Fitter::builder().window(128_000).calibrator(Calibrator::default()).build()?;
    /// let layer = ContextFitLayer::new(fitter).usage(ChatUsageReader);
    /// # Ok::<(), contextfit_tower::ConfigError>(())
    /// ```
    #[must_use]
    pub fn usage<U>(self, reader: U) -> ContextFitLayer<A, WithUsage<C, U>> {
        ContextFitLayer {
            fitter: self.fitter,
            classifier: Some(WithUsage::new(self.classifier, reader)),
            budget: self.budget,
        }
    }

    /// Has each response come with what was done to its request: a service of
    /// [`FittedResponse`](super::FittedResponse)s, for whoever wants to do the same to a history of
    /// their own. All else is set before.
    #[must_use]
    pub fn reporting(self) -> ReportingLayer<A, C> {
        ReportingLayer::new(self)
    }

    /// What bounds how much is sent again, over all requests. Nothing does unless set.
    #[must_use]
    pub fn retry_budget(mut self, budget: impl RetryBudget + 'static) -> Self {
        self.budget = Some(Arc::new(budget));
        self
    }
}

impl<S, A: Clone, C: Clone> Layer<S> for ContextFitLayer<A, C> {
    type Service = ContextFit<S, A, C>;

    fn layer(&self, inner: S) -> Self::Service {
        ContextFit::new(
            inner,
            self.fitter.clone(),
            self.classifier.clone(),
            self.budget.clone(),
        )
    }
}

impl<A, C> fmt::Debug for ContextFitLayer<A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextFitLayer")
            .field("fitter", &self.fitter)
            .finish_non_exhaustive()
    }
}
