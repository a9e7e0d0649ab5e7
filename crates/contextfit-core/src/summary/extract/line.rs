use std::borrow::Cow;

use super::book::Named;
use super::section::Section;
use crate::summary::one_line;

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

impl Line<'_> {
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

/// The start of a text, in at most so many characters.
pub(super) fn start_of(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let Some((end, _)) = text.char_indices().nth(most) else {
        return Cow::Borrowed(text);
    };
    let start = &text[..end];
    // Half a word, or half a number, would be a false one.
    let whole = start.rfind(char::is_whitespace).filter(|&at| at > end / 2);
    Cow::Owned(format!("{} …", start[..whole.unwrap_or(end)].trim_end()))
}
