use contextfit_core::estimate::Estimator;
use contextfit_core::plan::SummaryCost;
use contextfit_core::summary::with_turn_start;

use super::settings::SummaryBound;
use crate::tokens::text_tokens;

/// How the bound of a summary is shared where the start of a turn has one of its own.
pub(super) struct Shares {
    pub(super) history: u64,
    pub(super) turn_start: u64,
}

impl Shares {
    /// The start of a turn may have so many tokens, however few the history has.
    const LEAST_TURN_START: u64 = 512;

    /// `set` is the setting that the bound follows from.
    pub(super) fn of(bound: u64, set: SummaryBound, estimator: &dyn Estimator) -> Self {
        let bound = bound.saturating_sub(Self::heading(estimator));
        let mut history = bound - bound / 3;
        if let SummaryBound::Tokens(most) = set {
            history = history.min(most);
        }
        Self {
            history,
            turn_start: bound - history,
        }
    }

    /// The bound of both together, where the history alone may have so many tokens.
    pub(super) fn together(history: u64, estimator: &dyn Estimator) -> u64 {
        history
            .saturating_add((history / 2).max(Self::LEAST_TURN_START))
            .saturating_add(Self::heading(estimator))
    }

    /// Whether each is worth asking for.
    pub(super) const fn are_enough(&self) -> bool {
        self.history >= SummaryCost::LEAST && self.turn_start >= SummaryCost::LEAST
    }

    /// What stands between the two, in tokens.
    fn heading(estimator: &dyn Estimator) -> u64 {
        text_tokens(estimator, &with_turn_start("", "-"))
    }
}
