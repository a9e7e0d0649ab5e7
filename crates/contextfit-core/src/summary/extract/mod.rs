//! A summary that no model writes.

mod book;
mod choose;
mod cue;
mod fact;
mod line;
mod plain;
mod previous;
mod read;
mod section;
mod write;

use self::book::FactBook;
use self::choose::{Choice, choose};
use self::line::start_of;
use self::read::sources;
#[cfg(test)]
use self::section::Section;
use super::{Envelope, Transcript, largest};

/// A line is cut to no fewer characters; fewer say nothing.
const LEAST: usize = 24;
/// More characters than these make a token nowhere.
const CHARS_OF_TOKEN: u64 = 8;

/// Writes a summary without a model: what a conversation says that matters most, in its own words.
///
/// Under short headings stand what the user wants and demands, what was done, what was decided,
/// what went wrong and what was said last, each line with who says it; and then the paths, names
/// and numbers that no line holds. A line is chosen by what it is worth for its length, where a
/// fact counts the more the more often it is named, and only once. Thoughts and system messages
/// are left out.
///
/// `previous` is the summary of what came before, most often a text of this function: its lines and
/// facts are carried on, and compete with the new ones. The first demand stays as long as there is
/// room for anything.
///
/// The text has at most `bound` tokens as `count` counts it as it stands in an [`Envelope`], and is
/// shorter than what it stands for. The same conversation gives the same text. The time it takes
/// grows with the length of the conversation. `None` if nobody says anything, or there is no room.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_core::summary::{Transcript, extract};
///
/// let chat = ChatRequest::new("a-model", [
///     ChatMessage::user("Which port does the gateway use? It must not be 8080."),
///     ChatMessage::assistant("").call("c", "read", r#"{"path":"etc/gate.toml"}"#),
///     ChatMessage::tool("c", "[server]\nport = 8443\nhost = \"gate-c1\""),
///     ChatMessage::assistant("It uses port 8443. There is nothing to be changed."),
/// ]);
/// let transcript = Transcript::of(&chat, 0..4);
/// let summary = extract(&transcript, None, 80, |text| text.len() as u64 / 4).expect("fits");
/// assert!(summary.contains("## Goal\n- User: Which port does the gateway use? It must not be 8080.\n"));
/// assert!(summary.contains("etc/gate.toml"));
/// ```
#[must_use]
pub fn extract(
    transcript: &Transcript,
    previous: Option<&str>,
    bound: u64,
    count: impl Fn(&str) -> u64,
) -> Option<String> {
    let previous = previous.unwrap_or_default();
    let sources = sources(transcript);
    let mut facts = FactBook::default();
    let mut lines = previous::read(previous, &mut facts);
    let most = usize::try_from(bound.saturating_mul(CHARS_OF_TOKEN)).unwrap_or(usize::MAX);
    read::read(
        &sources,
        (most / 12).clamp(100, 500),
        &mut facts,
        &mut lines,
    );

    let chosen = choose(&lines, &facts, most);
    let first = *chosen.first()?;
    let within = |text: String| (count(&Envelope::quote(&text)) <= bound).then_some(text);
    let written = |chosen: &[Choice]| within(write::write(chosen, &lines, &facts));
    let kept = largest(1..=chosen.len(), |kept| {
        written(&chosen[..kept]).map(|text| (kept, text))
    });
    let Some((kept, text)) = kept else {
        // Not even the first fits as it is.
        let Choice::Line(first) = first else {
            return None;
        };
        let line = lines[first].written();
        return largest(LEAST..=line.chars().count().max(LEAST), |chars| {
            within(start_of(&line, chars).into_owned())
        });
    };
    // The next line is too long. Facts are short.
    let (mut all, left) = (chosen[..kept].to_vec(), &chosen[kept..]);
    all.extend(
        left.iter()
            .filter(|choice| matches!(choice, Choice::Fact(_))),
    );
    largest(kept..=all.len(), |kept| written(&all[..kept])).or(Some(text))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::write::NOTE;
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};

    fn chars(text: &str) -> u64 {
        text.chars().count() as u64
    }

    fn of(messages: impl IntoIterator<Item = ChatMessage>) -> Transcript {
        let chat = ChatRequest::new("m", messages);
        Transcript::of(&chat, 0..chat.messages.len())
    }

    /// Headings, ends of lines and tags, facts of all kinds, and anything at all.
    const HOSTILE: &str = "(## Goal|## Facts|- Paths: |- |; |</contextfit-summary>|\n|\r\n|\u{2028}|\
        [.)\\] ]{1,3}|```|error: |must |src/a[0-9]\\.rs|[0-9]{1,4} s|a_[a-z]|\\{\"k\":|\"\\}|错误|预算[0-9]{3}元|\
        \\PC){0,40}";

    fn messages(parts: &[(String, String, usize)]) -> Vec<ChatMessage> {
        let message = |(role, text, times): &(String, String, usize)| {
            let text = text.repeat(*times);
            match &**role {
                "user" => ChatMessage::user(text),
                "assistant" => ChatMessage::assistant(&*text).call("c", "edit", text),
                _ => ChatMessage::tool("c", text),
            }
        };
        parts.iter().map(message).collect()
    }

    fn hostile() -> impl Strategy<Value = Vec<(String, String, usize)>> {
        vec(("user|assistant|tool", HOSTILE, 0_usize..4), 0..10)
    }

    proptest! {
        #[test]
        fn an_extract_is_within_its_bound_and_no_text_forges_a_line_of_it(
            said in hostile(), previous in HOSTILE, bound in 0_u64..1_500, of_token in 1_u64..5,
        ) {
            let transcript = of(messages(&said));
            let count = |text: &str| chars(text).div_ceil(of_token);
            let text = extract(&transcript, Some(&previous), bound, count);
            prop_assert_eq!(&extract(&transcript, Some(&previous), bound, count), &text);
            let Some(text) = text else { return Ok(()) };
            prop_assert!(count(&Envelope::quote(&text)) <= bound);
            prop_assert!(!text.trim().is_empty());

            // Sections in order, each once, and below them lines that say who speaks.
            let mut left = Section::ALL.iter();
            let ends = ['\n', '\r', '\u{85}', '\u{2028}'];
            let text = text.strip_prefix(NOTE).unwrap_or(&text);
            for line in text.split(ends).filter(|line| !line.is_empty()) {
                if line.starts_with('#') {
                    prop_assert!(left.any(|section| section.heading() == line), "{}", text);
                } else {
                    prop_assert!(line.starts_with("- "), "{}", text);
                }
            }
        }

        #[test]
        fn any_estimator_will_do(said in hostile(), bound in 0_u64..100, counted in vec(0_u64..200, 8)) {
            // One that has no idea.
            let count = |text: &str| counted[text.len() % counted.len()];
            let text = extract(&of(messages(&said)), None, bound, count);
            prop_assert!(text.is_none_or(|text| count(&Envelope::quote(&text)) <= bound));
        }
    }
}
