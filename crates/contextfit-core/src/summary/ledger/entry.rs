use super::super::{one_line, shortened_middle};

/// The most characters of an entry.
const TEXT: usize = 300;
/// The most characters of what became of a call.
const OUTCOME: usize = 80;
/// The most characters of a list's name.
const NAME: usize = 80;

/// What a list has to say of one thing.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Never empty. Two entries of one text are the same entry.
    pub(super) text: String,
    /// How the result of a call reads; empty if it isn't known.
    pub(super) outcome: String,
}

impl Entry {
    /// An entry in the one form in which it is kept; `None` if there is nothing in it.
    pub(super) fn new(text: &str) -> Option<Self> {
        let text = form(text, TEXT);
        (!text.is_empty()).then_some(Self {
            text,
            outcome: String::new(),
        })
    }

    /// Tells what became of the call.
    pub(super) fn answered(&mut self, outcome: &str) {
        // There is little room, and no use for how an outcome is laid out.
        let words: Vec<&str> = outcome.split_whitespace().collect();
        self.outcome = form(&words.join(" "), OUTCOME);
    }

    /// How much it takes to write it, in bytes.
    pub(super) fn room(&self) -> usize {
        self.text.len() + self.outcome.len()
    }
}

/// The name of a list in the one form in which it is kept: it can't pose as anything else. Empty
/// if there is nothing in it.
pub(super) fn name_form(name: &str) -> String {
    let marks = |char: char| "-[<:".contains(char) || char.is_whitespace();
    let name = form(name, NAME);
    name.trim_start_matches(marks)
        .trim_end_matches(marks)
        .to_owned()
}

/// A text in one line of at most so many characters, that closes no element. What is in this form
/// stays as it is.
fn form(text: &str, most: usize) -> String {
    shortened_middle(&one_line(text).replace("</", r"<\/"), most)
}
