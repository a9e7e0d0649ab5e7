use std::sync::Arc;

use contextfit_core::budget::{Budget, BudgetError};
use contextfit_core::plan::{Draft, DraftRules, draft, draft_early};
use contextfit_core::request::{Conversation, Hints};
use contextfit_core::summary::{Envelope, EnvelopeKeys, Found, NotOurs};
use contextfit_core::table::Table;
use contextfit_core::trigger::Bounds;

use super::Fitter;
use super::due::{Assessed, Due};
use super::refit::Refit;
use super::settings::OversizedFixedPart;
use crate::FitError;

/// What is to become of a request. Nothing is changed yet.
pub(super) enum Decision {
    /// The layers don't touch it.
    LeftAlone,
    /// It is sent as it is.
    AsItIs {
        assessed: Assessed,
        /// The tokens that its messages may have, if it is over that and nothing helps.
        stuck: Option<u64>,
    },
    /// It is to be changed.
    Change {
        assessed: Assessed,
        budget: Budget,
        drafted: Box<Drafted>,
    },
}

/// A draft, and what it was made from.
pub(super) struct Drafted {
    pub(super) table: Table,
    pub(super) rules: DraftRules,
    /// The envelope that is in the conversation already, and where.
    pub(super) previous: Option<(usize, Envelope)>,
    /// What it was sealed with, and the next one will be.
    pub(super) keys: EnvelopeKeys,
    /// A message that looks like an envelope and isn't one.
    pub(super) foreign: Option<(usize, NotOurs)>,
    pub(super) draft: Draft,
}

impl<A> Fitter<A> {
    /// Decides what becomes of a request.
    ///
    /// What was learned of a model never refuses a request that could be sent without it, and no
    /// recovery from the overflow that taught it: then the provider decides.
    pub(super) fn decide<V: Conversation>(
        &self,
        view: &V,
        hints: &Hints,
        refit: Option<Refit>,
    ) -> Result<Decision, FitError> {
        match self.decide_heeding(view, hints, refit, true) {
            Err(
                FitError::CannotFit { .. } | FitError::TooManyMessages { .. } | FitError::NoRoom(_),
            ) if self.has_learned() => self.decide_heeding(view, hints, refit, false),
            decision => decision,
        }
    }

    fn has_learned(&self) -> bool {
        let calibrator = self.shared.calibrator.as_ref();
        !self.shared.learned.is_empty()
            || calibrator.is_some_and(|calibrator| !calibrator.is_empty())
    }

    fn decide_heeding<V: Conversation>(
        &self,
        view: &V,
        hints: &Hints,
        refit: Option<Refit>,
        heed_learned: bool,
    ) -> Result<Decision, FitError> {
        let settings = &self.shared.settings;
        let Some(assessed) = self.assess(view, hints.switch, refit, heed_learned)? else {
            return Ok(Decision::LeftAlone);
        };
        let budget = match assessed.budget {
            Ok(budget) => budget,
            // If that was learned, it is tried without.
            Err(BudgetError::FixedPartTooLarge { ceiling, .. })
                if settings.oversized_fixed_part == OversizedFixedPart::Send
                    && refit.is_none()
                    && !(heed_learned && self.has_learned()) =>
            {
                let stuck = Some(ceiling.saturating_sub(assessed.measured.fixed));
                return Ok(Decision::AsItIs { assessed, stuck });
            }
            Err(error) => return Err(error.into()),
        };
        let Some(due) = assessed.due else {
            let stuck = None;
            return Ok(Decision::AsItIs { assessed, stuck });
        };
        let keys = self.keys(hints);
        let found = Envelope::find(view, &keys);
        let Found {
            ours: previous,
            foreign,
            ..
        } = found;
        let table = self.table(view, hints, &assessed, previous.as_ref());
        let aim = self.aim(&assessed, budget, due);
        let rules = self.draft_rules(&assessed, &aim, due, previous.as_ref());
        let policy = &*self.shared.policy;
        let draft = match (due, refit) {
            (Due::Output, _) => None,
            (Due::Soft | Due::Hard, None) => draft_early(&table, &aim, policy, &rules),
            _ => draft(&table, &budget, policy, &rules),
        };

        let messages = assessed.measured.messages;
        let needed = assessed.measured.needed();
        let floor = draft.as_ref().map_or(needed, |draft| draft.after);
        let count = draft.as_ref().map_or(view.len(), Draft::messages_after);
        let over = !budget.fits(floor, count);
        if settings.refuses(refit, budget.fixed.saturating_add(floor), over) {
            return Err(if floor <= budget.limit && count > budget.max_messages {
                FitError::TooManyMessages {
                    messages: view.len(),
                    most: budget.max_messages,
                    floor: count,
                }
            } else {
                FitError::CannotFit {
                    needed: messages,
                    limit: budget.limit,
                    fixed: budget.fixed,
                    floor,
                }
            });
        }
        let draft = match draft {
            Some(draft) => draft,
            None if budget.lowered_output(needed).is_some() => {
                let mut draft = Draft::untouched(&table);
                (draft.before, draft.after) = (needed, needed);
                draft
            }
            None => {
                let stuck = over.then_some(budget.limit);
                return Ok(Decision::AsItIs { assessed, stuck });
            }
        };
        let drafted = Box::new(Drafted {
            table,
            rules,
            previous,
            keys,
            foreign,
            draft,
        });
        Ok(Decision::Change {
            assessed,
            budget,
            drafted,
        })
    }

