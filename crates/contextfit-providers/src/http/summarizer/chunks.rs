//! What a model says, out of bytes that come in any pieces.

use std::collections::VecDeque;

use contextfit_tower::{Stop, SummaryChunk, Usage};
use serde_json::Value;

use super::HttpSummaryError;
use super::said::Said;
use crate::http::response::{Documents, Heard, LONGEST, Meaning};
use crate::usage::ResponseUsage;
use crate::wire::WireFormat;

/// Reads the documents of an answer: a plain one, or the events of a stream.
pub(super) struct Chunks {
    format: WireFormat,
    documents: Documents,
    usage: ResponseUsage,
    told_usage: Option<Usage>,
    /// Why the model stopped, as it said last.
    stop: Option<Stop>,
    has_heard: bool,
    /// The answer is over, by its own word or with its body.
    is_over: bool,
    /// What was read and is to be told.
    ready: VecDeque<Result<SummaryChunk, HttpSummaryError>>,
}

impl Chunks {
    pub(super) fn new(format: WireFormat) -> Self {
        Self {
            format,
            documents: Documents::default(),
            usage: ResponseUsage::new(),
            told_usage: None,
            stop: None,
            has_heard: false,
            is_over: false,
            ready: VecDeque::new(),
        }
    }

    /// What is to be told next, of what was read so far.
    pub(super) fn next(&mut self) -> Option<Result<SummaryChunk, HttpSummaryError>> {
        self.ready.pop_front()
    }

    /// Whether nothing comes any more.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Reads a piece of the body.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        let mut documents = std::mem::take(&mut self.documents);
        documents.read(bytes, |heard| self.hear(heard, false));
        self.documents = documents;
    }

    /// The body is over.
    pub(super) fn finish(&mut self) {
        let mut documents = std::mem::take(&mut self.documents);
        documents.finish(|heard| self.hear(heard, true));
        if !self.has_heard {
            self.fail(HttpSummaryError::Unreadable(None));
        }
        self.is_over = true;
    }

    fn hear(&mut self, heard: Heard<'_>, is_last: bool) {
        if self.is_over {
            return;
        }
        self.has_heard = true;
        let Some(data) = heard.data else {
            self.fail(HttpSummaryError::TooLong { most: LONGEST });
            return;
        };
        match Meaning::of(heard.event, data, &mut self.usage) {
            Meaning::Error(text) => {
                self.tell_usage();
                self.fail(HttpSummaryError::said(text));
            }
            _ if data.trim_ascii().is_empty() => {}
            Meaning::End if data.trim_ascii() == b"[DONE]" => self.is_over = true,
            meaning => match serde_json::from_slice(data) {
                Ok(document) => {
                    self.tell(&document, data, heard.is_alone);
                    self.is_over |= meaning == Meaning::End;
                }
                // The body broke off within it.
                Err(_) if is_last => self.is_over = true,
                Err(error) => self.fail(HttpSummaryError::Unreadable(Some(error))),
            },
        }
    }

    fn tell(&mut self, document: &Value, data: &[u8], is_alone: bool) {
        let said = Said::of(self.format, document);
        if said.thinks {
            self.ready.push_back(Ok(SummaryChunk::Thinking));
        }
        if !said.text.is_empty() {
            self.ready.push_back(Ok(SummaryChunk::Text(said.text)));
        }
        if said.calls_tool {
            self.ready.push_back(Ok(SummaryChunk::ToolCall));
        }
        // Of several reasons the last one counts.
        let mut of_this = ResponseUsage::new();
        of_this.read(data);
        let stop = of_this.stop();
        self.stop = stop.or(self.stop);
        self.tell_usage();
        // A plain answer is whole if its JSON is. Of Ollama's lines, only the last one is done.
        let is_whole = is_alone && document["done"] != false;
        let stop = stop.or(is_whole.then_some(Stop::Other));
        let finish = stop.map(SummaryChunk::Finish);
        self.ready.extend(finish.map(Ok));
    }

    fn tell_usage(&mut self) {
        let usage = self.usage.usage().map(|usage| usage.stop(self.stop));
        if usage != self.told_usage {
            self.told_usage = usage;
            self.ready.extend(usage.map(SummaryChunk::Usage).map(Ok));
        }
    }

    fn fail(&mut self, error: HttpSummaryError) {
        self.ready.push_back(Err(error));
        self.is_over = true;
    }
}
