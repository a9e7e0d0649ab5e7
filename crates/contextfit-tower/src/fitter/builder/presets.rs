use contextfit_core::budget::OversizedOutput;
use contextfit_core::cut::{ClipToolResults, CutPolicy, Enough, RecentBudget, TopicAndRecent};
use contextfit_core::table::Pins;

use super::FitterBuilder;
use crate::{FailedSummary, Schemas, SplitTurn, SummaryBound, UnknownWindow, WithoutNumbers};

/// Presets: a policy and the settings that go with it. Later calls change single settings.
impl<A> FitterBuilder<A> {
    /// The topic and what fits of the newest messages into half of the limit. The default; how
    /// the kerness project compacts.
    ///
    /// - The task and the last user message are [pinned](Self::pins).
    /// - Without a usable summary the history [stays as it is](FailedSummary::Untouched).
    /// - One [summary](SplitTurn::Together) covers all that is cut.
    /// - Tool schemas [count](Schemas::Counted), and
    ///   [`max_context_tokens`](Self::max_context_tokens) stands for a window that
    ///   [isn't known](UnknownWindow::CallersMaximum).
    /// - After an overflow without numbers, [half](WithoutNumbers::Half) of what was sent is
    ///   the new limit.
    #[must_use]
    pub fn topic_and_half(mut self) -> Self {
        let settings = &mut self.settings;
        settings.pins = Pins::BOTH;
        settings.failed_summary = FailedSummary::Untouched;
        settings.split_turn = SplitTurn::Together;
        settings.summary_bound = SummaryBound::OfOutput;
        settings.schemas = Schemas::Counted;
        settings.unknown_window = UnknownWindow::CallersMaximum;
        settings.without_numbers = WithoutNumbers::Half;
        settings.budget.margin = 0;
        settings.budget.oversized_output = OversizedOutput::Refuse;
        self.policy(TopicAndRecent)
    }

    /// A budget of recent messages, so that a single turn of a hundred tool rounds can be cut; and
    /// if that isn't enough, a total for tool results. How the WeKnora project compacts.
    ///
    /// - Nothing is [pinned](Self::pins).
    /// - Without a usable summary a raw [record](FailedSummary::Archive) stands for what is cut.
    /// - The start of a turn that is cut in two has a summary [of its own](SplitTurn::Apart).
    /// - What is longer than the summarizer's window is read in [several calls](Self::summary_calls),
    ///   which no preset sets. That project makes one, of the newest messages: set 1 for that.
    /// - Tool schemas count [only once a compaction is due](Schemas::AfterTrigger), and a
    ///   request whose window isn't known is [left alone](UnknownWindow::LeaveAlone).
    /// - After an overflow without numbers the request is compacted
    ///   [as usual](WithoutNumbers::AsUsual).
    /// - 4 096 tokens are kept free beside the output that is asked for, and it is
    ///   [lowered](OversizedOutput::Lower) where it doesn't fit.
    #[must_use]
    pub fn recent_budget(mut self) -> Self {
        let settings = &mut self.settings;
        settings.pins = Pins::NONE;
        settings.failed_summary = FailedSummary::Archive;
        settings.split_turn = SplitTurn::Apart;
        settings.summary_bound = SummaryBound::OfReserve {
            most: RecentBudget::KEEP,
        };
        settings.schemas = Schemas::AfterTrigger;
        settings.unknown_window = UnknownWindow::LeaveAlone;
        settings.without_numbers = WithoutNumbers::AsUsual;
        settings.budget.margin = 4_096;
        settings.budget.oversized_output = OversizedOutput::Lower;
        let trim = ClipToolResults::default();
        self.policy(RecentBudget::default().then(trim).enough(Enough::Limit))
    }
}
