use super::{BudgetError, Window};

/// The settings a [`Budget`](super::Budget) follows from, beside the model's window and the request.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BudgetRules {
    /// The most tokens of the window to use, whatever the model can hold.
    pub max_context: Option<u64>,
    /// Tokens kept free for the reply when the request asks for fewer. Unless set:
    /// min(16 384, window ⁄ 4, the model's own limit of output), and at most half of what the fixed
    /// part leaves, so that a reserve nobody asked for never is what makes a request impossible.
    pub reserve: Option<u64>,
    /// What to do when the output that the request asks for is what doesn't fit.
    pub oversized_output: OversizedOutput,
    /// Tokens kept free beside the output that a request asks for, at most a sixteenth of the
    /// ceiling and a quarter of what the fixed part leaves. They count only where that is what the reserve follows from. 0 unless set.
    pub margin: u64,
    /// The share of the limit that a compaction aims at, above 0 and at most 1.
    pub target: f64,
    /// The most messages of a request, system messages included, beside the limit in tokens.
    /// Unbounded unless set.
    pub max_messages: Option<usize>,
}

impl BudgetRules {
    /// The most that is reserved for a reply unless set.
    pub const RESERVE: u64 = 16_384;
    /// The share of the limit that a compaction aims at unless set.
    pub const TARGET: f64 = 0.5;

    /// The most tokens a request may use: min(window, `max_context`).
    #[must_use]
    pub fn ceiling(&self, window: Window) -> u64 {
        self.max_context
            .map_or(window.total, |most| most.min(window.total))
    }

    /// The tokens kept free for a reply however little a request asks for.
    #[must_use]
    pub fn reserve_floor(&self, window: Window) -> u64 {
        self.reserve.unwrap_or_else(|| {
            let most = Self::RESERVE.min(self.ceiling(window) / 4);
            window.output.map_or(most, |output| output.min(most))
        })
    }

    /// Checks the rules against a window, before any request.
    ///
    /// # Errors
    ///
    /// The window is empty, or the reserve leaves nothing of it.
    pub fn check(&self, window: Window) -> Result<(), BudgetError> {
        let (ceiling, reserve) = (self.ceiling(window), self.reserve_floor(window));
        if ceiling == 0 || window.input == Some(0) {
            Err(BudgetError::EmptyWindow)
        } else if self.max_messages == Some(0) {
            Err(BudgetError::NoMessages)
        } else if reserve >= ceiling {
            Err(BudgetError::ReserveTooLarge { reserve, ceiling })
        } else {
            Ok(())
        }
    }
}

impl Default for BudgetRules {
    fn default() -> Self {
        Self {
            max_context: None,
            reserve: None,
            oversized_output: OversizedOutput::default(),
            margin: 0,
            target: Self::TARGET,
            max_messages: None,
        }
    }
}

/// What to do when the fixed part fits, but not beside the output that the request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OversizedOutput {
    /// Refuse the request, with the numbers.
    #[default]
    Refuse,
    /// Keep a quarter of the room that the fixed part leaves for the messages, and ask for as
    /// much output as they then leave.
    Lower,
}
