use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use contextfit_tower::{LateReport, Usage};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::response::Parts;
use http_body::{Body, Frame, SizeHint};

use super::HttpOverflow;
use super::answer::{Answer, AnswerReader, LONGEST_ERROR};
use super::documents::LONGEST;

/// Bytes that are held back of a stream in which nothing but bookkeeping is found. OpenAI's Responses
/// repeat the instructions and the tools of the request in it, twice.
const MOST_BOOKKEEPING: usize = 1024 * 1024;

/// What a frame costs beside its bytes, so that many empty ones come to an end, too.
const FRAME: usize = 64;

/// The body of a response whose start was looked into. Made by [`PeekBody`](super::PeekBody).
///
/// It is the body it was made from: the same frames in the same order, with its errors where they
/// were and its trailers. What was read of it is handed on first, and nothing is held back any more.
///
/// With a [`LateReport`] in it, it reads along to its end, for the usage and for an error that comes
/// after content. Dropped before, it reports nothing.
pub struct Peeked<B: Body> {
    held: VecDeque<Result<Frame<Bytes>, B::Error>>,
    /// Bytes in these frames.
    held_bytes: u64,
    /// Pinned in a box, so that the body may be moved when its start was read.
    inner: Pin<Box<B>>,
    has_ended: bool,
    reads: Reads,
    reader: AnswerReader,
    late: Option<(LateReport, HttpOverflow)>,
}

/// What is read of a body before it is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// The text of an error.
    ErrorText,
    /// Documents, until one tells whether there is an answer, and so many bytes at most.
    Documents { most: usize },
    /// Nothing: it isn't an answer of a model, or not in a form that is read here.
    Nothing,
}

impl Reads {
    fn of(head: &Parts) -> Self {
        let text = |name| {
            let value = head.headers.get(name)?;
            value.to_str().ok().map(str::to_ascii_lowercase)
        };
        let encoding = text(CONTENT_ENCODING);
        if encoding.is_some_and(|encoding| !matches!(encoding.trim(), "" | "identity")) {
            return Self::Nothing;
        }
        if head.status.is_client_error() || head.status.is_server_error() {
            return Self::ErrorText;
        }
        let kind = text(CONTENT_TYPE).unwrap_or_default();
        match kind.split(';').next().unwrap_or_default().trim() {
            _ if !head.status.is_success() => Self::Nothing,
            "text/event-stream" => Self::Documents {
                most: MOST_BOOKKEEPING,
            },
            kind if kind.ends_with("json") || is_lines(kind) => Self::Documents { most: LONGEST },
            _ => Self::Nothing,
        }
    }
}

/// Whether a content type is one of several JSON documents, one a line.
fn is_lines(kind: &str) -> bool {
    let names = ["ndjson", "jsonl", "json-lines", "jsonlines", "stream+json"];
    names.iter().any(|name| kind.contains(name))
}

impl<B: Body<Data = Bytes>> Peeked<B> {
    /// A body of which nothing is read yet.
    pub(super) fn new(head: &Parts, body: B) -> Self {
        let kind = head.headers.get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        Self {
            held: VecDeque::new(),
            held_bytes: 0,
            inner: Box::pin(body),
            has_ended: false,
            reads: Reads::of(head),
            reader: AnswerReader::new(is_lines(&kind.to_ascii_lowercase())),
            late: None,
        }
    }

    /// Reads until it is known what the response is, or too much would be held back.
    pub(super) fn poll_peek(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.end_with_inner();
        while !self.has_read_enough() {
            match ready!(self.inner.as_mut().poll_frame(cx)) {
                None => self.end(),
                Some(frame) => {
                    self.read(&frame);
                    self.hold(frame);
                    self.end_with_inner();
                }
            }
        }
        Poll::Ready(())
    }

    /// What the start of the response says; `None` if it isn't read.
    pub(super) const fn answer(&self) -> Option<&Answer> {
        self.reader.answer()
    }

