use std::sync::Arc;

use contextfit_core::budget::{BudgetRules, Window};
use contextfit_core::plan::SummaryCost;
use contextfit_core::trigger::Trigger;

use super::{ConfigError, FitterBuilder};
use crate::fitter::process_keys::process_keys;
use crate::fitter::refused::RefusedJobs;
use crate::fitter::{Fitter, Shared};
use crate::overflow::Learned;
use crate::{ModelTable, Replay, SummaryBound, UnknownWindow};

impl<A> FitterBuilder<A> {
    /// Builds the fitter.
    ///
    /// # Errors
    ///
    /// No window is set, or a setting can't work for a window.
    pub fn build(self) -> Result<Fitter<A>, ConfigError> {
        let settings = &self.settings;
        let models = match (
            self.models,
            settings.unknown_window,
            settings.budget.max_context,
        ) {
            (Some(models), ..) => models,
            // Every window is unknown, and the maximum stands for it.
            (None, UnknownWindow::CallersMaximum, Some(_)) => Box::new(ModelTable::new()),
            (None, ..) => return Err(ConfigError::NoWindow),
        };
        let replay = match self.settings.replay {
            Replay::WhenAbove(share) => share,
            Replay::Always | Replay::Never => 0.0,
        };
        if let SummaryBound::Tokens(tokens) = self.settings.summary_bound
            && tokens < SummaryCost::LEAST
        {
            let least = SummaryCost::LEAST;
            return Err(ConfigError::SummaryTooShort { tokens, least });
        }
        for (setting, share, least) in [
            ("replay", replay, 0.0),
            ("target", self.settings.budget.target, f64::MIN_POSITIVE),
            ("least_gain", self.settings.least_gain, 0.0),
        ] {
            if !(least..=1.0).contains(&share) {
                return Err(ConfigError::NotAShare { setting, share });
            }
        }
        for (setting, trigger) in [
            ("soft_trigger", &self.settings.soft_trigger),
            ("hard_trigger", &self.settings.hard_trigger),
        ] {
            if let Some(share) = trigger.as_ref().and_then(Trigger::misfit) {
                return Err(ConfigError::NotAShare { setting, share });
            }
        }
        let rules: &BudgetRules = &self.settings.budget;
        if let Some(most) = rules.max_context {
            rules.check(Window::new(most))?;
        }
        models
            .known()
            .iter()
            .try_for_each(|model| rules.check(model.window))?;
        let keys = match self.keys {
            Some(keys) => keys,
            None if settings.durable_summaries => return Err(ConfigError::KeysRequired),
            None => process_keys()?,
        };
        Ok(Fitter {
            shared: Arc::new(Shared {
                models,
                estimator: self.estimator,
                policy: self.policy,
                summarizer: self.summarizer,
                summaries: Arc::new(self.summaries),
                observer: self.observer,
                settings: self.settings,
                learned: Learned::default(),
                calibrator: self.calibrator,
                refused: RefusedJobs::default(),
                keys,
                ledger: self.ledger,
            }),
            adapter: self.adapter,
        })
    }
}
