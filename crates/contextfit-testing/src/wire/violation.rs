use std::fmt;

/// What a body breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The place in the body: `messages[3].content[0].text`.
    pub place: String,
    /// The rule that is broken there.
    pub rule: Rule,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.rule)
    }
}

/// A rule that providers have for the conversations they take.
///
/// The same rule is worded differently by each. Which of them a format has, and where that is
/// written, stands beside the checks of that format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// A conversation holds a message.
    #[error("there must be at least one message")]
    NoMessages,
    /// A field that is needed is there, and of a type that is taken.
    #[error("is missing, or not of a form that is taken here")]
    Form,
    /// A message is of a role that the format knows.
    #[error("no message has this role")]
    Role,
    /// Content is of a kind that its message may hold.
    #[error("content of this kind can't stand here")]
    Kind,
    /// The user speaks first.
    #[error("the first message must be the user's")]
    FirstRole,
    /// User and model take turns.
    #[error("user and model must take turns")]
    Alternation,
    /// Content isn't an empty list or string.
    #[error("content must not be empty")]
    Empty,
    /// Text isn't empty or white space only.
    #[error("text must not be blank")]
    Blank,
    /// A call has its result where results must stand.
    #[error("a call must have its result right after it")]
    OpenCall,
    /// A result answers a call that stands where calls must stand.
    #[error("a result must answer a call right before it")]
    StrayResult,
    /// A call has one result.
    #[error("a call must have only one result")]
    SecondResult,
    /// Ids that must differ do.
    #[error("this id must be used only once")]
    RepeatedId,
    /// An id has the characters that ids may have.
    #[error("ids consist of letters, digits, `_` and `-`")]
    IdCharacters,
    /// Results come before anything else in their message.
    #[error("results must come first in their message")]
    ResultsFirst,
    /// Nothing is said after a call in the message of the call.
    #[error("no text can stand after a call")]
    TextAfterCall,
    /// A turn with calls comes after the user or after results.
    #[error("a turn with calls must come right after the user's, or after results")]
    CallTurn,
    /// Thinking comes first in its message.
    #[error("thinking must come first")]
    ThinkingFirst,
    /// Thinking doesn't end its message.
    #[error("thinking can't be the last of its message")]
    ThinkingLast,
    /// Thinking stands only where it is asked for.
    #[error("thinking can't stand in the last message while it is switched off")]
    ThinkingOff,
    /// Thinking and calls keep the signature they came with.
    #[error("the signature must be kept")]
    Signature,
    /// Reasoning is followed by what came of it.
    #[error("reasoning must be followed by what the model made of it")]
    ReasoningAlone,
    /// There are four cache marks at most.
    #[error("there must be four cache marks at most")]
    TooManyMarks,
    /// A cache mark stands where one may stand.
    #[error("a cache mark can't stand here")]
    MarkPlace,
    /// A mark that lasts an hour comes before those that last five minutes.
    #[error("cache marks for an hour must come before those for five minutes")]
    MarkOrder,
    /// The start of the reply doesn't end in white space.
    #[error("what the model is to go on from can't end in white space")]
    TrailingSpace,
    /// The output is limited, to more than the model may think.
    #[error("the output must be limited, to more tokens than may be thought")]
    OutputLimit,
    /// Tools are declared where calls or results stand.
    #[error("tools must be declared where calls or results stand")]
    NoTools,
}
