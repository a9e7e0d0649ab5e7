use std::sync::Arc;

use contextfit_core::budget::{Budget, BudgetError};
use contextfit_core::estimate::{Estimator, Measured};
use contextfit_core::request::{Conversation, Switch};
use contextfit_core::trigger::{Load, Trigger};

use super::Fitter;
use super::counted::Counted;
use super::refit::Refit;
use super::settings::Schemas;
use crate::calibrate::Calibration;
use crate::overflow::Size;
use crate::{FitError, Reason};

/// What a request comes to in numbers, before any message is looked at by itself.
#[derive(Clone)]
pub(super) struct Assessed {
    pub(super) estimator: Arc<dyn Estimator>,
    pub(super) measured: Measured,
    pub(super) size: Size,
    pub(super) budget: Result<Budget, BudgetError>,
    pub(super) due: Option<Due>,
}

/// Why a request is to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Its messages fit, but not beside the output that it asks for.
    Output,
    /// It is worth a try.
    Soft,
    /// It fits, and a compaction is due all the same.
    Hard,
    /// The request asks for it.
    Forced,
    /// It is over its limit.
    Over,
}

impl Due {
    /// Why a request is changed before it is sent.
    pub(super) const fn reason(self) -> Reason {
        match self {
            Self::Forced => Reason::Forced,
            Self::Soft | Self::Hard => Reason::Trigger,
            Self::Over | Self::Output => Reason::OverLimit,
        }
    }
}

impl<A> Fitter<A> {
    /// Measures a request, and says whether it is to be changed; `None` if nothing is known of
    /// its model and such requests are left alone.
    pub(super) fn assess<V: Conversation>(
        &self,
        view: &V,
        switch: Switch,
        refit: Option<Refit>,
        heed_learned: bool,
    ) -> Result<Option<Assessed>, FitError> {
        let settings = &self.shared.settings;
        let calibration = match refit {
            // What was sent and what is made of it are counted alike.
            Some(refit) => Some(refit.calibration),
            None => (!heed_learned).then_some(Calibration::NONE),
        };
        let Some(counted) = self.count(view, calibration)? else {
            return Ok(None);
        };
        let Counted {
            window,
            estimator,
            mut measured,
            size,
        } = counted;
        if refit.is_some() {
            // Both are sized by their parts.
            measured.overestimate = 0;
        }
        let (mut usable, mut rules) = (window, settings.budget);
        if heed_learned {
            let learned = &self.shared.learned;
            learned.apply(view.model(), &mut usable, &mut rules, measured.fixed);
        }
        let most_prompt = refit.and_then(|refit| refit.most_prompt);
        let (fixed, asked) = (measured.fixed, measured.max_output);
        let budget = Budget::new(usable, &rules, fixed, asked, most_prompt);
        let due = match (&budget, refit) {
            (Ok(budget), None) => self.due(budget, &measured, view.len(), switch),
            (Ok(budget), Some(refit)) => {
                if budget.fits(measured.messages, view.len()) {
                    refit.most_prompt.is_none().then_some(Due::Hard)
                } else {
                    Some(Due::Over)
                }
            }
            (Err(_), _) => None,
        };
        Ok(Some(Assessed {
            estimator,
            measured,
            size,
            budget,
            due,
        }))
    }

    /// Tokens that don't count when it is decided whether a compaction is due.
    pub(super) fn uncounted(&self, measured: &Measured) -> u64 {
        match self.shared.settings.schemas {
            Schemas::Counted => 0,
            Schemas::AfterTrigger => measured.beside,
        }
    }

    /// Whether a request is to be changed before it is sent.
    fn due(
        &self,
        budget: &Budget,
        measured: &Measured,
        messages: usize,
        switch: Switch,
    ) -> Option<Due> {
        let settings = &self.shared.settings;
        let uncounted = self.uncounted(measured);
        let load = Load {
            tokens: measured.prompt().saturating_sub(uncounted),
            messages,
            limit: budget.fixed.saturating_add(budget.limit),
        };
        let met = |trigger: &Option<Trigger>| trigger.as_ref().is_some_and(|one| one.is_met(&load));
        let needed = measured.needed();
        let lowers = budget.lowered_output(needed).is_some();
        // What isn't counted mustn't take the room of the reply.
        let uncounted = if lowers { 0 } else { uncounted };
        if !budget.fits(needed.saturating_sub(uncounted), messages) {
            Some(Due::Over)
        } else if switch == Switch::Force {
            Some(Due::Forced)
        } else if met(&settings.hard_trigger) {
            Some(Due::Hard)
        } else if met(&settings.soft_trigger) {
            Some(Due::Soft)
        } else {
            lowers.then_some(Due::Output)
        }
    }
}
