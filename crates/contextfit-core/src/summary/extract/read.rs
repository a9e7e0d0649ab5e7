use std::borrow::Cow;
use std::collections::VecDeque;

use unicode_segmentation::UnicodeSegmentation;

use super::book::FactBook;
use super::cue::{Cues, failure, has_effect};
use super::line::{Line, NEWEST, OPENING, TASK, split_start, start_of};
use super::plain::{Plain, short_arguments};
use super::section::Section;
use crate::summary::{PartKind, Transcript, TranscriptPart};

/// The most characters of what a user says in one breath, of a sentence, of what a program says
/// that failed, and of a call.
const DEMAND: usize = 300;
pub(super) const SENTENCE: usize = 240;
const FAILURE: usize = 200;
const CALL: usize = 200;
/// Sentences are looked for in so many bytes at once: looking ahead for the end of one takes time
/// that grows with the square of what there is of brackets and spaces.
const PIECE: usize = 2_000;
/// So many lines of a message of the user may be a demand. What comes after them was pasted.
const DEMANDS: usize = 12;

/// A part of a message, as it is read.
pub(super) struct Source<'a> {
    message: usize,
    part: &'a TranscriptPart,
    text: Plain<'a>,
}

impl<'a> Source<'a> {
    fn new(message: usize, part: &'a TranscriptPart) -> Self {
        let text = match part.kind {
            PartKind::ToolCall | PartKind::ToolResult => Plain::of(&part.text),
            // Whoever writes JSON to somebody means it as it is.
            PartKind::Text | PartKind::Thinking => Plain::Text(&part.text),
        };
        Self {
            message,
            part,
            text,
        }
    }

    fn is_of_user(&self) -> bool {
        self.part.kind == PartKind::Text && self.part.speaker.starts_with("User")
    }
}

/// What there is to read. Thoughts aren't shown to anybody.
pub(super) fn sources(transcript: &Transcript) -> Vec<Source<'_>> {
    let messages = transcript.messages().iter().enumerate();
    let parts = messages.flat_map(|(message, parts)| parts.iter().map(move |part| (message, part)));
    let parts = parts.filter(|(_, part)| part.kind != PartKind::Thinking);
    parts
        .map(|(message, part)| Source::new(message, part))
        .collect()
}

/// Reads all sources, adds their facts to the book, and the lines that an extract may have of them.
/// The task, if the conversation opens here, is shown in so many characters.
pub(super) fn read<'a>(
    sources: &'a [Source<'a>],
    task: usize,
    facts: &mut FactBook<'a>,
    lines: &mut Vec<Line<'a>>,
) {
    let by_user = sources.iter().filter(|source| source.is_of_user());
    let last = |is: fn(&Source<'_>) -> bool| {
        let last = sources.iter().rfind(|source| is(source));
        last.map(|source| source.message)
    };
    let mut reader = Reader {
        task,
        opened: if lines.is_empty() { 0 } else { OPENING },
        messages: sources.last().map_or(0, |source| source.message) + 1,
        users_left: by_user.count(),
        last_said: last(|source| source.part.kind == PartKind::Text && !source.is_of_user()),
        last_call: last(|source| source.part.kind == PartKind::ToolCall),
        last_result: last(|source| source.part.kind == PartKind::ToolResult),
        message: usize::MAX,
        unanswered: VecDeque::new(),
        facts,
        lines,
    };
    for source in sources {
        reader.read(source);
    }
}

struct Reader<'a, 'b> {
    facts: &'b mut FactBook<'a>,
    lines: &'b mut Vec<Line<'a>>,
    message: usize,
    /// The most characters of a message that is the task.
    task: usize,
    /// How much of the task was read, in bytes: a greeting isn't all of it.
    opened: usize,
    /// How many messages there are.
    messages: usize,
    /// How many messages of the user are left.
    users_left: usize,
    /// The messages that say something last, call a tool, and give a result.
    last_said: Option<usize>,
    last_call: Option<usize>,
    last_result: Option<usize>,
    /// The lines of calls whose result is still to come; of each that changes nothing, `None`.
    unanswered: VecDeque<Option<usize>>,
}

