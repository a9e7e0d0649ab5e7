use std::sync::Arc;

use contextfit_core::budget::Budget;
use contextfit_core::estimate::{Estimator, Measured, TokenCount, measure};
use contextfit_core::plan::{Draft, DraftRules, SummaryCost, draft};
use contextfit_core::request::{Conversation, Piece, RequestAdapter, Role, Str, Switch};
use contextfit_core::summary::{Envelope, transcript};
use contextfit_core::table::Table;

use super::{Fitter, Shared, WhenStuck};
use crate::overflow::Size;
use crate::{FitError, FitEvent, Reason, SummaryJob};

/// What measuring a request comes to.
pub(crate) enum Start {
    /// It is sent as it is. The numbers are there unless the layers are to leave it alone.
    Untouched(Option<Size>),
    /// It has to be changed.
    Rewrite(Box<Rewrite>),
}

/// A change that is decided on numbers, and waits for its summary.
pub(crate) struct Rewrite {
    pub(super) reason: Reason,
    pub(super) model: Option<String>,
    pub(super) estimator: Arc<dyn Estimator>,
    pub(super) size: Size,
    pub(super) budget: Budget,
    pub(super) table: Table,
    pub(super) draft: Draft,
    /// The envelope that is in the conversation already.
    pub(super) previous: Option<Envelope>,
    /// What to ask the summarizer for; `None` if nothing is cut or nobody is there to ask.
    pub(super) job: Option<SummaryJob>,
}

impl<A> Fitter<A> {
    /// Measures a request and, if it has to be changed, decides how. Nothing is changed yet.
    ///
    /// `most_prompt` is what an overflow taught: the most tokens the prompt may have. `pins` are
    /// instead of those that the hints name, which mean the request before it was changed.
    pub(crate) fn start<R>(
        &self,
        request: &R,
        reason: Reason,
        most_prompt: Option<u64>,
        pins: Option<Vec<usize>>,
    ) -> Result<Start, FitError>
    where
        A: RequestAdapter<R>,
    {
        let settings = &self.shared.settings;
        let hints = self.adapter.hints(request);
        if hints.switch == Switch::Off {
            return Ok(Start::Untouched(None));
        }
        if !settings.enabled && reason != Reason::Overflow {
            return Ok(Start::Untouched(self.size(request)));
        }
        let view = self.adapter.view(request)?;
        let (window, estimator) = self.model(view.model())?;
        let measured = measure(&view, &*estimator);
        let size = Size::new(window.total, &measured);
        let (mut usable, mut rules) = (window, settings.budget);
        if let Some(limit) = self.shared.learned.limit(view.model()) {
            limit.apply(&mut usable, &mut rules);
        }
        let Measured {
            fixed, max_output, ..
        } = measured;
        let budget = Budget::new(usable, &rules, fixed, max_output, most_prompt)?;
        let force = hints.switch == Switch::Force && reason == Reason::OverLimit;
        let fits = measured.messages <= budget.limit;
        let lowers = budget.lowered_output(measured.messages).is_some();
        if fits && !force && !lowers {
            return Ok(Start::Untouched(Some(size)));
        }

        let envelope = Envelope::find(&view);
        let summary_at = envelope.as_ref().map(|&(index, _)| index);
        let previous = envelope.map(|(_, envelope)| envelope);
        let mut table = Table::read(&view, &*estimator, settings.pins, summary_at);
        for pin in pins.unwrap_or(hints.pins) {
            table.pin(pin);
        }
        let draft = if fits && !force {
            None
        } else {
            let rules = DraftRules {
                summary: self
                    .shared
                    .summary_cost(&budget, &*estimator, previous.as_ref()),
                clip_tool_results: settings.clip_tool_results,
                clip_user_messages: settings.clip_user_messages,
                least_gain: settings.least_gain,
            };
            draft(&table, &budget, &*self.shared.policy, &rules)
        };
        let floor = draft
            .as_ref()
            .map_or(measured.messages, |draft| draft.after);
        if floor > budget.limit {
            let (needed, limit, fixed) = (measured.messages, budget.limit, budget.fixed);
            if settings.when_stuck == WhenStuck::Refuse {
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
            reason: if force { Reason::Forced } else { reason },
            model: view.model().map(str::to_owned),
            estimator,
            size,
            budget,
            table,
            draft,
            previous,
            job,
        })))
    }
}

impl Shared {
    /// The output of a summarizer's model where it isn't known, in tokens.
    const SUMMARIZER_OUTPUT: u64 = 4_096;
    /// The bound of a summary is never less because of the summarizer's output.
    const LEAST_BOUND: u64 = 1_024;

    /// What a summary may cost under a budget.
    fn summary_cost(
        &self,
        budget: &Budget,
        estimator: &dyn Estimator,
        previous: Option<&Envelope>,
    ) -> SummaryCost {
        // The widest frame there is: it mustn't cost more once its numbers are filled in.
        let mut widest = Envelope {
            messages: u64::MAX,
            omitted: u64::MAX,
            ..Envelope::default()
        };
        let Some(summarizer) = &self.summarizer else {
            // With nobody to update it, an earlier summary stays as it is.
            widest.summary = previous
                .map(|envelope| envelope.summary.clone())
                .unwrap_or_default();
            let frame = user_message_tokens(estimator, &widest.render());
            return SummaryCost { frame, bound: 0 };
        };
        let output = summarizer
            .max_output_tokens()
            .map_or(Self::SUMMARIZER_OUTPUT, u64::from);
        let bound = self
            .settings
            .summary_tokens
            .unwrap_or_else(|| Self::LEAST_BOUND.max(output / 5 * 4))
            .min(budget.limit / 4);
        // Fewer tokens say nothing: then there is no summary, only a notice.
        let bound = if bound < SummaryCost::LEAST { 0 } else { bound };
        SummaryCost {
            frame: user_message_tokens(estimator, &widest.render()) + 1,
            bound,
        }
    }
}

/// Tokens of a user message with one text, as estimators round it.
pub(super) fn user_message_tokens(estimator: &dyn Estimator, text: &str) -> u64 {
    let count: TokenCount =
        estimator.message_overhead(Role::User) + estimator.count(Piece::Text(Str::plain(text)));
    count.floor()
}
