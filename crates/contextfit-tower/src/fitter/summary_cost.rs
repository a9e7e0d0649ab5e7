use contextfit_core::budget::Budget;
use contextfit_core::estimate::Estimator;
use contextfit_core::plan::{SummaryCost, clip_text};
use contextfit_core::summary::Envelope;

use super::Shared;
use crate::tokens::{text_tokens, user_message_tokens};

impl Shared {
    /// The output of a summarizer's model where it isn't known, in tokens.
    const SUMMARIZER_OUTPUT: u64 = 4_096;
    /// The bound of a summary is never less because of the summarizer's output.
    const LEAST_BOUND: u64 = 1_024;

    /// The most tokens of an earlier summary that stay where nobody writes a new one.
    pub(super) const fn carried(budget: &Budget) -> u64 {
        budget.limit / 4
    }

    /// What a summary may cost under a budget.
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
            .unwrap_or_else(|| Self::LEAST_BOUND.max(output * 4 / 5))
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
    let count = |text: &str| text_tokens(estimator, text);
    if count(text) <= most {
        return text.to_owned();
    }
    clip_text(text, most, count)
        .map(|(shorter, _)| shorter)
        .unwrap_or_default()
}