impl<'a> Reader<'a, '_> {
    fn read(&mut self, source: &'a Source<'a>) {
        if source.message != self.message {
            self.message = source.message;
            self.facts.next_message();
            if source.part.kind != PartKind::ToolResult {
                self.unanswered.clear();
            }
        }
        match source.part.kind {
            PartKind::ToolCall => self.call(source),
            PartKind::ToolResult => self.result(source),
            _ if source.is_of_user() => self.demand(source),
            _ => self.said(source),
        }
    }

    fn call(&mut self, source: &'a Source<'a>) {
        for line in source.text.lines() {
            self.facts.read(line);
        }
        let part = source.part;
        let arguments = short_arguments(&part.text);
        let has_effect = has_effect(&part.tool, &arguments);
        let is_last = self.last_call == Some(source.message);
        let mut call = None;
        if has_effect || is_last {
            let text = format!("{}({arguments})", part.tool);
            let text = start_of(&text, CALL).into_owned().into();
            call = match has_effect {
                true => self.push(Section::Done, source, text, 1.0),
                false => self.push(Section::State, source, text, 1.0),
            };
        }
        self.unanswered.push_back(call);
    }

    fn result(&mut self, source: &'a Source<'a>) {
        let call = self.unanswered.pop_front().flatten();
        if self.last_result == Some(source.message) {
            let mut lines = source.text.lines().map(|(line, _)| line.trim());
            let says = lines.find(|line| !line.is_empty()).unwrap_or_default();
            self.push(Section::State, source, start_of(says, FAILURE), 1.0);
        }
        for (place, line) in source.text.lines().enumerate() {
            self.facts.read(line);
            let (line, _) = line;
            let failure = failure(line);
            if failure == 0 {
                continue;
            }
            let text = start_of(line.trim(), FAILURE);
            let worth = if failure == 2 { 2.0 } else { 0.5 };
            match call.filter(|_| place == 0 && failure == 2) {
                Some(call) => self.fails(call, &text, worth),
                None => {
                    self.push(Section::Errors, source, text, worth);
                }
            }
        }
    }

    /// What was tried wasn't done.
    fn fails(&mut self, call: usize, failure: &str, worth: f64) {
        let tried = &mut self.lines[call];
        let text = format!("{}: {failure}", tried.text);
        let failed = Line::new(
            Section::Errors,
            tried.speaker,
            text.into(),
            worth,
            self.facts,
        );
        if let Some(failed) = failed {
            *tried = failed;
        }
    }

    fn demand(&mut self, source: &'a Source<'a>) {
        self.users_left -= 1;
        let is_task = self.opened < OPENING;
        let mut rest = &*source.part.text;
        if is_task || self.users_left == 0 {
            let most = if is_task { self.task } else { DEMAND };
            let text = start_of(rest, most);
            let (start, left) = split_start(rest, most);
            let worth = if is_task { TASK } else { NEWEST };
            for line in start.lines() {
                self.facts.read((line, 0));
            }
            self.push(Section::Goal, source, text, worth);
            self.opened += start.len();
            rest = left;
        }
        let newest = 3.0 / (1.0 + self.users_left as f64);
        let mut place = 0;
        for unit in units(rest, DEMAND) {
            self.facts.read((unit.text, 0));
            if unit.is_code {
                continue;
            }
            place += 1;
            let (section, worth) = match Cues::of(unit.text) {
                _ if place > DEMANDS => (Section::Notes, 0.3),
                cues if cues.limits => (Section::Constraints, 2.0 + newest),
                cues if cues.decides => (Section::Decisions, 2.0),
                _ => (Section::Goal, 1.0 + newest),
            };
            self.push(section, source, start_of(unit.text, DEMAND), worth);
        }
    }

    fn said(&mut self, source: &'a Source<'a>) {
        let is_last = self.last_said == Some(source.message);
        for unit in units(&source.part.text, 0) {
            self.facts.read((unit.text, 0));
            if unit.is_code {
                continue;
            }
            let (section, worth) = match Cues::of(unit.text) {
                _ if is_last => (Section::State, 2.0),
                cues if cues.decides => (Section::Decisions, 1.5),
                cues if cues.done => (Section::Done, 1.5),
                _ => (Section::Notes, 0.5),
            };
            self.push(section, source, start_of(unit.text, SENTENCE), worth);
        }
    }

    /// Adds a line, and says where it is, if it says anything.
    fn push(
        &mut self,
        section: Section,
        source: &'a Source<'a>,
        text: Cow<'a, str>,
        worth: f64,
    ) -> Option<usize> {
        let speaker = match source.part.kind {
            PartKind::ToolResult if !source.part.tool.is_empty() => &source.part.tool,
            PartKind::ToolCall => "Called",
            _ => &*source.part.speaker,
        };
        // Of things alike, the later is the better.
        let recent = 0.75 + 0.5 * source.message as f64 / self.messages as f64;
        let worth = if worth < TASK { worth * recent } else { worth };
        let line = Line::new(section, speaker, text, worth, self.facts)?;
        self.lines.push(line);
        Some(self.lines.len() - 1)
    }
}

/// A sentence, a line, or a line of code.
pub(super) struct Unit<'a> {
    pub(super) text: &'a str,
    is_code: bool,
}

/// What a text says, bit by bit: its lines as they are up to so many bytes, and the sentences of
/// longer ones.
pub(super) fn units(text: &str, whole: usize) -> impl Iterator<Item = Unit<'_>> {
    let mut in_fence = false;
    text.lines().flat_map(move |line| {
        let line = line.trim();
        let is_fence = line.starts_with("```");
        in_fence ^= is_fence;
        let is_code = in_fence || is_fence;
        pieces(line).flat_map(move |piece| {
            let is_whole = is_code || piece.len() <= whole;
            let as_it_is = is_whole.then_some(piece);
            let sentences = (!is_whole).then(|| piece.unicode_sentences());
            let texts = as_it_is.into_iter().chain(sentences.into_iter().flatten());
            texts.map(move |text| Unit {
                text: without_mark(text.trim()),
                is_code,
            })
        })
    })
}

/// A line without what makes it a heading, an item or a quotation.
fn without_mark(line: &str) -> &str {
    let text = line.trim_start_matches(['-', '*', '>', '#']);
    match text.strip_prefix(' ') {
        Some(text) => text.trim_start(),
        None => line,
    }
}

/// A line in pieces of bounded length.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let mut end = PIECE.min(rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, left) = rest.split_at(end);
        rest = left;
        (!piece.is_empty()).then_some(piece)
    })
}
