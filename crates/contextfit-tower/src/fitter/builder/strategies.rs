use std::sync::Arc;

use contextfit_core::budget::Window;
use contextfit_core::cut::CutPolicy;
use contextfit_core::estimate::Estimator;

use super::FitterBuilder;
use crate::{Calibrator, ModelSpec, ModelTable, Models, Observer, Summarizer};

/// Strategies.
impl<A> FitterBuilder<A> {
    /// One window for every model, in tokens.
    #[must_use]
    pub fn window(self, window: impl Into<Window>) -> Self {
        self.models(ModelTable::new().otherwise(ModelSpec::new(window)))
    }

    /// What is known of each model.
    #[must_use]
    pub fn models(mut self, models: impl Models + 'static) -> Self {
        self.models = Some(Box::new(models));
        self
    }

    /// What counts tokens for models that bring no estimator of their own. Four characters to
    /// a token unless set.
    #[must_use]
    pub fn estimator(mut self, estimator: impl Estimator + 'static) -> Self {
        self.estimator = Arc::new(estimator);
        self
    }

    /// What decides which messages to cut.
    #[must_use]
    pub fn policy(mut self, policy: impl CutPolicy + 'static) -> Self {
        self.policy = Box::new(policy);
        self
    }

    /// What writes summaries. Without one, messages that are cut are left out, with a notice
    /// in their place.
    #[must_use]
    pub fn summarizer(mut self, summarizer: impl Summarizer + 'static) -> Self {
        self.summarizer = Some(Arc::new(summarizer));
        self
    }

    /// What learns from the counts that providers report, so that estimates come true. Nothing
    /// does unless set.
    #[must_use]
    pub fn calibrator(mut self, calibrator: Calibrator) -> Self {
        self.calibrator = Some(calibrator);
        self
    }

    /// Who hears of every decision.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// What knows the request's type. [`Native`](contextfit_core::request::Native) unless set.
    #[must_use]
    pub fn adapter<B>(self, adapter: B) -> FitterBuilder<B> {
        let Self {
            models,
            estimator,
            policy,
            summarizer,
            summaries,
            observer,
            calibrator,
            settings,
            adapter: _,
        } = self;
        FitterBuilder {
            models,
            estimator,
            policy,
            summarizer,
            summaries,
            observer,
            calibrator,
            settings,
            adapter,
        }
    }
}