    /// What the provider counted, as far as it is read.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.reader.usage()
    }

    /// Reads along from here, and reports what there is to report.
    pub(super) fn report_later(&mut self, report: LateReport, classifier: HttpOverflow) {
        if matches!(self.reads, Reads::Documents { .. }) {
            self.late = Some((report, classifier));
        }
    }

    fn has_read_enough(&mut self) -> bool {
        let most = match self.reads {
            Reads::Nothing => return true,
            Reads::ErrorText => LONGEST_ERROR,
            Reads::Documents { most } => most,
        };
        let cost = self.held_bytes + (self.held.len() * FRAME) as u64;
        if cost >= most as u64 {
            self.give_up();
        }
        self.has_ended || self.reader.answer().is_some()
    }

    /// Hands on what was read, whatever else there is.
    fn give_up(&mut self) {
        let answer = match self.reads {
            Reads::ErrorText => Answer::Error(self.head()),
            Reads::Documents { .. } | Reads::Nothing => Answer::Begun,
        };
        self.reader.decide(answer);
    }

    fn read(&mut self, frame: &Result<Frame<Bytes>, B::Error>) {
        match (self.reads, frame) {
            (Reads::Documents { .. }, Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    self.reader.read(data);
                }
            }
            (Reads::ErrorText | Reads::Nothing, Ok(_)) => {}
            (_, Err(_)) => {
                self.give_up();
                // What was counted so far isn't all.
                self.late = None;
            }
        }
    }

    fn hold(&mut self, frame: Result<Frame<Bytes>, B::Error>) {
        self.held_bytes += bytes_in(&frame);
        self.held.push_back(frame);
    }

    fn end_with_inner(&mut self) {
        if !self.has_ended && self.inner.is_end_stream() {
            self.end();
        }
    }

    fn end(&mut self) {
        self.has_ended = true;
        match self.reads {
            Reads::ErrorText => self.give_up(),
            Reads::Documents { .. } => {
                let is_decided = self.reader.answer().is_some();
                let text = if is_decided {
                    Bytes::new()
                } else {
                    self.head()
                };
                self.reader.finish(text);
            }
            Reads::Nothing => {}
        }
    }

    /// The start of what is held.
    fn head(&self) -> Bytes {
        let data = || {
            let frames = self.held.iter().filter_map(|frame| frame.as_ref().ok());
            frames.filter_map(Frame::data_ref)
        };
        match data().next() {
            Some(first) if first.len() >= LONGEST_ERROR => first.slice(..LONGEST_ERROR),
            _ => {
                let mut head = BytesMut::new();
                for data in data() {
                    let room = LONGEST_ERROR - head.len();
                    head.extend_from_slice(&data[..room.min(data.len())]);
                }
                head.freeze()
            }
        }
    }

    /// Reports, once all that was read is handed on and there is something to be told.
    fn report(&mut self) {
        let is_told = self.reader.late_error().is_some()
            || self.reader.is_complete() && self.reader.usage().is_some();
        if self.held.is_empty()
            && (is_told || self.has_ended)
            && let Some((report, classifier)) = self.late.take()
        {
            let error = self.reader.late_error();
            let usage = self.reader.usage();
            classifier.report(&report, usage, error.map(|error| &**error));
        }
    }
}

fn bytes_in<E>(frame: &Result<Frame<Bytes>, E>) -> u64 {
    let data = frame.as_ref().ok().and_then(Frame::data_ref);
    data.map_or(0, |data| data.len() as u64)
}

impl<B: Body<Data = Bytes>> Body for Peeked<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        let frame = match this.held.pop_front() {
            Some(frame) => {
                this.held_bytes -= bytes_in(&frame);
                Some(frame)
            }
            None if this.has_ended => None,
            None => {
                let frame = ready!(this.inner.as_mut().poll_frame(cx));
                if this.late.is_some() {
                    match &frame {
                        Some(frame) => this.read(frame),
                        None => this.end(),
                    }
                    // Who asks whether this was the last frame won't ask for another.
                    this.end_with_inner();
                }
                this.has_ended |= frame.is_none();
                frame
            }
        };
        this.report();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_empty() && (self.has_ended || self.inner.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let rest = if self.has_ended {
            SizeHint::with_exact(0)
        } else {
            self.inner.size_hint()
        };
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower().saturating_add(self.held_bytes));
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(self.held_bytes));
        }
        hint
    }
}

// Nothing in it is pinned but what is in the box.
impl<B: Body> Unpin for Peeked<B> {}

impl<B: Body> fmt::Debug for Peeked<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peeked")
            .field("held_bytes", &self.held_bytes)
            .field("has_ended", &self.has_ended)
            .finish_non_exhaustive()
    }
}
