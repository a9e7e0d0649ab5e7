use contextfit_core::request::{Conversation, Link, MessageRef, Piece};

use super::WireRequest;
use super::index::{Entry, Tie};
use super::json::Span;

impl Conversation for WireRequest {
    fn model(&self) -> Option<&str> {
        self.model_name()
    }

    fn len(&self) -> usize {
        self.index.messages.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        let message = &self.index.messages[index];
        MessageRef::new(message.role).pinned(message.is_pinned)
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        for tie in self.index.ties_of(index) {
            visit(match tie {
                Tie::Calls(id) => Link::Calls(id.get(&self.body)),
                Tie::Answers(id) => Link::Answers(id.get(&self.body)),
            });
        }
        if self.index.messages[index].binds_next {
            visit(Link::BindsNext);
        }
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        for entry in self.index.pieces_of(index) {
            visit(entry.piece(&self.body));
        }
    }

    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        for entry in &self.index.fixed {
            visit(entry.piece(&self.body));
        }
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.index.max_output()
    }
}

impl Entry {
    fn piece<'a>(&self, body: &'a str) -> Piece<'a> {
        let text = |span: Span| span.text(body);
        match *self {
            Self::Speaker(name) => Piece::Speaker(text(name)),
            Self::Text(said) => Piece::Text(text(said)),
            Self::Thinking(thought) => Piece::Thinking(text(thought)),
            Self::Call {
                id,
                name,
                arguments,
            } => Piece::ToolCall {
                id: text(id),
                name: text(name),
                arguments: text(arguments),
            },
            Self::Result { id, name, content } => Piece::ToolResult {
                call_id: text(id),
                name: text(name),
                content: text(content),
            },
            Self::Schema(schema) => Piece::Schema(text(schema)),
            Self::Media(ref media) => Piece::Media(**media),
            Self::Opaque(value) => Piece::Opaque(text(value)),
        }
    }

    /// The text that a clip of this piece replaces, where there is one.
    pub(super) fn clippable(&self) -> Option<Span> {
        match *self {
            Self::Text(text) | Self::Result { content: text, .. } => Some(text),
            _ => None,
        }
        .filter(|text| text.is_literal())
    }
}
