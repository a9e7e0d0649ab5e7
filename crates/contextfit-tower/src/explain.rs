//! What a fit would do to a request, and why.

use contextfit_core::budget::Budget;
use contextfit_core::cut::Fate;
use contextfit_core::request::{PieceKind, Role};

use crate::{FitError, Reason};

/// What a fit would do to a request, worked out without any call. Made by
/// [`Fitter::explain`](crate::Fitter::explain).
///
/// All sizes are estimates, in tokens.
#[derive(Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The model the request names.
    pub model: Option<String>,
    /// What the request may use; `None` if nothing is left to use, or nothing is known of its model.
    pub budget: Option<Budget>,
    /// Tokens of the whole prompt as it is.
    pub tokens_before: u64,
    /// The most tokens of the whole prompt as it would be sent.
    pub tokens_after: u64,
    /// Tokens of what stands beside the messages: tool schemas, the schema of the response, a
    /// system prompt that is no message.
    pub beside: u64,
    /// Tokens that a provider counted for this conversation, and that are nowhere to be seen.
    pub hidden: u64,
    /// What would become of the request.
    pub outcome: Outcome,
    /// What would become of each message, in order.
    pub messages: Vec<ExplainedMessage>,
    /// The summary that would be asked for; `None` if there would be no call.
    pub summary: Option<ExpectedSummary>,
}

/// What would become of a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// It is left alone: it asks for that, its history is elsewhere, fitting is off, or its model isn't known and such
    /// requests are left alone.
    LeftAlone,
    /// It fits, and is sent as it is.
    Fits,
    /// It is changed, for this reason.
    Changed(Reason),
    /// It is over its limit, nothing helps, and it is sent as it is.
    Stuck,
    /// It is refused, and no provider is called.
    Refused(FitError),
}

/// A summary that would be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpectedSummary {
    /// How many messages it would cover.
    pub messages: usize,
    /// The most tokens it may have.
    pub max_tokens: u64,
    /// How many calls of the summarizer that takes if all goes well: more than one where it is
    /// longer than the summarizer's [window](crate::Summarizer::window), or in two
    /// [parts](crate::SplitTurn::Apart). Of a chain by
    /// [`or_else`](crate::SummarizerExt::or_else) the windows aren't known here: it is one call.
    pub calls: usize,
}

/// What would become of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedMessage {
    /// Who speaks.
    pub role: Role,
    /// What it costs.
    pub tokens: u64,
    /// What of that is which kind of piece, rounded down. What is left is the message's own
    /// overhead.
    pub kinds: Vec<(PieceKind, u64)>,
    /// What it costs if it is kept, clipped or not; 0 if it is cut.
    pub tokens_after: u64,
    /// The number of its group, from 0. Messages of a group stay or go together.
    pub group: usize,
    /// The number of its turn: 0 before the first user message.
    pub turn: usize,
    /// What becomes of it. Where nobody is there to summarize it, it is dropped.
    pub fate: Fate,
    /// Why.
    pub why: Why,
}

/// Why a message is kept, clipped or cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Why {
    /// Kept: nothing has to go.
    NothingHasToGo,
    /// Kept: standing instructions are never cut.
    Instructions,
    /// Kept: it is the task, the first message of the user, and pinned.
    Task,
    /// Kept: it is the last message of the user, and pinned.
    LastUser,
    /// Kept: the request pins it.
    Marked,
    /// Kept: it is in the newest group, which somebody has to answer.
    Newest,
    /// Kept: another message of its group has to stay.
    Group,
    /// Kept: the policy cuts it, and that gains too little.
    NotWorthIt,
    /// Kept: the policy keeps it.
    Policy,
    /// Kept: whatever goes, the request doesn't fit, so nothing goes.
    NothingHelps,
    /// Clipped or cut: so the policy says.
    PolicyCuts,
    /// Clipped or cut: what the policy does isn't enough.
    NotEnough,
    /// Cut: it is the summary of an earlier compaction, and goes into the new one.
    EarlierSummary,
}

impl Why {
    /// The reason in a few words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NothingHasToGo => "nothing has to go",
            Self::Instructions => "instructions are never cut",
            Self::Task => "the task, pinned",
            Self::LastUser => "the last user message, pinned",
            Self::Marked => "pinned by the request",
            Self::Newest => "the newest group",
            Self::Group => "its group has to stay",
            Self::NotWorthIt => "cutting it gains too little",
            Self::Policy => "the policy keeps it",
            Self::NothingHelps => "nothing that may go is enough",
            Self::PolicyCuts => "by the policy",
            Self::NotEnough => "to fit: the policy's cut isn't enough",
            Self::EarlierSummary => "an earlier summary, goes into the new one",
        }
    }
}