    /// What a compaction aims at. One that a trigger asks for has to undo the trigger, or it would
    /// be asked for again with the next request.
    fn aim(&self, assessed: &Assessed, budget: Budget, due: Due) -> Budget {
        let settings = &self.shared.settings;
        let triggers = match due {
            Due::Soft => [None, settings.soft_trigger.as_ref()],
            Due::Hard => [
                settings.hard_trigger.as_ref(),
                settings.soft_trigger.as_ref(),
            ],
            Due::Output | Due::Forced | Due::Over => [None, None],
        };
        let limit = budget.fixed.saturating_add(budget.limit);
        let bounds = triggers
            .into_iter()
            .flatten()
            .fold(Bounds::NONE, |bounds, trigger| {
                bounds.and(trigger.bounds(limit))
            });
        // Where schemas don't count for the trigger, they don't for what undoes it.
        let uncounted = self.uncounted(&assessed.measured);
        let prompt = bounds.tokens.saturating_add(uncounted);
        budget.within(prompt, bounds.messages, settings.budget.target)
    }

    /// What envelopes of the conversation's tenant are sealed with.
    pub(super) fn keys(&self, hints: &Hints) -> EnvelopeKeys {
        let keys = &self.shared.keys;
        let of_tenant = |tenant: &Arc<str>| keys.of_tenant(tenant);
        hints
            .tenant
            .as_ref()
            .map_or_else(|| keys.clone(), of_tenant)
    }

    /// The conversation as numbers.
    pub(super) fn table<V: Conversation>(
        &self,
        view: &V,
        hints: &Hints,
        assessed: &Assessed,
        previous: Option<&(usize, Envelope)>,
    ) -> Table {
        let summary_at = previous.map(|&(index, _)| index);
        let pins = self.shared.settings.pins;
        let mut table = Table::of(view, &assessed.measured, pins, summary_at);
        for &pin in &hints.pins {
            table.pin(pin);
        }
        table
    }

    fn draft_rules(
        &self,
        assessed: &Assessed,
        budget: &Budget,
        due: Due,
        previous: Option<&(usize, Envelope)>,
    ) -> DraftRules {
        let settings = &self.shared.settings;
        let previous = previous.map(|(_, envelope)| envelope);
        DraftRules {
            summary: self
                .shared
                .summary_cost(budget, &*assessed.estimator, previous),
            clip_tool_results: settings.clip_tool_results,
            clip_user_messages: settings.clip_user_messages,
            // What the request asks for is done, whatever it gains.
            least_gain: if due == Due::Forced {
                0.0
            } else {
                settings.least_gain
            },
        }
    }
}
