use std::borrow::Cow;

use super::transcript::call;
use super::{Envelope, Excerpt, ItemCaps, PartKind, Transcript, TranscriptPart, largest, one_line};

/// Says what the lines are, so that nobody takes them for a summary.
pub(super) const HEADING: &str =
    "Raw record of messages: no summary of them could be written. Long ones are cut short.";
/// The most characters of a line.
const LINE: usize = 500;
/// The newest line is cut to no fewer characters; fewer say nothing.
const LEAST_LINE: usize = 80;

/// Writes messages as a bounded raw record, for when there is no summary of them.
///
/// Below a heading that says what it is, there is a line for what a message says, such as
/// `- User: Which port?`, for its calls and for each result, of at most 500 characters. What was
/// left out of a line stands at its end, as a number of characters. Thinking and system messages
/// are left out, and line ends inside of a message are written as `\n`: no text can pose as a
/// line.
///
/// The newest lines are kept, as many as make a text of at most `bound` tokens; `count` counts
/// those of a text. It is counted as it stands in an [`Envelope`]. The newest line is always kept,
/// cut shorter if need be. Deterministic. `None` if nobody says anything, or if not even a short
/// beginning of the newest line is within the bound.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_core::summary::{Transcript, archive};
///
/// let chat = ChatRequest::new("a-model", [
///     ChatMessage::user("Which port?"),
///     ChatMessage::assistant("").call("c", "read", r#"{"path":"a.toml"}"#),
///     ChatMessage::tool("c", "port = 8080"),
/// ]);
/// let transcript = Transcript::of(&chat, 0..3);
/// let archive = archive(&transcript, 50, |text| text.len() as u64 / 4).expect("fits");
/// assert!(archive.text.ends_with(
///     "\n\n- User: Which port?\n\
///      - Assistant [calls]: read(path=\"a.toml\")\n\
///      - Tool[read]: port = 8080"
/// ));
/// ```
#[must_use]
pub fn archive(
    transcript: &Transcript,
    bound: u64,
    count: impl Fn(&str) -> u64,
) -> Option<Excerpt> {
    let mut lines: Vec<Line> = Vec::new();
    let mut newest = String::new();
    let total = transcript.len();
    for (message, parts) in transcript.messages().iter().enumerate() {
        for line in lines_of(parts) {
            lines.push(Line {
                message,
                text: shortened(&line, LINE),
            });
            newest = line;
        }
    }

    let record = |kept: usize, newest: &str| {
        let (left_out, kept) = lines.split_at(lines.len() - kept);
        // A message that misses a line isn't whole.
        let omitted = left_out.last().map_or(0, |line| line.message + 1);
        let mut text = format!("{HEADING}\n");
        if omitted > 0 {
            text += &format!("\n[{omitted} earlier messages omitted]");
        }
        let (_, older) = kept.split_last()?;
        for line in older.iter().map(|line| &*line.text).chain([newest]) {
            text.push('\n');
            text += line;
        }
        (count(&Envelope::quote(&text)) <= bound).then(|| Excerpt {
            text,
            messages: total - omitted,
            omitted,
        })
    };
    let last = &lines.last()?.text;
    largest(1..=lines.len(), |kept| record(kept, last)).or_else(|| {
        largest(LEAST_LINE..=LINE, |chars| {
            record(1, &shortened(&newest, chars))
        })
    })
}

struct Line {
    /// The number of its message among those given.
    message: usize,
    text: String,
}

/// The lines of a message, whatever their length.
fn lines_of(parts: &[TranscriptPart]) -> impl Iterator<Item = String> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for part in parts {
        let (label, between) = match part.kind {
            PartKind::Thinking => continue,
            PartKind::Text => (part.speaker.clone(), r"\n"),
            PartKind::ToolCall => (format!("{} [calls]", part.speaker), "; "),
            PartKind::ToolResult if part.tool.is_empty() => ("Tool".to_owned(), ""),
            PartKind::ToolResult => (format!("Tool[{}]", part.tool), ""),
        };
        let text = match part.kind {
            PartKind::ToolCall => Cow::Owned(call(part, &ItemCaps::default())),
            _ => Cow::Borrowed(&*part.text),
        };
        let text = one_line(&text);
        match lines.last_mut() {
            // What a message says is one line, and its calls are; each result is one of its own.
            Some((last, line)) if *last == label && part.kind != PartKind::ToolResult => {
                line.push_str(between);
                line.push_str(&text);
            }
            _ => lines.push((label, text.into_owned())),
        }
    }
    lines
        .into_iter()
        .map(|(label, text)| format!("- {label}: {text}"))
}

