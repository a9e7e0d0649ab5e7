use std::sync::Arc;

use contextfit_core::budget::Window;
use contextfit_core::cut::CutPolicy;
use contextfit_core::estimate::Estimator;
use contextfit_core::summary::{EnvelopeKeys, LedgerRules};

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

    /// What summaries are sealed with, so that nobody else can write one that counts. See
    /// [`Envelope`](contextfit_core::summary::Envelope).
    ///
    /// Unless set, each process has a random key of its own. Where a history with a summary in it is
    /// stored, or another process goes on with it, the summary then is ordinary text, and the next
    /// compaction summarizes it as such: supply the same keys to all of them.
    #[must_use]
    pub fn summary_keys(mut self, keys: impl Into<EnvelopeKeys>) -> Self {
        self.keys = Some(keys.into());
        self
    }

    /// What is recorded of tool calls that are cut, and stands beside every summary: files read and
    /// modified, calls made, unless set. [`LedgerRules::none`] records nothing.
    #[must_use]
    pub fn ledger(mut self, rules: LedgerRules) -> Self {
        self.ledger = rules;
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
            keys,
            ledger,
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
            keys,
            ledger,
            settings,
            adapter,
        }
    }
}
