use contextfit::chat::{ChatMessage, ChatRequest};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::error::Category;

use super::error::{Place, Problem};

/// Reads a conversation from a text, with the number of its last line. `jsonl` says that each
/// line is a message, whatever the first one looks like.
pub(super) fn parse(bytes: &[u8], jsonl: bool) -> Result<(ChatRequest, usize), Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| not_text(bytes, error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let request = match form_of(text, jsonl)? {
        Form::Request => parse_request(text),
        Form::Messages => parse_messages(text),
    }?;
    Ok((request, text.trim_end().lines().count().max(1)))
}

/// Whether bytes begin as a conversation does: with an object that has `messages` or a `role`, or
/// with a list of such, which is a conversation that somebody forgot to wrap.
pub(super) fn begins_as_conversation(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_start();
    let first = text.strip_prefix('[').map_or(text, str::trim_start);
    if !first.starts_with('{') {
        return false;
    }
    let mut objects = serde_json::Deserializer::from_str(first).into_iter::<Keys>();
    matches!(
        objects.next(),
        Some(Ok(Keys {
            messages: Some(_),
            ..
        } | Keys { role: Some(_), .. }))
    )
}

/// The problem of bytes that are no text.
pub(super) fn not_text(bytes: &[u8], error: std::str::Utf8Error) -> Problem {
    let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
    Problem::at(end_of(&before), "isn't UTF-8 text")
}

/// The two forms of a transcript.
enum Form {
    /// The whole text is a request.
    Request,
    /// Each line is a message.
    Messages,
}

/// What tells a request from a message.
#[derive(Deserialize)]
struct Keys {
    messages: Option<IgnoredAny>,
    role: Option<IgnoredAny>,
}

/// The form of a text: its first line tells, unless a request is spread over several.
fn form_of(text: &str, jsonl: bool) -> Result<Form, Problem> {
    let Some((line, first)) = lines(text).next() else {
        return Err(Problem::somewhere(format!("is empty: {EXPECTED}")));
    };
    object_in(line, first)?;
    match serde_json::from_str::<Keys>(first) {
        Ok(Keys {
            messages: Some(_), ..
        }) => Ok(Form::Request),
        Ok(Keys { role: Some(_), .. }) => Ok(Form::Messages),
        Ok(_) => Err(Problem::at(
            Place::line(line),
            format!("has neither `messages` nor a `role`: {EXPECTED}"),
        )),
        Err(error) if error.classify() == Category::Eof && !jsonl => Ok(Form::Request),
        Err(error) => Err(problem_in_line(line, &error)),
    }
}

const EXPECTED: &str = "expected a chat request, or a message on each line";
const WRAP: &str = r#"wrap an array of messages as {"model": "…", "messages": […]}"#;

/// Whether a text begins as an object does. What isn't one gives errors nobody understands.
fn object_in(line: usize, text: &str) -> Result<(), Problem> {
    let blank = text.len() - text.trim_start().len();
    if text[blank..].starts_with('{') {
        return Ok(());
    }
    let column = blank + 1;
    let hint = if text[blank..].starts_with('[') {
        WRAP
    } else {
        EXPECTED
    };
    Err(Problem::at(
        Place { line, column },
        format!("isn't a JSON object: {hint}"),
    ))
}

fn parse_request(text: &str) -> Result<ChatRequest, Problem> {
    serde_json::from_str(text).map_err(|error| {
        let mut problem = problem_of(&error);
        if let Some(message) = first_bad_message(text) {
            problem = format!("messages[{message}]: {problem}");
        }
        Problem::at(place_of(&error), problem)
    })
}

/// The first message of a request that isn't one, if that is what is wrong.
fn first_bad_message(text: &str) -> Option<usize> {
    let request: Value = serde_json::from_str(text).ok()?;
    let messages = request.get("messages")?.as_array()?;
    messages
        .iter()
        .position(|message| ChatMessage::deserialize(message).is_err())
}

fn parse_messages(text: &str) -> Result<ChatRequest, Problem> {
    let messages = lines(text).map(|(line, text)| {
        object_in(line, text)?;
        serde_json::from_str(text).map_err(|error| problem_in_line(line, &error))
    });
    let messages: Vec<ChatMessage> = messages.collect::<Result<_, _>>()?;
    Ok(ChatRequest::new("", messages))
}

/// The lines that say something, by their number.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
}

/// Where a text ends.
fn end_of(text: &str) -> Place {
    let line = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let start = text.rfind('\n').map_or(0, |end| end + 1);
    Place {
        line,
        column: text.len() - start + 1,
    }
}

fn place_of(error: &serde_json::Error) -> Place {
    Place {
        line: error.line(),
        column: error.column(),
    }
}

fn problem_in_line(line: usize, error: &serde_json::Error) -> Problem {
    let column = error.column();
    Problem::at(Place { line, column }, problem_of(error))
}

