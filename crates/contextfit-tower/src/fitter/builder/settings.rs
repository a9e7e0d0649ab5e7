use contextfit_core::budget::OversizedOutput;
use contextfit_core::table::Pins;
use contextfit_core::trigger::Trigger;

use super::FitterBuilder;
use crate::{
    FailedSummary, OversizedFixedPart, Replay, Schemas, SplitTurn, SummaryBound, UnknownWindow,
    WhenStuck, WithoutNumbers,
};

/// Settings.
impl<A> FitterBuilder<A> {
    /// Whether requests are fitted before they are sent. Off, they are sent untouched, and no summary
    /// is asked for before that. Recovery from an overflow is a switch of its own, see
    /// [`replay`](Self::replay): where a layer has it, the second attempt is fitted all the same.
    #[must_use]
    pub const fn enabled(mut self, enabled: bool) -> Self {
        self.settings.enabled = enabled;
        self
    }

    /// The most tokens of any window to use.
    #[must_use]
    pub const fn max_context_tokens(mut self, tokens: u64) -> Self {
        self.settings.budget.max_context = Some(tokens);
        self
    }

    /// Tokens kept free for the reply when the request asks for fewer. min(16 384, window ⁄ 4)
    /// unless set.
    #[must_use]
    pub const fn reserve(mut self, tokens: u64) -> Self {
        self.settings.budget.reserve = Some(tokens);
        self
    }

    /// What to do when the output that a request asks for leaves no room for its messages.
    #[must_use]
    pub const fn oversized_output(mut self, action: OversizedOutput) -> Self {
        self.settings.budget.oversized_output = action;
        self
    }

    /// The share of the limit that a compaction aims at: above 0, at most 1. Half unless set,
    /// so that the requests that follow fit without another one.
    #[must_use]
    pub const fn target(mut self, share: f64) -> Self {
        self.settings.budget.target = share;
        self
    }

    /// Tokens kept free beside the output that a request asks for, at most a sixteenth of the
    /// ceiling. 0 unless set.
    #[must_use]
    pub const fn output_margin(mut self, tokens: u64) -> Self {
        self.settings.budget.margin = tokens;
        self
    }

    /// The most messages of a request, system messages included, for providers that count them.
    /// A bound beside the limit in tokens; a compaction aims at the same share of it.
    #[must_use]
    pub const fn max_messages(mut self, messages: usize) -> Self {
        self.settings.budget.max_messages = Some(messages);
        self
    }

    /// When a request that is within its limit is worth compacting all the same. If that fails, or
    /// frees less than the [least gain](Self::least_gain), it is sent as it is; and after a failure
    /// it isn't tried again before a quarter more is to be summarized. Never unless set.
    ///
    /// ```
    /// use contextfit_core::trigger::Trigger;
    /// use contextfit_tower::Fitter;
    ///
    /// // Tried above three quarters of what fits, and made above nine tenths.
    /// let fitter = Fitter::builder()
    ///     .window(200_000)
    ///     .soft_trigger(Trigger::Share(0.75))
    ///     .hard_trigger(Trigger::Share(0.9))
    ///     .build()?;
    /// # Ok::<(), contextfit_tower::ConfigError>(())
    /// ```
    #[must_use]
    pub fn soft_trigger(mut self, trigger: Trigger) -> Self {
        self.settings.soft_trigger = Some(trigger);
        self
    }

    /// When a request that is within its limit is compacted as if it weren't: without a usable
    /// summary, what is set for a [failed one](Self::failed_summary) is done. Never unless set.
    #[must_use]
    pub fn hard_trigger(mut self, trigger: Trigger) -> Self {
        self.settings.hard_trigger = Some(trigger);
        self
    }

    /// Whether what stands beside the messages counts when it is decided whether a compaction is
    /// due.
    #[must_use]
    pub const fn schemas(mut self, schemas: Schemas) -> Self {
        self.settings.schemas = schemas;
        self
    }

    /// What to do with a request whose model isn't known.
    #[must_use]
    pub const fn unknown_window(mut self, action: UnknownWindow) -> Self {
        self.settings.unknown_window = action;
        self
    }

