use contextfit_core::budget::Budget;
use contextfit_core::estimate::Estimator;
use contextfit_core::plan::SummaryCost;
use contextfit_core::summary::{Envelope, Place};

use super::Shared;
use super::ledger::carried;
use super::settings::{SplitTurn, SummaryBound};
use super::shares::Shares;
use crate::Summarizer;
use crate::tokens::{shortened, text_tokens, user_message_tokens};

impl Shared {
    /// The output of a summarizer's model where it isn't known, in tokens.
    const SUMMARIZER_OUTPUT: u64 = 4_096;
    /// The bound of a summary is never less because of the summarizer's output.
    const LEAST_BOUND: u64 = 1_024;

    /// The most tokens of an earlier summary and its ledger that stay where nobody writes a new one.
    pub(super) const fn carried(budget: &Budget) -> u64 {
        budget.limit / 4
    }

    /// What may stand for a cut, under a budget.
    pub(super) fn summary_cost(
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
        let frame = user_message_tokens(estimator, &widest.seal(&Place::default(), &self.keys)) + 1;
        // With nobody to update it, what there was stays, as far as there is room.
        let notice = match previous {
            Some(previous) => {
                let (ledger, left) = carried(estimator, &previous.ledger, Self::carried(budget));
                widest.ledger = ledger;
                widest.summary =
                    shortened(&previous.summary, left, |text| text_tokens(estimator, text));
                user_message_tokens(estimator, &widest.seal(&Place::default(), &self.keys))
            }
            None => frame - 1,
        };
        let bound = self.summarizer.as_deref().map_or(0, |summarizer| {
            self.summary_bound(budget, estimator, summarizer)
        });
        SummaryCost {
            frame,
            bound,
            notice,
        }
    }

    /// The most tokens of a summary, in all its parts.
    fn summary_bound(
        &self,
        budget: &Budget,
        estimator: &dyn Estimator,
        summarizer: &dyn Summarizer,
    ) -> u64 {
        let known = summarizer.max_output_tokens().map(u64::from);
        let output = known.unwrap_or(Self::SUMMARIZER_OUTPUT);
        let bound = match self.settings.summary_bound {
            SummaryBound::Tokens(tokens) => tokens,
            SummaryBound::OfOutput => {
                let bound = Self::LEAST_BOUND.max(output * 4 / 5);
                // No model can write more than it gives.
                bound.min(known.unwrap_or(bound))
            }
            SummaryBound::OfReserve { most } => {
                let of_reserve = budget.reserve / 5 * 4 + budget.reserve % 5 * 4 / 5;
                Self::LEAST_BOUND.max(of_reserve.min(output).min(most))
            }
        };
        let bound = match self.settings.split_turn {
            SplitTurn::Together => bound,
            SplitTurn::Apart => Shares::together(bound, estimator),
        };
        match bound.min(budget.limit / 4) {
            // Fewer tokens say nothing: then there is no summary, only a notice.
            too_few if too_few < SummaryCost::LEAST => 0,
            bound => bound,
        }
    }
}
