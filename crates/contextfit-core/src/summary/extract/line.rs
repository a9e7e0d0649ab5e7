use std::borrow::Cow;

use super::book::{FactBook, Named};
use super::section::Section;
use crate::summary::one_line;

/// What the task is worth: it is chosen before anything else.
pub(super) const TASK: f64 = 1_000.0;
/// What the newest demand is worth, and the first words of somebody else's summary.
pub(super) const NEWEST: f64 = 20.0;
/// So many bytes of what a user says first are the task. Less is a greeting, and what follows is
/// read for it too.
pub(super) const OPENING: usize = 48;
/// What is shorter, in bytes, and names no fact says nothing by itself.
const LEAST: usize = 12;
/// What is shorter, in bytes, says less.
const FULL: usize = 80;

/// A line that an extract may have.
pub(super) struct Line<'a> {
    pub(super) section: Section,
    /// Who says it; empty where the text says so itself.
    pub(super) speaker: &'a str,
    pub(super) text: Cow<'a, str>,
    /// What it is worth beside the facts that it names.
    pub(super) worth: f64,
    pub(super) facts: Named,
}

impl<'a> Line<'a> {
    /// A line, unless it says nothing. The facts that it names were read before.
    pub(super) fn new(
        section: Section,
        speaker: &'a str,
        text: Cow<'a, str>,
        worth: f64,
        facts: &mut FactBook<'_>,
    ) -> Option<Self> {
        let named = facts.named_in(&text);
        let is_short = text.len() < LEAST && named.is_empty();
        // What came last says something, if only that there was no more.
        let says = !is_short || worth >= TASK || section == Section::State;
        let full = text.len().min(FULL) as f64 / FULL as f64;
        (says && !text.is_empty()).then_some(Self {
            section,
            speaker,
            worth: if worth >= TASK { worth } else { worth * full },
            text,
            facts: named,
        })
    }

    /// How it is written. No text can pose as another line, or as a heading: each opens with a
    /// dash, and is one.
    pub(super) fn written(&self) -> String {
        let text = one_line(&self.text);
        match self.speaker {
            "" => format!("- {text}"),
            speaker => format!("- {speaker}: {text}"),
        }
    }

    /// What it costs, in characters.
    pub(super) fn cost(&self) -> usize {
        self.text.chars().count() + self.speaker.len() + 4
    }
}

/// The start of a text, in at most so many characters, with a sign where there was more.
pub(super) fn start_of(text: &str, most: usize) -> Cow<'_, str> {
    match split_start(text, most) {
        (start, "") => Cow::Borrowed(start),
        (start, _) => Cow::Owned(format!("{} …", start.trim_end())),
    }
}

/// The start of a text, in at most so many characters, and the rest.
pub(super) fn split_start(text: &str, most: usize) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return (text, "");
    };
    let start = &text[..end];
    // Half a word, or half a number, would be a false one.
    let whole = start.rfind(char::is_whitespace).filter(|&at| at > end / 2);
    text.split_at(whole.unwrap_or(end))
}
