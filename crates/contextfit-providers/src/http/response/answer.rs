use bytes::Bytes;
use contextfit_tower::Usage;

use super::document::Meaning;
use super::documents::{Documents, Heard};
use crate::usage::ResponseUsage;

/// Bytes of an error that are read, from its start.
pub(super) const LONGEST_ERROR: usize = 64 * 1024;

/// What the start of a response says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It goes on: some of it is there, or more of it than is held back.
    Begun,
    /// It is complete, and none of it was handed on.
    Complete,
    /// It ended before anything was in it, and nothing says that this is all.
    Empty,
    /// There is none; this is what the provider says.
    Error(Bytes),
}

/// Reads a response beside whoever consumes it.
#[derive(Debug, Default)]
pub(super) struct AnswerReader {
    documents: Documents,
    /// Whether each document is one of several, though it stands alone.
    in_lines: bool,
    usage: ResponseUsage,
    answer: Option<Answer>,
    is_complete: bool,
    has_failed: bool,
    /// An error after the answer had begun.
    late_error: Option<Bytes>,
}

impl AnswerReader {
    pub(super) fn new(in_lines: bool) -> Self {
        Self {
            in_lines,
            ..Self::default()
        }
    }

    /// Reads a piece of the body.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        let mut documents = std::mem::take(&mut self.documents);
        documents.read(bytes, |heard| self.hear(heard));
        self.documents = documents;
    }

    /// The body is over. `text` is how it began, for one that is plain text.
    pub(super) fn finish(&mut self, text: Bytes) {
        let mut documents = std::mem::take(&mut self.documents);
        documents.finish(|heard| self.hear(heard));
        if documents.is_foreign() && self.answer.is_none() {
            self.decide(Answer::Error(text));
        }
        self.end();
    }

    /// Decides, unless that was done before.
    pub(super) fn decide(&mut self, answer: Answer) {
        self.answer.get_or_insert(answer);
    }

    pub(super) const fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }

    /// What the provider counted so far; nothing, if it failed: then it counted no more.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.usage.usage().filter(|_| !self.has_failed)
    }

    pub(super) const fn late_error(&self) -> Option<&Bytes> {
        self.late_error.as_ref()
    }

    /// Whether the answer is over, by its own word or with an error.
    pub(super) const fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn hear(&mut self, heard: Heard<'_>) {
        let Some(data) = heard.data else {
            self.decide(Answer::Begun);
            return;
        };
        let is_whole = heard.is_alone && !self.in_lines;
        match Meaning::of(heard.event, data, &mut self.usage) {
            Meaning::Error(error) => {
                let head = error.get(..LONGEST_ERROR).unwrap_or(error);
                let error = Bytes::copy_from_slice(head);
                if self.answer.is_none() {
                    self.answer = Some(Answer::Error(error));
                } else {
                    self.late_error.get_or_insert(error);
                }
                self.is_complete = true;
                self.has_failed = true;
            }
            _ if is_whole => {
                self.decide(Answer::Complete);
                self.is_complete = true;
            }
            Meaning::End => self.end(),
            Meaning::Content => self.decide(Answer::Begun),
            Meaning::Bookkeeping => {}
        }
    }

    fn end(&mut self) {
        self.decide(match self.usage.stop() {
            Some(_) => Answer::Complete,
            None => Answer::Empty,
        });
        self.is_complete = true;
    }
}
