use std::borrow::Cow;

use crate::plan::clip_text;

/// How much of each part of a message stands in a transcript, in characters.
///
/// What is longer loses its middle, and a marker says how many characters are missing. The marker
/// counts; where there is no room for it, as much is shown as it would take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ItemCaps {
    /// Of words and of thinking. 4 000 unless set.
    pub prose: usize,
    /// Of a tool's result. 2 000 unless set.
    pub tool_result: usize,
    /// Of each argument of a call. 400 unless set.
    pub argument: usize,
}

impl ItemCaps {
    /// Everything is shown.
    pub const NONE: Self = Self {
        prose: usize::MAX,
        tool_result: usize::MAX,
        argument: usize::MAX,
    };
}

impl Default for ItemCaps {
    fn default() -> Self {
        Self {
            prose: 4_000,
            tool_result: 2_000,
            argument: 400,
        }
    }
}

/// A text in at most so many characters.
pub(super) fn capped(text: &str, most: usize) -> Cow<'_, str> {
    // No text has more characters than bytes.
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let chars = |text: &str| text.chars().count() as u64;
    match clip_text(text, most as u64, chars) {
        Some((clipped, _)) => Cow::Owned(clipped),
        None if chars(text) <= most as u64 => Cow::Borrowed(text),
        // Not even the marker fits. What is no longer than it might as well be shown.
        None => match clip_text(text, LEAST, chars) {
            Some((clipped, _)) => Cow::Owned(clipped),
            None => Cow::Borrowed(text),
        },
    }
}

/// Characters that any marker has room in.
const LEAST: u64 = 120;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a33_what_is_longer_than_its_cap_loses_its_middle_and_says_how_much() {
        let text = "word ".repeat(1_000);
        let shown = capped(&text, 400);
        assert!((300..=400).contains(&shown.chars().count()), "{shown}");
        let kept = shown.matches("word").count();
        assert!(shown.starts_with("word") && shown.ends_with("word "));
        let numbers = shown.split(|char: char| !char.is_ascii_digit());
        let omitted: usize = numbers
            .filter_map(|number| number.parse::<usize>().ok())
            .sum();
        assert!(
            (4_990 - 5 * kept..=5_000 - 4 * kept).contains(&omitted),
            "{shown}"
        );
    }

    #[test]
    fn a33_what_is_no_longer_is_shown_as_it_is() {
        assert_eq!(capped("éééé", 4), "éééé");
        assert_eq!(capped("", 0), "");
        assert!(matches!(capped("1234", usize::MAX), Cow::Borrowed(_)));
        let short = "é".repeat(100);
        assert_eq!(capped(&short, 3), short);
        // A marker says more than a few letters.
        let text = "é".repeat(500);
        let shown = capped(&text, 3);
        assert!(
            shown.contains("characters omitted") && shown.chars().count() <= 120,
            "{shown}"
        );
    }
}
