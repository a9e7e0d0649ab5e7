use contextfit_core::budget::BudgetRules;
use contextfit_core::table::Pins;

use crate::overflow::Size;

/// What holds for all requests of a fitter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) enabled: bool,
    pub(crate) budget: BudgetRules,
    pub(crate) pins: Pins,
    pub(crate) summary_tokens: Option<u64>,
    pub(crate) clip_tool_results: bool,
    pub(crate) clip_user_messages: bool,
    pub(crate) least_gain: f64,
    pub(crate) failed_summary: FailedSummary,
    pub(crate) when_stuck: WhenStuck,
    pub(crate) oversized_fixed_part: OversizedFixedPart,
    pub(crate) replay: Replay,
}

impl Settings {
    /// A draft that doesn't fit must free this share of the messages, unless set.
    pub(crate) const LEAST_GAIN: f64 = 0.05;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            budget: BudgetRules::default(),
            pins: Pins::BOTH,
            summary_tokens: None,
            clip_tool_results: true,
            clip_user_messages: false,
            least_gain: Self::LEAST_GAIN,
            failed_summary: FailedSummary::default(),
            when_stuck: WhenStuck::default(),
            oversized_fixed_part: OversizedFixedPart::default(),
            replay: Replay::default(),
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
    #[expect(clippy::cast_precision_loss, reason = "a share needs no exact numbers")]
    pub(super) fn applies(self, size: Size) -> bool {
        match self {
            Self::Always => true,
            Self::WhenAbove(share) => size.estimated as f64 > size.window as f64 * share,
            Self::Never => false,
        }
    }
}