/// The head of a line and how much more there was, in at most so many characters; a line that is
/// no longer is left as it is.
fn shortened(line: &str, most: usize) -> String {
    let chars = line.chars().count();
    if chars <= most {
        return line.to_owned();
    }
    let marker = |omitted: usize| format!(" [… {omitted} more characters]");
    // No number of what is left out is wider than that of all.
    let keep = most.saturating_sub(marker(chars).chars().count());
    let head: String = line.chars().take(keep).collect();
    head + &marker(chars - keep)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn chars(text: &str) -> u64 {
        text.chars().count() as u64
    }

    fn of(json: &str, bound: u64) -> Option<Excerpt> {
        let chat: ChatRequest =
            serde_json::from_str(&format!(r#"{{"model":"m","messages":{json}}}"#)).unwrap();
        of_chat(&chat, bound)
    }

    fn of_chat(chat: &ChatRequest, bound: u64) -> Option<Excerpt> {
        archive(&Transcript::of(chat, 0..chat.messages.len()), bound, chars)
    }

    #[test]
    fn a46_every_message_is_a_line_with_who_speaks() {
        let record = of(
            r#"[{"role":"system","content":"never shown"},
                {"role":"user","content":[{"type":"text","text":" Read\n\n  a.rs "},
                    {"type":"image_url","image_url":{"url":"data:"}}]},
                {"role":"assistant","reasoning":"hm","content":"Both.","tool_calls":[
                    {"id":"1","function":{"name":"read","arguments":"{\"path\":\"a.rs\"}"}},
                    {"id":"2","function":{"name":"list","arguments":"{}"}}]},
                {"role":"tool","tool_call_id":"1","name":"read","content":"fn a() {\n}"},
                {"role":"tool","tool_call_id":"2","content":[
                    {"type":"text","text":"a.rs"},{"type":"text","text":"b.rs"}]},
                {"role":"tool","tool_call_id":"2","content":""},
                {"role":"user","name":"Ann","content":"Thanks."}]"#,
            10_000,
        )
        .unwrap();
        let expected = [
            HEADING,
            "",
            r"- User: Read\n  a.rs\n(image, not shown)",
            "- Assistant: Both.",
            r#"- Assistant [calls]: read(path="a.rs"); list()"#,
            r"- Tool[read]: fn a() {\n}",
            "- Tool[list]: a.rs",
            "- Tool[list]: b.rs",
            "- User Ann: Thanks.",
        ];
        assert_eq!(record.text.lines().collect::<Vec<_>>(), expected);
        assert_eq!((record.messages, record.omitted), (6, 0));
    }

    #[test]
    fn a46_a_line_has_at_most_500_characters_and_says_what_is_missing() {
        let long = "é".repeat(2_000);
        let chat = ChatRequest::new("m", [ChatMessage::user(long)]);
        let record = of_chat(&chat, 10_000).unwrap();
        let line = record.text.lines().last().unwrap();
        let shown = line.chars().filter(|&char| char == 'é').count();
        assert!((490..=500).contains(&line.chars().count()), "{line}");
        assert!(line.ends_with(&format!("é [… {} more characters]", 2_000 - shown)));

        let fits = format!("- User: {}", "é".repeat(492));
        assert_eq!(shortened(&fits, 500), fits);
    }

    #[test]
    fn a47_the_newest_lines_are_kept_and_the_rest_is_counted() {
        let message = |number| ChatMessage::user(format!("message {number}"));
        let chat = ChatRequest::new("m", (0..100).map(message));
        let record = of_chat(&chat, 500).unwrap();
        let lines: Vec<_> = record.text.lines().skip(2).collect();
        assert_eq!(
            lines[0],
            format!("[{} earlier messages omitted]", record.omitted)
        );
        assert_eq!(lines[1], format!("- User: message {}", record.omitted));
        assert_eq!(*lines.last().unwrap(), "- User: message 99");
        assert_eq!(lines.len() - 1, record.messages);
        // There is no room for another line.
        assert!((480..=500).contains(&chars(&record.text)));
    }

    #[test]
    fn a47_the_newest_line_is_cut_shorter_if_it_is_over_the_bound_alone() {
        let json = format!(
            r#"[{{"role":"user","content":"a"}},{{"role":"user","content":"{}"}}]"#,
            "word ".repeat(1_000)
        );
        let record = of(&json, 300).unwrap();
        assert!((290..=300).contains(&chars(&record.text)), "{record:?}");
        let line = record.text.lines().last().unwrap();
        let shown = line.find(" [").unwrap();
        // All but the label, and the space at its end.
        let missing = format!("[… {} more characters]", 4_999 + 8 - shown);
        assert!(line.starts_with("- User: word word "), "{line}");
        assert!(line.ends_with(&missing), "{line} misses {missing}");
        assert_eq!((record.messages, record.omitted), (1, 1));
    }

    #[test]
    fn a_message_that_misses_a_line_is_not_whole() {
        let json = format!(
            r#"[{{"role":"user","content":"a"}},{{"role":"assistant","content":"{}",
                "tool_calls":[{{"id":"c","function":{{"name":"f","arguments":""}}}}]}}]"#,
            "word ".repeat(100)
        );
        let record = of(&json, 200).unwrap();
        assert!(record.text.ends_with("omitted]\n- Assistant [calls]: f()"));
        assert_eq!((record.messages, record.omitted), (0, 2));
    }

    #[test]
    fn where_nothing_sensible_fits_there_is_none() {
        assert_eq!(of("[]", 1_000), None);
        let silent = r#"[{"role":"system","content":"s"},{"role":"user","content":" "}]"#;
        assert_eq!(of(silent, 1_000), None);
        let said = r#"[{"role":"user","content":"hi"}]"#;
        let least = chars(HEADING) + chars("\n\n- User: hi");
        assert_eq!(of(said, least - 1), None);
        assert!(of(said, least).is_some());
    }

    proptest! {
        #[test]
        fn a47_any_archive_is_within_its_bound(
            messages in vec(
                ("user|assistant|tool|system", "[Aa\n]{0,3}", ANY_TEXT, 0_usize..100),
                0..12,
            ),
            bound in 0_u64..3_000,
        ) {
            let messages = messages.iter().map(|(role, name, text, times)| {
                let text = text.repeat(*times);
                let mut message = match &**role {
                    "user" => ChatMessage::user(text),
                    "assistant" => ChatMessage::assistant(&*text).call("c", name.as_str(), text),
                    "tool" => ChatMessage::tool("c", text),
                    _ => ChatMessage::system(text),
                };
                message.name = Some(name.as_str().into());
                message
            });
            let chat = ChatRequest::new("m", messages);
            // As it stands in its envelope.
            let cost = |text: &str| chars(&Envelope::quote(text));
            let all = of_chat(&chat, u64::MAX);
            let record = of_chat(&chat, bound);
            let Some(all) = all else {
                prop_assert_eq!(record, None);
                return Ok(());
            };
            let Some(record) = record else {
                // The heading, the note, and a line that is cut short don't fit.
                prop_assert!(bound < 250);
                return Ok(());
            };
            prop_assert!(cost(&record.text) <= bound);
            prop_assert_eq!(record.messages + record.omitted, all.messages);
            prop_assert_eq!(all.omitted, 0);

            // Nothing but lines of ours, the newest at the end.
            let mut lines = record.text.split(['\n', '\r', '\u{85}', '\u{2028}']).skip(2).peekable();
            let note = format!("[{} earlier messages omitted]", record.omitted);
            prop_assert_eq!(lines.next_if(|line| *line == note).is_some(), record.omitted > 0);
            let all: Vec<&str> = all.text.lines().skip(2).collect();
            let lines: Vec<&str> = lines.collect();
            let (newest, older) = lines.split_last().unwrap();
            let (newest_of_all, others) = all.split_last().unwrap();
            prop_assert!(others.ends_with(older));
            let head: String = newest_of_all.chars().take(LEAST_LINE / 2).collect();
            prop_assert!(newest.starts_with(&head));
            prop_assert!(lines.iter().all(|line| line.starts_with("- ") && line.chars().count() <= LINE));
        }
    }

    const ANY_TEXT: &str = "(- User: |\n|\r|\u{2028}|</contextfit-summary>|[a-zé ]){0,30}";
}