    /// Which messages stay verbatim by their place.
    #[must_use]
    pub const fn pins(mut self, pins: Pins) -> Self {
        self.settings.pins = pins;
        self
    }

    /// The most tokens of a summary: [`SummaryBound::Tokens`].
    #[must_use]
    pub const fn summary_tokens(self, tokens: u64) -> Self {
        self.summary_bound(SummaryBound::Tokens(tokens))
    }

    /// What the most tokens of a summary follow from.
    #[must_use]
    pub const fn summary_bound(mut self, bound: SummaryBound) -> Self {
        self.settings.summary_bound = bound;
        self
    }

    /// What to do when the cut falls inside a turn.
    #[must_use]
    pub const fn split_turn(mut self, action: SplitTurn) -> Self {
        self.settings.split_turn = action;
        self
    }

    /// Whether tool results in kept messages are clipped where what the policy does isn't enough.
    /// On unless set. What the policy clips is its own affair.
    #[must_use]
    pub const fn clip_tool_results(mut self, clip: bool) -> Self {
        self.settings.clip_tool_results = clip;
        self
    }

    /// Whether a message of the user that is kept, or pinned, may be clipped as a last resort.
    /// Off unless set: then such a request is [stuck](WhenStuck).
    #[must_use]
    pub const fn clip_user_messages(mut self, clip: bool) -> Self {
        self.settings.clip_user_messages = clip;
        self
    }

    /// The share of the messages' tokens that a compaction must free unless it is what makes the
    /// request fit; one that frees less isn't paid for. 0.05 unless set.
    #[must_use]
    pub const fn least_gain(mut self, share: f64) -> Self {
        self.settings.least_gain = share;
        self
    }

    /// What to do when there is no usable summary.
    #[must_use]
    pub const fn failed_summary(mut self, action: FailedSummary) -> Self {
        self.settings.failed_summary = action;
        self
    }

    /// Whether histories with summaries in them are stored, or read by other processes. If they are,
    /// [`summary_keys`](Self::summary_keys) have to be supplied; a fitter without them isn't built. Off
    /// unless set.
    #[must_use]
    pub const fn durable_summaries(mut self, durable: bool) -> Self {
        self.settings.durable_summaries = durable;
        self
    }

    /// What to do with a request that is over its limit whatever is cut.
    #[must_use]
    pub const fn when_stuck(mut self, action: WhenStuck) -> Self {
        self.settings.when_stuck = action;
        self
    }

    /// What to do with a request whose fixed part alone is as large as the window.
    #[must_use]
    pub const fn oversized_fixed_part(mut self, action: OversizedFixedPart) -> Self {
        self.settings.oversized_fixed_part = action;
        self
    }

    /// When to keep a copy of a request, to resend it after an overflow.
    #[must_use]
    pub const fn replay(mut self, replay: Replay) -> Self {
        self.settings.replay = replay;
        self
    }

    /// How a request is made smaller when a provider finds it too long and gives no numbers.
    #[must_use]
    pub const fn without_numbers(mut self, action: WithoutNumbers) -> Self {
        self.settings.without_numbers = action;
        self
    }

    /// Whether a request is sent again asking for less output, with all of its messages, where the
    /// provider says that only prompt and output together are too long, and what it has room for is
    /// worth it: half of the output that was asked for, or as much as the [reserve](Self::reserve).
    /// If not, or if the request type can't carry it, the messages are made smaller.
    ///
    /// Off unless set, because what a caller asks for is meant: an answer that has to be so long may
    /// be cut off then. On, the history stays whole, no summary is paid for, and the provider's prompt
    /// cache holds. It concerns only a request that was sent as the caller gave it; what is asked for
    /// before sending is the affair of [`oversized_output`](Self::oversized_output).
    #[must_use]
    pub const fn lower_output_first(mut self, lower: bool) -> Self {
        self.settings.lower_output_first = lower;
        self
    }

    /// Whether a request that overflowed as the caller gave it, and can't be made smaller, is sent
    /// once more. Off unless set: the provider would find it too long again, and be paid for it.
    #[must_use]
    pub const fn resend_unchanged(mut self, resend: bool) -> Self {
        self.settings.resend_unchanged = resend;
        self
    }
}
