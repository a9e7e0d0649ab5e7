use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::book::{FactBook, Named};
use super::cue::{failure, has_effect, section_of};
use super::line::{Line, start_of};
use super::plain::plain;
use super::section::Section;
use crate::summary::transcript::call;
use crate::summary::{ItemCaps, PartKind, Transcript, TranscriptPart};

/// Characters of a sentence, of a message of a program, and of each argument of a call.
const SENTENCE: usize = 280;
const FAILURE: usize = 200;
const ARGUMENT: usize = 60;
/// Sentences are looked for in so many bytes at once: looking ahead for the end of one takes time
/// that grows with the square of what there is of brackets and spaces.
const PIECE: usize = 2_000;
/// Sentences of a message of the user that may be a demand. What comes after was pasted.
const DEMANDS: usize = 12;

/// A part of a message, as it is read.
pub(super) struct Source<'a> {
    message: usize,
    part: &'a TranscriptPart,
    text: Cow<'a, str>,
}

/// What there is to read. Thoughts aren't shown to anybody.
pub(super) fn sources(transcript: &Transcript) -> Vec<Source<'_>> {
    let messages = transcript.messages().iter().enumerate();
    let parts = messages.flat_map(|(message, parts)| parts.iter().map(move |part| (message, part)));
    let parts = parts.filter(|(_, part)| part.kind != PartKind::Thinking);
    let source = |(message, part)| Source::new(message, part);
    parts.map(source).collect()
}

/// Reads all sources: their facts, and the lines that an extract may have of them.
pub(super) fn read<'a>(
    sources: &'a [Source<'a>],
    is_first: bool,
    facts: &mut FactBook<'a>,
) -> Vec<Line<'a>> {
    let mut reader = Reader::new(sources, is_first, facts);
    for source in sources {
        reader.read(source);
    }
    reader.lines
}