/// What is wrong, in words that somebody understands who never parsed JSON.
fn problem_of(error: &serde_json::Error) -> String {
    match without_place(error) {
        _ if error.is_eof() => "the JSON ends too early".to_owned(),
        text if text == "trailing characters" => {
            "more follows after the end of the JSON: expected one request per file, or JSONL of \
             messages"
                .to_owned()
        }
        text => text,
    }
}

/// What is wrong, without the place that serde_json adds.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages_in(text: &str) -> usize {
        parse(text.as_bytes(), false).unwrap().0.messages.len()
    }

    /// The place and the problem, as they are shown.
    fn problem(text: impl AsRef<[u8]>) -> String {
        format!("f{}", parse(text.as_ref(), false).unwrap_err())
    }

    fn assert_problem(text: &str, start: &str, part: &str) {
        let problem = problem(text);
        assert!(
            problem.starts_with(start) && problem.contains(part),
            "{problem}"
        );
    }

    const USER: &str = r#"{"role":"user","content":"hi"}"#;
    const ASSISTANT: &str = r#"{"role":"assistant","content":"hello"}"#;

    #[test]
    fn both_forms_are_read() {
        let request = format!(r#"{{"model":"m","messages":[{USER},{ASSISTANT}],"tools":[1]}}"#);
        assert_eq!(messages_in(&request), 2);
        let spread = request.replace(',', "\n,\n");
        assert_eq!(messages_in(&spread), 2);
        assert_eq!(messages_in(&format!("{USER}\n{ASSISTANT}")), 2);
        let jsonl = format!("\u{feff}\n{USER}\r\n\r\n  {ASSISTANT}  \r\n{USER}\n");
        assert_eq!(messages_in(&jsonl), 3);
    }

    #[test]
    fn the_last_line_is_the_last_that_says_anything() {
        let last_line = |text: &str| parse(text.as_bytes(), false).unwrap().1;
        assert_eq!(last_line(USER), 1);
        assert_eq!(last_line(&format!("\n{USER}\n\n{ASSISTANT}\n\n")), 4);
    }

    #[test]
    fn json_errors_name_line_and_column() {
        assert_problem("hello", "f:1:1: ", "isn't a JSON object");
        assert_problem("\n\n  [1]", "f:3:3: ", "isn't a JSON object");
        assert_problem(
            &format!("[{USER},{ASSISTANT}]"),
            "f:1:1: ",
            r#"wrap an array of messages as {"model": "…", "messages": […]}"#,
        );
        assert_problem(
            &format!("{USER}\n{{\"role\":}}"),
            "f:2:9: ",
            "expected value",
        );
        assert_problem(&format!("{USER}\n\n7"), "f:3:1: ", "isn't a JSON object");
        assert_problem(
            "{\n\"model\": \"m\",\n\"messages\": 5}",
            "f:3:13: ",
            "expected a sequence",
        );
    }

    #[test]
    fn json_that_ends_too_early_or_too_late_is_explained() {
        assert_problem("{\"model\": \"m\",\n", "f:2: ", "the JSON ends too early");
        assert_problem(
            &format!("{USER}\n{{\"role\":\"us"),
            "f:2:11: ",
            "the JSON ends too early",
        );
        let request = format!(r#"{{"model":"m","messages":[{USER},{ASSISTANT}]}}"#);
        let two = format!("{request}\n{request}");
        assert_problem(&two, "f:2:1: ", "one request per file");
        let one_line = format!("{USER}{ASSISTANT}");
        assert_problem(&one_line, "f:1:", "more follows after the end of the JSON");
    }

    #[test]
    fn messages_that_are_none_are_named() {
        let robot = r#"{"role":"robot","content":"hi"}"#;
        assert_problem(
            &format!("{USER}\n{robot}"),
            "f:2:",
            "unknown variant `robot`",
        );
        let number = r#"{"role":"user","content":5}"#;
        assert_problem(
            &format!("{USER}\n{number}"),
            "f:2:",
            "content must be a text or a list",
        );
        assert_problem(
            &format!("{{\"model\":\"m\",\"messages\":[\n{USER},\n{number}]}}"),
            "f:3:",
            "messages[1]: content must be",
        );
        assert_problem(
            r#"{"content":"hi"}"#,
            "f:1: ",
            "neither `messages` nor a `role`",
        );
        assert_problem(r#"{"messages":[]}"#, "f:1:", "missing field `model`");
    }

    #[test]
    fn an_empty_text_is_no_conversation() {
        assert_problem("", "f: ", "is empty");
        assert_problem(" \n\n", "f: ", "is empty");
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        assert_eq!(problem(b"{\n  \xff"), "f:2:3: isn't UTF-8 text");
        assert_eq!(problem(b"\xff"), "f:1:1: isn't UTF-8 text");
    }

    #[test]
    fn a_broken_first_line_is_the_first_line() {
        let text = format!("{{\"role\":\"user\",\"content\":\"hi\n{ASSISTANT}");
        let problem = parse(text.as_bytes(), true).unwrap_err();
        assert_eq!(problem.place.line, 1);
    }
}
