use contextfit_core::budget::{BudgetRules, share_of};
use contextfit_core::table::Pins;
use contextfit_core::trigger::Trigger;

use crate::overflow::Size;

/// What holds for all requests of a fitter.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) enabled: bool,
    pub(crate) budget: BudgetRules,
    pub(crate) soft_trigger: Option<Trigger>,
    pub(crate) hard_trigger: Option<Trigger>,
    pub(crate) schemas: Schemas,
    pub(crate) unknown_window: UnknownWindow,
    pub(crate) pins: Pins,
    pub(crate) summary_bound: SummaryBound,
    pub(crate) split_turn: SplitTurn,
    pub(crate) clip_tool_results: bool,
    pub(crate) clip_user_messages: bool,
    pub(crate) least_gain: f64,
    pub(crate) failed_summary: FailedSummary,
    pub(crate) durable_summaries: bool,
    pub(crate) when_stuck: WhenStuck,
    pub(crate) oversized_fixed_part: OversizedFixedPart,
    pub(crate) replay: Replay,
    pub(crate) without_numbers: WithoutNumbers,
    pub(crate) lower_output_first: bool,
    pub(crate) resend_unchanged: bool,
}

impl Settings {
    /// A draft that doesn't make a request fit must free this share of the messages, unless set.
    pub(crate) const LEAST_GAIN: f64 = 0.05;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            budget: BudgetRules::default(),
            soft_trigger: None,
            hard_trigger: None,
            schemas: Schemas::default(),
            unknown_window: UnknownWindow::default(),
            pins: Pins::BOTH,
            summary_bound: SummaryBound::default(),
            split_turn: SplitTurn::default(),
            clip_tool_results: true,
            clip_user_messages: false,
            least_gain: Self::LEAST_GAIN,
            failed_summary: FailedSummary::default(),
            durable_summaries: false,
            when_stuck: WhenStuck::default(),
            oversized_fixed_part: OversizedFixedPart::default(),
            replay: Replay::default(),
            without_numbers: WithoutNumbers::default(),
            lower_output_first: false,
            resend_unchanged: false,
        }
    }
}

/// What to do when there is no usable summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailedSummary {
    /// Leave the history as it is. The request is then sent, or refused, as
    /// [`WhenStuck`] says.
    #[default]
    Untouched,
    /// Leave the messages out, with a notice in their place that says how many are missing.
    /// The report marks it as degraded.
    Omit,
    /// Put a bounded raw record of the messages in their place, the newest of them first. The
    /// report marks it as degraded.
    Archive,
    /// Refuse the request, with what the summarizer said.
    Refuse,
}

/// Whether tool schemas, and whatever else stands beside the messages, count when it is decided
/// whether a compaction is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schemas {
    /// They count, because the provider counts them.
    #[default]
    Counted,
    /// They count only once one is due. For agents whose schemas are most of the prompt, and who
    /// leave it to the provider to say when all is too long.
    AfterTrigger,
}

/// What to do with a request whose model isn't known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownWindow {
    /// The [maximum](crate::FitterBuilder::max_context_tokens) that is set stands for its window.
    /// If none is set, it is refused.
    #[default]
    CallersMaximum,
    /// Refuse it, whatever is set.
    Refuse,
    /// Leave it alone: it is neither measured nor fitted, nor recovered after an overflow.
    LeaveAlone,
}

/// What the bound of a summary follows from. It is never more than a quarter of the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SummaryBound {
    /// max(1 024, ⅘ of the output of the summarizer's model), which counts as 4 096 tokens where
    /// it isn't known.
    #[default]
    OfOutput,
    /// max(1 024, ⅘ of the reserve), and at most the output of the summarizer's model and
    /// `most`, in tokens.
    OfReserve {
        /// The most tokens of a summary, whatever the reserve.
        most: u64,
    },
    /// So many tokens.
    Tokens(u64),
}

/// What to do when the cut falls inside a turn, so that its start is summarized and its end is
/// kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitTurn {
    /// One summary covers all that is cut.
    #[default]
    Together,
    /// The start of the turn gets a summary of its own, of half the length, by a second call.
    Apart,
}

/// How a request is made smaller when a provider finds it too long and gives no numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WithoutNumbers {
    /// Half of what was sent, the fixed part apart, is the limit of the second attempt. A compaction
    /// aims at its usual share of that.
    #[default]
    Half,
    /// As any request that is over its limit: to what the policy keeps. If nothing is to be cut, to
    /// what it clips; and one that was made smaller before it was sent, to half of that.
    AsUsual,
}

/// What to do with a request that is over its limit whatever is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenStuck {
    /// Send it, made as small as it can be: the estimate may be wrong, and the provider
    /// decides.
    #[default]
    Send,
    /// Refuse it, with the numbers.
    Refuse,
}

/// What to do with a request whose fixed part alone is as large as the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OversizedFixedPart {
    /// Refuse it, with the numbers.
    #[default]
    Refuse,
    /// Send it as it is: the estimate may be wrong, and the provider decides.
    Send,
}

/// When to keep a copy of a request, to resend it after an overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Replay {
    /// Always. Where text is shared between clones, a copy costs microseconds.
    #[default]
    Always,
    /// When the prompt is estimated above this share of the window. A smaller one can't be
    /// resent if the provider finds it too long after all.
    WhenAbove(f64),
    /// Never: an overflow is only reported.
    Never,
}

impl Replay {
    pub(super) fn applies(self, size: Size) -> bool {
        match self {
            Self::Always => true,
            Self::WhenAbove(share) => size.estimated > share_of(size.window, share),
            Self::Never => false,
        }
    }
}
