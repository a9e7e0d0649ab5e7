use std::sync::Arc;

use contextfit_core::budget::{Budget, BudgetError, Window};
use contextfit_core::estimate::{Estimator, Measured, TokenCount, measure};
use contextfit_core::plan::{Draft, DraftRules, SummaryCost, clip_text, draft};
use contextfit_core::request::{Conversation, Piece, RequestAdapter, Role, Str, Switch};
use contextfit_core::summary::{Envelope, transcript};
use contextfit_core::table::Table;

use super::settings::{OversizedFixedPart, Settings, WhenStuck};
use super::{Fitter, Shared};
use crate::overflow::{PromptLimits, Size};
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
    pub(super) refit: Option<Refit>,
    pub(super) reason: Reason,
    pub(super) model: Option<String>,
    pub(super) estimator: Arc<dyn Estimator>,
    pub(super) size: Size,
    pub(super) budget: Budget,
    pub(super) table: Table,
    pub(super) rules: DraftRules,
    pub(super) draft: Draft,
    /// The envelope that is in the conversation already.
    pub(super) previous: Option<Envelope>,
    /// The most tokens of its summary that may stay where there is no new one.
    pub(super) carried: u64,
    /// What to ask the summarizer for; `None` if nothing is cut or nobody is there to ask.
    pub(super) job: Option<SummaryJob>,
}

/// What an overflow asks of a fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refit {
    /// The most tokens that the prompt may have.
    most_prompt: u64,
    /// Tokens of the prompt that was too long.
    sent: u64,
    /// Whether a prompt above `most_prompt` is worth sending, if it is below `sent`.
    or_smaller: bool,
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
    /// Decides how a request is made smaller of which `sent` tokens were too long. It is the
    /// request as the caller gave it, whatever was sent of it.
    ///
    /// If the cautious limit can't be met, the hopeful one is tried.
    pub(crate) fn start_again<R>(
        &self,
        request: &R,
        sent: u64,
        limits: PromptLimits,
    ) -> Result<Start, FitError>
    where
        A: RequestAdapter<R>,
    {
        let PromptLimits { cautious, hopeful } = limits;
        let within = |most_prompt, or_smaller| {
            self.start(
                request,
                Some(Refit {
                    most_prompt,
                    sent,
                    or_smaller,
                }),
            )
        };
        match hopeful {
            Some(hopeful) => within(cautious, false).or_else(|_| within(hopeful, false)),
            None => within(cautious, true),
        }
    }

    /// Measures a request and, if it has to be changed, decides how. Nothing is changed yet.
    pub(crate) fn start<R>(&self, request: &R, refit: Option<Refit>) -> Result<Start, FitError>
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
        let budget = match self.budget(view.model(), window, &measured, most_prompt) {
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
        let mut table = Table::read(&view, &*estimator, settings.pins, summary_at);
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
            let Measured {
                messages: needed,
                fixed,
                ..
            } = measured;
            let limit = budget.limit;
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

impl<A> Fitter<A> {
    /// The budget of a request, with what was learned of its model. What was learned doesn't
    /// make a request impossible that may be possible without: then the provider decides.
    fn budget(
        &self,
        model: Option<&str>,
        window: Window,
        measured: &Measured,
        most_prompt: Option<u64>,
    ) -> Result<Budget, BudgetError> {
        let Measured {
            fixed, max_output, ..
        } = *measured;
        let configured = &self.shared.settings.budget;
        if let Some(limit) = self.shared.learned.limit(model) {
            let (mut window, mut rules) = (window, *configured);
            limit.apply(&mut window, &mut rules, fixed);
            if let Ok(budget) = Budget::new(window, &rules, fixed, max_output, most_prompt) {
                return Ok(budget);
            }
        }
        Budget::new(window, configured, fixed, max_output, most_prompt)
    }
}

impl Settings {
    /// Whether a prompt of so many tokens, which is over its limit, is refused.
    pub(super) fn refuses(&self, refit: Option<Refit>, prompt: u64) -> bool {
        match refit {
            Some(refit) => !refit.or_smaller || prompt >= refit.sent,
            None => self.when_stuck == WhenStuck::Refuse,
        }
    }
}

impl Shared {
    /// The output of a summarizer's model where it isn't known, in tokens.
    const SUMMARIZER_OUTPUT: u64 = 4_096;
    /// The bound of a summary is never less because of the summarizer's output.
    const LEAST_BOUND: u64 = 1_024;

    /// The most tokens of an earlier summary that stay where nobody writes a new one.
    const fn carried(budget: &Budget) -> u64 {
        budget.limit / 4
    }

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
            // With nobody to update it, an earlier summary stays, as far as there is room.
            if let Some(previous) = previous {
                widest.summary = shortened(estimator, &previous.summary, Self::carried(budget));
            }
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

/// A text as far as it fits into so many tokens, with a marker for the rest; empty where not
/// even that fits.
pub(super) fn shortened(estimator: &dyn Estimator, text: &str, most: u64) -> String {
    let count = |text: &str| estimator.count(Piece::Text(Str::plain(text))).ceil();
    if count(text) <= most {
        return text.to_owned();
    }
    clip_text(text, most, count)
        .map(|(shorter, _)| shorter)
        .unwrap_or_default()
}

/// Tokens of a user message with one text, as estimators round it.
pub(super) fn user_message_tokens(estimator: &dyn Estimator, text: &str) -> u64 {
    let count: TokenCount =
        estimator.message_overhead(Role::User) + estimator.count(Piece::Text(Str::plain(text)));
    count.floor()
}
