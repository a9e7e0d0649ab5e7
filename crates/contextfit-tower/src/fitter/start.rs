use std::sync::Arc;

use contextfit_core::budget::{Budget, BudgetError};
use contextfit_core::estimate::{Measured, measure};
use contextfit_core::plan::{Draft, DraftRules, draft};
use contextfit_core::request::{Conversation, RequestAdapter, Switch};
use contextfit_core::summary::{Envelope, transcript};
use contextfit_core::table::Table;

use super::refit::Refit;
use super::rewrite::Rewrite;
use super::settings::OversizedFixedPart;
use super::{Fitter, Shared};
use crate::overflow::Size;
use crate::{FitError, FitEvent, Reason, SummaryJob};

/// What measuring a request comes to.
pub(crate) enum Start {
    /// It is sent as it is. The numbers are there unless the layers are to leave it alone.
    Untouched(Option<Size>),
    /// It has to be changed.
    Rewrite(Box<Rewrite>),
}

impl Start {
    /// The numbers of the request as it was given, unless it is to be left alone.
    pub(crate) fn size(&self) -> Option<Size> {
        match self {
            Self::Untouched(size) => *size,
            Self::Rewrite(rewrite) => Some(rewrite.size),
        }
    }
}

impl<A> Fitter<A> {
    /// Measures a request and, if it has to be changed, decides how. Nothing is changed yet.
    ///
    /// What was learned of a model never refuses a request that could be sent without it: then
    /// the provider decides.
    pub(crate) fn start<R>(&self, request: &R, refit: Option<Refit>) -> Result<Start, FitError>
    where
        A: RequestAdapter<R>,
    {
        match self.decide(request, refit, true) {
            Err(FitError::CannotFit { .. } | FitError::NoRoom(_))
                if refit.is_none() && !self.shared.learned.is_empty() =>
            {
                self.decide(request, refit, false)
            }
            start => start,
        }
    }

    fn decide<R>(
        &self,
        request: &R,
        refit: Option<Refit>,
        heed_learned: bool,
    ) -> Result<Start, FitError>
    where
        A: RequestAdapter<R>,
    {
        let settings = &self.shared.settings;
        let hints = self.adapter.hints(request);
        if hints.switch == Switch::Off {
            return Ok(Start::Untouched(None));
        }
        if !settings.enabled && refit.is_none() {
            return Ok(Start::Untouched(self.size(request)));
        }
        let view = self.adapter.view(request)?;
        let (window, estimator) = self.model(view.model())?;
        let measured = measure(&view, &*estimator);
        let size = Size::new(window.total, &measured);
        let most_prompt = refit.map(|refit| refit.most_prompt);
        let (mut usable, mut budget_rules) = (window, settings.budget);
        if heed_learned {
            let learned = &self.shared.learned;
            learned.apply(view.model(), &mut usable, &mut budget_rules, measured.fixed);
        }
        let Measured {
            fixed, max_output, ..
        } = measured;
        let budget = match Budget::new(usable, &budget_rules, fixed, max_output, most_prompt) {
            Err(BudgetError::FixedPartTooLarge { ceiling, .. })
                if settings.oversized_fixed_part == OversizedFixedPart::Send && refit.is_none() =>
            {
                let (needed, limit) = (measured.messages, ceiling.saturating_sub(measured.fixed));
                self.observe(&FitEvent::Stuck { needed, limit });
                return Ok(Start::Untouched(Some(size)));
            }
            budget => budget?,
        };
        let force = hints.switch == Switch::Force && refit.is_none();
        let fits = measured.messages <= budget.limit;
        let lowers = budget.lowered_output(measured.messages).is_some();
        if fits && !force && !lowers {
            return Ok(Start::Untouched(Some(size)));
        }

        let envelope = Envelope::find(&view);
        let summary_at = envelope.as_ref().map(|&(index, _)| index);
        let previous = envelope.map(|(_, envelope)| envelope);
        let mut table = Table::of(&view, &measured, settings.pins, summary_at);
        for pin in hints.pins {
            table.pin(pin);
        }
        let rules = DraftRules {
            summary: self
                .shared
                .summary_cost(&budget, &*estimator, previous.as_ref()),
            clip_tool_results: settings.clip_tool_results,
            clip_user_messages: settings.clip_user_messages,
            least_gain: settings.least_gain,
        };
        let draft = if fits && !force {
            None
        } else {
            draft(&table, &budget, &*self.shared.policy, &rules)
        };
        let floor = draft
            .as_ref()
            .map_or(measured.messages, |draft| draft.after);
        if floor > budget.limit {
            let (needed, limit) = (measured.messages, budget.limit);
            if settings.refuses(refit, fixed.saturating_add(floor)) {
                return Err(FitError::CannotFit {
                    needed,
                    limit,
                    fixed,
                    floor,
                });
            }
            if draft.is_none() {
                self.observe(&FitEvent::Stuck { needed, limit });
            }
        }
        let draft = match draft {
            Some(draft) => draft,
            None if lowers => Draft::untouched(&table),
            None => return Ok(Start::Untouched(Some(size))),
        };

        let carried = match self.shared.summarizer {
            Some(_) => draft.summary_bound,
            None => Shared::carried(&budget),
        };
        let job = (self.shared.summarizer.is_some() && draft.summary_bound > 0).then(|| {
            let read = draft.cut.iter().filter(|&index| Some(index) != summary_at);
            SummaryJob {
                messages: read.clone().count(),
                transcript: transcript(&view, read),
                previous: previous
                    .as_ref()
                    .map(|envelope| envelope.summary.clone())
                    .filter(|summary| !summary.is_empty()),
                max_tokens: draft.summary_bound,
                estimator: Arc::clone(&estimator),
            }
        });
        Ok(Start::Rewrite(Box::new(Rewrite {
            refit,
            reason: match refit {
                Some(_) => Reason::Overflow,
                None if force => Reason::Forced,
                None => Reason::OverLimit,
            },
            model: view.model().map(str::to_owned),
            estimator,
            size,
            budget,
            table,
            rules,
            draft,
            previous,
            carried,
            job,
        })))
    }
}