struct Reader<'a, 'b> {
    facts: &'b mut FactBook<'a>,
    lines: Vec<Line<'a>>,
    message: usize,
    /// The message that opens the conversation, if it is read.
    task: Option<usize>,
    /// How many messages of the user come from here on.
    users_left: usize,
    /// What is said last.
    last_said: usize,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn new(sources: &'a [Source<'a>], is_first: bool, facts: &'b mut FactBook<'a>) -> Self {
        let by_user = || sources.iter().filter(|source| source.is_of_user());
        let said =
            |source: &&Source<'_>| source.part.kind == PartKind::Text && !source.is_of_user();
        Self {
            facts,
            lines: Vec::new(),
            message: usize::MAX,
            task: by_user()
                .next()
                .filter(|_| is_first)
                .map(|source| source.message),
            users_left: by_user().count(),
            last_said: sources
                .iter()
                .rfind(said)
                .map_or(0, |source| source.message),
        }
    }

    fn read(&mut self, source: &'a Source<'a>) {
        if source.message != self.message {
            self.message = source.message;
            self.facts.next_message();
        }
        match source.part.kind {
            PartKind::ToolCall => self.call(source),
            PartKind::ToolResult => self.result(source),
            _ if source.is_of_user() => self.demand(source),
            _ => self.said(source),
        }
    }

    fn call(&mut self, source: &'a Source<'a>) {
        let from = self.facts.read("", 0.0).start;
        let mut to = from;
        for line in source.text.lines() {
            to = self.facts.read(line, 0.8).end;
        }
        if has_effect(&source.part.tool) {
            let caps = ItemCaps {
                argument: ARGUMENT,
                ..ItemCaps::default()
            };
            let text = start_of(&call(source.part, &caps), SENTENCE).into_owned();
            // What was cut off isn't named by the line: as far as it goes, it is worth less.
            self.push(Section::Done, source, text.into(), 1.0, from..to);
        }
    }

    fn result(&mut self, source: &'a Source<'a>) {
        for line in source.text.lines() {
            let named = self.facts.read(line, 0.5);
            let failure = failure(line);
            if failure > 0 {
                let worth = f64::from(failure) * 1.5 - 1.0;
                let text = start_of(line.trim(), FAILURE);
                self.push(Section::Errors, source, text, worth, named);
            }
        }
    }

    fn demand(&mut self, source: &'a Source<'a>) {
        self.users_left -= 1;
        let is_task = self.task == Some(source.message);
        let newest = 4.0 / (1.0 + self.users_left as f64);
        let mut place = 0_u32;
        for sentence in Sentences::of(&source.text) {
            let named = self.facts.read(sentence.text, 1.5);
            if sentence.is_code {
                continue;
            }
            let nth = f64::from(place) / 3.0 + 1.0;
            place += 1;
            let cue = section_of(sentence.text).filter(|&section| section == Section::Constraints);
            let (section, worth) = match cue {
                _ if place == 1 && is_task => (Section::Goal, 1_000.0),
                Some(section) if place as usize <= DEMANDS => (section, 3.0 + newest),
                _ if place as usize > DEMANDS => (Section::Notes, 0.3),
                _ if is_task => (Section::Goal, 10.0 / nth),
                _ => (Section::Goal, (1.0 + newest) / nth),
            };
            self.push(
                section,
                source,
                start_of(sentence.text, SENTENCE),
                worth,
                named,
            );
        }
    }

    fn said(&mut self, source: &'a Source<'a>) {
        let is_last = self.last_said == source.message;
        for sentence in Sentences::of(&source.text) {
            let named = self.facts.read(sentence.text, 1.0);
            if sentence.is_code {
                continue;
            }
            let text = start_of(sentence.text, SENTENCE);
            let (section, worth) = match section_of(sentence.text) {
                _ if is_last => (Section::State, 2.0),
                Some(Section::Constraints) | None => (Section::Notes, 0.5),
                Some(section) => (section, 1.5),
            };
            self.push(section, source, text, worth, named);
        }
    }

    fn push(
        &mut self,
        section: Section,
        source: &'a Source<'a>,
        text: Cow<'a, str>,
        worth: f64,
        facts: Named,
    ) {
        let speaker = match source.part.kind {
            PartKind::ToolResult if !source.part.tool.is_empty() => &source.part.tool,
            PartKind::ToolCall => "Assistant called",
            _ => &*source.part.speaker,
        };
        self.lines.push(Line {
            section,
            speaker,
            text,
            worth,
            facts,
        });
    }
}

impl<'a> Source<'a> {
    fn new(message: usize, part: &'a TranscriptPart) -> Self {
        Self {
            message,
            part,
            text: plain(&part.text),
        }
    }

    fn is_of_user(&self) -> bool {
        self.part.kind == PartKind::Text && self.part.speaker.starts_with("User")
    }
}

/// A sentence, or a line of code.
pub(super) struct Sentence<'a> {
    pub(super) text: &'a str,
    is_code: bool,
}

/// The sentences of a text, line by line.
struct Sentences;

impl Sentences {
    fn of(text: &str) -> impl Iterator<Item = Sentence<'_>> {
        let mut in_fence = false;
        text.lines().flat_map(move |line| {
            let line = line.trim();
            let is_fence = line.starts_with("```");
            in_fence ^= is_fence;
            let is_code = in_fence || is_fence;
            pieces(line).flat_map(move |piece| {
                let whole = is_code.then_some(piece);
                let sentences = (!is_code).then(|| piece.unicode_sentences());
                whole
                    .into_iter()
                    .chain(sentences.into_iter().flatten())
                    .map(move |text| Sentence {
                        text: text.trim().trim_start_matches(['-', '*', '>', '#', ' ']),
                        is_code,
                    })
            })
        })
    }
}

/// A line in pieces of bounded length.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let end = (0..=PIECE.min(rest.len())).rfind(|&end| rest.is_char_boundary(end));
        let piece = &rest[..end.unwrap_or(0)];
        rest = &rest[piece.len()..];
        (!piece.is_empty()).then_some(piece)
    })
}
