//! What one fit did to a request.

use std::fmt;

use std::sync::Arc;

use contextfit_core::plan::Plan;

use crate::Usage;

/// What one fit did to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FitReport {
    /// Why the request was fitted.
    pub reason: Reason,
    /// The model the request names.
    pub model: Option<String>,
    /// Tokens of the whole prompt before, as estimated.
    pub tokens_before: u64,
    /// Tokens of the whole prompt after, as estimated.
    pub tokens_after: u64,
    /// The most tokens the prompt was allowed.
    pub limit: u64,
    /// The most messages it was allowed; [`usize::MAX`] if they aren't bounded.
    pub max_messages: usize,
    /// Messages that a summary stands for now and didn't before. Those of a summary that was carried
    /// on aren't counted again; its [`Envelope`](contextfit_core::summary::Envelope) has the total.
    pub summarized: usize,
    /// Messages of which a raw record stands, because there was no usable summary.
    pub archived: usize,
    /// Messages that were left out without a summary: nobody is there to write one, or a policy
    /// drops them, or the summarizer couldn't read them.
    pub omitted: usize,
    /// Messages that were kept with some of their text clipped.
    pub clipped: usize,
    /// Messages that were kept as they are.
    pub kept: usize,
    /// Whether anything that was to be summarized is in no summary: there is none, a raw record
    /// stands for it, or the summarizer couldn't read it. Not for what a policy drops on purpose.
    pub degraded: bool,
    /// Whether the cut falls inside a turn: the start of it is gone, the rest is kept.
    pub split_turn: bool,
    /// Calls of the summarizer, those that came to nothing included.
    pub summarizer_calls: u32,
    /// How many of these came to nothing: they failed, or what they wrote was refused. Where there is
    /// a summary all the same, another call or another summarizer made up for them.
    pub summarizer_failures: u32,
    /// Who wrote the summary, or its first part where it has two: a [model](crate::Summary::model), if
    /// that is known.
    pub summarizer_model: Option<Arc<str>>,
    /// What these calls cost, as far as the summarizer knows.
    pub summarizer_usage: Option<Usage>,
    /// The edits, to be applied to the caller's own copy of the history.
    pub plan: Plan,
}

impl FitReport {
    /// Whether the prompt is within its limit now, in tokens.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.tokens_after <= self.limit && self.messages_after() <= self.max_messages
    }

    /// Whether it is what a recovery did, after the provider found the request too long.
    #[must_use]
    pub fn is_recovery(&self) -> bool {
        self.reason == Reason::Overflow
    }

    /// How many messages the request has now.
    #[must_use]
    pub fn messages_after(&self) -> usize {
        self.plan.cut().messages_after()
    }
}

/// Why a request was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It was over its limit before it was sent, in tokens or in messages.
    OverLimit,
    /// The provider found it too long.
    Overflow,
    /// The request asked for it.
    Forced,
    /// It was within its limit, and a [trigger](contextfit_core::trigger::Trigger) was met.
    Trigger,
}

impl Reason {
    /// Its name in `snake_case`, as traces and metrics have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OverLimit => "over_limit",
            Self::Overflow => "overflow",
            Self::Forced => "forced",
            Self::Trigger => "trigger",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
