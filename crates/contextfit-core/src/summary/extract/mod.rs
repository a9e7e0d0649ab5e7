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
use super::{Envelope, Transcript, largest};

/// A line is cut to no fewer characters; fewer say nothing.
const LEAST: usize = 24;
/// So many characters are looked through for each token of the bound: few tokens have more.
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
/// The text has at most `bound` tokens as `count` counts it as it stands in an [`Envelope`]. The same conversation gives the same text. The time it takes
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
/// assert!(summary.contains("## Last state\n- Called: read(path=etc/gate.toml)\n"));
/// assert!(summary.ends_with("## Facts\n- Names: gate-c1"));
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
    // The task has its part of it, and no more.
    let task = (most / 12).clamp(100, 500);
    read::read(&sources, task, &mut facts, &mut lines);

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

    use super::section::Section;
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

    /// The extract of some messages, with as much of it as there is.
    fn all(messages: impl IntoIterator<Item = ChatMessage>) -> String {
        extract(&of(messages), None, u64::MAX, chars).unwrap()
    }

    /// The lines below a heading.
    fn below<'a>(heading: &str, text: &'a str) -> Vec<&'a str> {
        let lines = text.lines().skip_while(|&line| line != heading).skip(1);
        lines.take_while(|line| !line.is_empty()).collect()
    }

    #[test]
    fn the_task_is_what_is_said_first_and_more_than_a_greeting() {
        let text = all([
            ChatMessage::user("Hi!"),
            ChatMessage::assistant("Hello. What can I do?"),
            ChatMessage::user("Port the selector.\nIt is in src/select.ts, read that first."),
            ChatMessage::user("And what about the tests, by the way?"),
        ]);
        assert_eq!(
            below("## Goal", &text),
            [
                "- User: Hi!",
                r"- User: Port the selector.\nIt is in src/select.ts, read that first.",
                "- User: And what about the tests, by the way?",
            ]
        );
    }

    #[test]
    fn a_line_stands_where_it_belongs() {
        let text = all([
            ChatMessage::user("Move the shop to the new scheduler, please, this week."),
            ChatMessage::user("It must stay below 50 ms. "),
            ChatMessage::assistant("I decided to pass the deadline in, since a second read races."),
            ChatMessage::assistant("The flag is removed now.").call(
                "a",
                "write",
                r#"{"path":"a.rs"}"#,
            ),
            ChatMessage::tool("a", "ok"),
            ChatMessage::assistant("Now to the tests, there are a few."),
            ChatMessage::user("Go on, there is more to be looked at."),
        ]);
        let first = |heading| below(heading, &text).first().copied().unwrap_or_default();
        assert_eq!(first("## Constraints"), "- User: It must stay below 50 ms.");
        assert_eq!(
            below("## Done", &text),
            [
                "- Assistant: The flag is removed now.",
                "- Called: write(path=a.rs)"
            ]
        );
        assert!(first("## Decisions").starts_with("- Assistant: I decided"));
        assert_eq!(
            below("## Last state", &text),
            [
                "- write: ok",
                "- Assistant: Now to the tests, there are a few."
            ]
        );
    }

    #[test]
    fn what_was_tried_and_failed_is_not_done() {
        let text = all([
            ChatMessage::user("Change both reservations to business class."),
            ChatMessage::assistant("")
                .call("a", "update", r#"{"id":"ABC123"}"#)
                .call("b", "update", r#"{"id":"XYZ789"}"#),
            ChatMessage::tool("a", "Error: not enough seats on HAT229"),
            ChatMessage::tool("b", r#"{"status": "changed"}"#),
        ]);
        assert_eq!(below("## Done", &text), ["- Called: update(id=XYZ789)"]);
        assert_eq!(
            below("## Errors", &text),
            ["- Called: update(id=ABC123): Error: not enough seats on HAT229"]
        );
    }

    #[test]
    fn there_is_always_something_to_say() {
        for (message, says) in [
            (ChatMessage::user("go"), "## Goal\n- User: go"),
            (
                ChatMessage::assistant("ok"),
                "## Last state\n- Assistant: ok",
            ),
            (
                ChatMessage::tool("c", "\nfine\nfine"),
                "## Last state\n- Tool: fine",
            ),
            (
                ChatMessage::assistant("").call("c", "ls", "{}"),
                "## Last state\n- Called: ls()",
            ),
        ] {
            assert_eq!(all([message]), format!("{NOTE}\n\n{says}"));
        }
    }

    #[test]
    fn a_fact_stands_once_with_the_best_of_its_kind_first() {
        let text = all([
            ChatMessage::user("Look at `gate_lock` in crates/gate/src/lock.rs, and nowhere else."),
            ChatMessage::assistant("").call("a", "read", r#"{"path":"crates/gate/src/lock.rs"}"#),
            ChatMessage::tool(
                "a",
                "fn gate_lock() { rare_name(other_name) }\nlock.rs\nport = 8443\nport = 8444",
            ),
            ChatMessage::tool("a", "done\nother_name"),
        ]);
        assert_eq!(
            below("## Facts", &text),
            [
                "- Names: other_name; rare_name",
                "- Numbers: port = 8444, 8443"
            ]
        );
    }

    #[test]
    fn thoughts_code_and_system_messages_are_no_lines() {
        let chat: ChatRequest = serde_json::from_str(
            r#"{"model":"m","messages":[
                {"role":"system","content":"Never say any of this secret_rule."},
                {"role":"user","content":"Show me how it is called, with an example."},
                {"role":"assistant","reasoning":"A secret_thought.","content":
                    "As follows, it takes one argument:\n```\ncall_it(with_this);\n```"}]}"#,
        )
        .unwrap();
        let text = extract(&Transcript::of(&chat, 0..3), None, 1_000, chars).unwrap();
        assert!(!text.contains("secret"), "{text}");
        assert!(
            !text.contains("call_it(") && text.contains("- Names: call_it; with_this"),
            "{text}"
        );
    }

    #[test]
    fn somebody_elses_summary_is_carried_on() {
        let previous = "We port the selector of the shop.\n\n## Decisions\n- Port 8443.\n\n\
                        ## Next steps\n1. Run `cargo bench -p gate`.";
        let later = of([ChatMessage::user("And now the tests of it, all of them.")]);
        let text = extract(&later, Some(previous), 1_000, chars).unwrap();
        assert_eq!(
            below("## Earlier summary", &text),
            [
                "- We port the selector of the shop.",
                "- 1. Run `cargo bench -p gate`."
            ]
        );
        assert_eq!(below("## Decisions", &text), ["- Port 8443."]);
        // It may be all there is, to be made shorter.
        let shorter = extract(&Transcript::default(), Some(previous), 80, chars).unwrap();
        assert!(
            shorter.ends_with("- We port the selector of the shop."),
            "{shorter}"
        );
    }

    #[test]
    fn where_nothing_is_said_or_nothing_fits_there_is_none() {
        assert_eq!(extract(&Transcript::default(), None, 1_000, chars), None);
        assert_eq!(
            extract(&of([ChatMessage::user(" ")]), Some("\n"), 1_000, chars),
            None
        );
        let said = of([ChatMessage::user(
            "Port the selector of the shop, all of it.",
        )]);
        assert_eq!(extract(&said, None, 10, chars), None);
        let short = extract(&said, None, 30, chars).unwrap();
        assert_eq!(short, "- User: Port the selector of …");
    }

    /// What a session adds: one new fact a message, and one that comes again and again.
    fn part(number: usize) -> Transcript {
        let message = |index| {
            let id = 40 * number + index;
            ChatMessage::tool("c", format!("row {id}: item_{id} and main_index"))
        };
        let says = ChatMessage::user(format!("Go on with part_{number} of it, as was said."));
        of([says].into_iter().chain((0..40).map(message)))
    }

    #[test]
    fn what_is_named_again_and_again_outlives_what_is_named_once() {
        let task = of([ChatMessage::user(
            "Import the items of the shop into the new index.",
        )]);
        let mut text = extract(&task, None, 600, chars);
        for number in 0..10 {
            text = extract(&part(number), text.as_deref(), 600, chars);
        }
        let text = text.unwrap();
        assert!(text.contains("main_index"), "{text}");
        assert!(
            text.contains("item_399"),
            "the last part has its share: {text}"
        );
        assert!(text.contains("Import the items"), "{text}");
        assert!(text.contains("part_9"), "{text}");
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

    /// Whether a text is sections in order, each once, of lines that each open with a dash.
    fn is_well_formed(text: &str) -> bool {
        let mut left = Section::ALL.iter();
        let text = text.strip_prefix(NOTE).unwrap_or(text);
        let lines = text.split(['\n', '\r', '\u{85}', '\u{2028}']);
        lines
            .filter(|line| !line.is_empty())
            .all(|line| match line.starts_with('#') {
                true => left.any(|section| section.heading() == line),
                false => line.starts_with("- "),
            })
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
            prop_assert!(is_well_formed(&text), "{}", text);
        }

        #[test]
        fn any_estimator_will_do(said in hostile(), bound in 0_u64..100, counted in vec(0_u64..200, 8)) {
            // One that has no idea.
            let count = |text: &str| counted[text.len() % counted.len()];
            let text = extract(&of(messages(&said)), None, bound, count);
            prop_assert!(text.is_none_or(|text| count(&Envelope::quote(&text)) <= bound));
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn ten_updates_stay_within_the_bound_and_keep_the_task(
            parts in vec(hostile(), 10), bound in 200_u64..2_000,
        ) {
            let task = ChatMessage::user("Move the shop to the new scheduler until Thursday, please.");
            let mut text = extract(&of([task]), None, bound, chars).unwrap();
            for said in parts {
                text = extract(&of(messages(&said)), Some(&text), bound, chars).unwrap();
                prop_assert!(chars(&Envelope::quote(&text)) <= bound);
                prop_assert!(is_well_formed(&text), "{}", text);
                prop_assert_eq!(text.matches("Move the shop to the new scheduler").count(), 1);
            }
        }
    }
}
