use contextfit_core::request::{Media, Role};

use super::json::Span;

/// Where in a body everything stands that is counted, or edited.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The model that the body names.
    pub(super) model: Option<String>,
    pub(super) messages: Vec<Message>,
    /// The pieces of all messages, one message after the other.
    pub(super) pieces: Vec<Entry>,
    /// The ties of all messages, one message after the other.
    pub(super) ties: Vec<Tie>,
    /// What is sent beside the messages.
    pub(super) fixed: Vec<Entry>,
    /// The array that the messages stand in, brackets included. `None` where there is a lone
    /// text in its place.
    pub(super) list: Option<Span>,
    /// The last message that stands for all before it: a summary of the provider's own. One of
    /// ours is read only after it.
    pub(super) compacted: Option<usize>,
    /// The output that is asked for, in tokens, and every place that says so.
    pub(super) output: Vec<(u32, Span)>,
    /// How much of that output may be thought, in tokens, where it has to be less than all of it.
    pub(super) thought: Option<(u32, Span)>,
    /// Whether the body says that the provider has the history.
    pub(super) is_elsewhere: bool,
}

/// One message of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) span: Span,
    /// Its content, where the message can be joined with another.
    pub(super) said: Option<Span>,
    /// Whether it has more than a role and that content.
    pub(super) has_more: bool,
    /// Whether it means nothing without the next one.
    pub(super) binds_next: bool,
    /// Whether it has to stay, whatever a policy says.
    pub(super) is_pinned: bool,
    /// How many pieces there are up to its end.
    pieces: u32,
    /// How many ties there are up to its end.
    ties: u32,
}

/// A piece of a message.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Speaker(Span),
    Text(Span),
    Thinking(Span),
    Call {
        id: Span,
        name: Span,
        arguments: Span,
    },
    Result {
        id: Span,
        name: Span,
        content: Span,
    },
    Schema(Span),
    Media(Box<Media<'static>>),
    Opaque(Span),
}

/// A tie of a message to another.
#[derive(Clone, Debug)]
pub(super) enum Tie {
    Calls(Id),
    Answers(Id),
}

/// What a call and its result know each other by.
#[derive(Clone, Debug)]
pub(super) enum Id {
    At(Span),
    /// One that isn't written, or not as it is.
    Made(Box<str>),
}

impl Id {
    /// The id that is written somewhere.
    pub(super) fn at(span: Span, body: &str) -> Self {
        // Two ways to write an id are the same id.
        if span.written(body).contains('\\') {
            Self::Made(span.text(body).decode().into())
        } else {
            Self::At(span)
        }
    }

    pub(super) fn get<'a>(&'a self, body: &'a str) -> &'a str {
        match self {
            Self::At(span) => span.written(body),
            Self::Made(id) => id,
        }
    }
}

impl Index {
    /// Ends a message: what was added since the last one is its own.
    pub(super) fn end_message(&mut self, role: Role, span: Span, said: Option<Span>) {
        let [pieces, ties] = [self.pieces.len(), self.ties.len()]
            // There are no more of them than bytes.
            .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        self.messages.push(Message {
            role,
            span,
            said,
            has_more: false,
            binds_next: false,
            is_pinned: false,
            pieces,
            ties,
        });
    }

    /// Says whether the last message has more than a role and its content.
    pub(super) fn last_has_more(&mut self, has_more: bool) {
        if let Some(last) = self.messages.last_mut() {
            last.has_more = has_more;
        }
    }

    /// Where the pieces of the message that is being read begin.
    pub(super) fn start_of_message(&self) -> usize {
        self.messages.last().map_or(0, |last| last.pieces as usize)
    }

    pub(super) fn pieces_of(&self, message: usize) -> &[Entry] {
        let range = self.range(message, |message| message.pieces);
        self.pieces.get(range).unwrap_or_default()
    }

    pub(super) fn ties_of(&self, message: usize) -> &[Tie] {
        let range = self.range(message, |message| message.ties);
        self.ties.get(range).unwrap_or_default()
    }

    fn range(&self, message: usize, end: impl Fn(&Message) -> u32) -> std::ops::Range<usize> {
        let before = message.checked_sub(1);
        let start = before.and_then(|before| self.messages.get(before));
        let start = start.map_or(0, &end) as usize;
        start..self.messages.get(message).map_or(0, end) as usize
    }

    pub(super) fn max_output(&self) -> Option<u32> {
        self.output.iter().map(|(tokens, _)| *tokens).max()
    }
}
