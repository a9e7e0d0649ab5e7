use contextfit::estimate::{Measured, measure};
use contextfit::request::{Conversation, Piece, Role, Str};

use crate::counter::Counter;
use crate::input::{Content, Document};

/// What one file costs, by each estimator.
pub(super) struct Counts {
    /// The file.
    pub(super) name: String,
    /// Tokens of all of it, in the order of the estimators.
    pub(super) totals: Vec<u64>,
    /// Each message; none of a plain text.
    pub(super) messages: Vec<MessageCounts>,
    /// What stands beside the messages, by each estimator.
    pub(super) beside: Vec<u64>,
}

/// What one message costs, by each estimator.
pub(super) struct MessageCounts {
    pub(super) role: Role,
    pub(super) tokens: Vec<u64>,
}

impl Counts {
    pub(super) fn of(document: &Document, counters: &[Counter]) -> Self {
        let name = document.name.clone();
        match &document.content {
            Content::Text(text) => Self {
                name,
                totals: counters.iter().map(|counter| counter.text(text)).collect(),
                messages: Vec::new(),
                beside: vec![0; counters.len()],
            },
            Content::Conversation(request) => {
                let measured: Vec<Measured> = counters
                    .iter()
                    .map(|counter| measure(request, &*counter.estimator))
                    .collect();
                let message = |index: usize| MessageCounts {
                    role: request.message(index).role,
                    tokens: measured.iter().map(|all| all.each[index].all).collect(),
                };
                Self {
                    name,
                    totals: measured.iter().map(Measured::prompt).collect(),
                    messages: (0..request.len()).map(message).collect(),
                    beside: measured.iter().map(|all| all.beside).collect(),
                }
            }
        }
    }
}

impl Counter {
    /// Whole tokens of a text by itself.
    fn text(&self, text: &str) -> u64 {
        let count = self.estimator.count(Piece::Text(Str::plain(text)));
        count.floor()
    }
}
