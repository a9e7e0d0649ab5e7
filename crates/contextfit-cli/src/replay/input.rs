use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use contextfit::chat::{ChatMessage, ChatRequest, ChatRole};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::error::Category;

/// A conversation as it was recorded.
#[derive(Debug)]
pub(crate) struct Transcript {
    /// The file it was read from.
    pub(crate) name: String,
    /// All of it, as one request.
    pub(crate) recorded: ChatRequest,
    /// The messages of the assistant that somebody asked for.
    pub(crate) replies: Vec<usize>,
}

/// An input that can't be played, and where in it that shows.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{place}: {problem}")]
pub(crate) struct InputError {
    file: String,
    place: Place,
    problem: String,
}

/// A place in a file, from 1; what is 0 isn't known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    line: usize,
    column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for number in [self.line, self.column] {
            if number == 0 {
                break;
            }
            write!(f, ":{number}")?;
        }
        Ok(())
    }
}

/// A problem at a place, in a file that somebody else names.
type Problem = (Place, String);

/// Reads a transcript from a file, or from standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Transcript, InputError> {
    let stdin = path.as_os_str() == "-";
    let name = if stdin {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let mut bytes = Vec::new();
    let read = if stdin {
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let recorded = read
        .map_err(|error| (Place::default(), format!("can't be read: {error}")))
        .and_then(|bytes| parse(&bytes, is_jsonl(path)));
    match recorded {
        Ok((recorded, replies)) => Ok(Transcript {
            name,
            recorded,
            replies,
        }),
        Err((place, problem)) => Err(InputError {
            file: name,
            place,
            problem,
        }),
    }
}

/// Whether a file says by its name that it is JSONL.
fn is_jsonl(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "jsonl" || extension == "ndjson")
}

fn parse(bytes: &[u8], jsonl: bool) -> Result<(ChatRequest, Vec<usize>), Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        (end_of(&before), "isn't UTF-8 text".to_owned())
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let recorded = match form_of(text, jsonl)? {
        Form::Request => parse_request(text),
        Form::Messages => parse_messages(text),
    }?;
    let replies = replies(&recorded.messages).map_err(|problem| {
        let last = Place {
            line: text.trim_end().lines().count().max(1),
            column: 0,
        };
        (last, problem.to_owned())
    })?;
    Ok((recorded, replies))
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
        return Err((Place::default(), format!("is empty: {EXPECTED}")));
    };
    object_in(line, first)?;
    match serde_json::from_str::<Keys>(first) {
        Ok(Keys {
            messages: Some(_), ..
        }) => Ok(Form::Request),
        Ok(Keys { role: Some(_), .. }) => Ok(Form::Messages),
        Ok(_) => Err((
            Place { line, column: 0 },
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
    Err((
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
        (place_of(&error), problem)
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

/// The messages of the assistant that somebody asked for: those after one of the user.
fn replies(messages: &[ChatMessage]) -> Result<Vec<usize>, &'static str> {
    let is = |role| move |message: &ChatMessage| message.role == role;
    if messages.is_empty() {
        return Err("the conversation has no messages");
    }
    if !messages.iter().any(is(ChatRole::Assistant)) {
        return Err("the conversation has no message of the assistant, so nothing to ask for");
    }
    let first = messages.iter().position(is(ChatRole::User));
    let replies: Vec<usize> = (first.unwrap_or(messages.len())..messages.len())
        .filter(|&index| messages[index].role == ChatRole::Assistant)
        .collect();
    if replies.is_empty() {
        return Err("no message of the assistant follows one of the user, so nothing was asked");
    }
    Ok(replies)
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
    (Place { line, column }, problem_of(error))
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

    fn replies_in(text: &str) -> Vec<usize> {
        parse(text.as_bytes(), false).unwrap().1
    }

    /// The place and the problem, as they are shown.
    fn problem(text: impl AsRef<[u8]>) -> String {
        let (place, problem) = parse(text.as_ref(), false).unwrap_err();
        format!("f{place}: {problem}")
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
        assert_eq!(replies_in(&request), [1]);
        let spread = request.replace(',', "\n,\n");
        assert_eq!(replies_in(&spread), [1]);
        for jsonl in [
            format!("{USER}\n{ASSISTANT}"),
            format!("\u{feff}\n{USER}\r\n\r\n  {ASSISTANT}  \r\n{USER}\n"),
        ] {
            assert_eq!(replies_in(&jsonl), [1]);
        }
    }

    #[test]
    fn a_greeting_and_what_nobody_answered_are_no_requests() {
        let text = [ASSISTANT, USER, ASSISTANT, ASSISTANT, USER].join("\n");
        assert_eq!(replies_in(&text), [2, 3]);
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
    fn what_nobody_can_play_is_refused() {
        assert_problem("", "f: ", "is empty");
        assert_problem(" \n\n", "f: ", "is empty");
        assert_problem(r#"{"model":"m","messages":[]}"#, "f:1: ", "no messages");
        assert_problem(
            &format!("{USER}\n{USER}\n"),
            "f:2: ",
            "no message of the assistant",
        );
        assert_problem(ASSISTANT, "f:1: ", "follows one of the user");
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        assert_eq!(problem(b"{\n  \xff"), "f:2:3: isn't UTF-8 text");
        assert_eq!(problem(b"\xff"), "f:1:1: isn't UTF-8 text");
    }

    #[test]
    fn a_broken_first_line_is_the_first_line() {
        let text = format!("{{\"role\":\"user\",\"content\":\"hi\n{ASSISTANT}");
        let (place, _) = parse(text.as_bytes(), true).unwrap_err();
        assert_eq!(place.line, 1);
    }
}
