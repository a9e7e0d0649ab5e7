use std::collections::BTreeSet;
use std::sync::LazyLock;

use contextfit_core::chat::{ChatMessage, ChatRole};
use regex::Regex;
use serde_json::Value;

/// Something that a message says and that can't be guessed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact {
    /// What it is.
    pub kind: FactKind,
    /// As it is written.
    pub text: String,
}

/// What a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactKind {
    /// A URL, a path that starts at `/`, `~`, `.` or `@…`, one of at least three parts, or the name of a
    /// file with a usual ending, with what leads to it.
    Path,
    /// A word in `snake_case`, `camelCase` or `CamelCase`, one joined by `::`, or at least four
    /// letters and digits mixed.
    Identifier,
    /// At least two digits, with the points, colons, slashes and dashes between them, and the commas
    /// between thousands.
    Number,
    /// What a program says that failed: from `…Error:`, `error:`, `failed:` or `panicked at` to the
    /// end of the line, at least 12 characters without the punctuation of code, at most 60 in all.
    Error,
}

impl FactKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Path, Self::Identifier, Self::Number, Self::Error];

    /// Its name in a table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Path => "paths",
            Self::Identifier => "identifiers",
            Self::Number => "numbers",
            Self::Error => "errors",
        }
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?x)
        https?://[A-Za-z0-9_.~/?&=%:@\#+-]*[A-Za-z0-9_/]
        | (?:~|@[a-z0-9-]+|\.{1,2})?(?:/[A-Za-z0-9_.@-]*[A-Za-z0-9_])+
        | (?:[A-Za-z0-9_.@-]+/){2,}[A-Za-z0-9_.@-]*[A-Za-z0-9_]
        | (?:[A-Za-z0-9_.@-]+/)*[A-Za-z0-9_][A-Za-z0-9_.-]*\.
          (?:rs|py|tsx?|jsx?|json|toml|ya?ml|md|html|css|sh|go|java|c|h|cpp|txt|csv|log|sql|exs?|heex
            |lock|cfg|ini|rst|png|jpg|pdf|xml|proto|rb|php)\b",
    )
});
/// What a tool put before a line of a file.
static LINE_NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*[0-9]+[→\t]"));
static IDENTIFIER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*|[A-Za-z0-9]{4,}"));
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:[.:/-][0-9]+)*"));
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?x)
        \b(?: [A-Za-z_.]*(?:Error|Exception) | [Ee]rror(?:\[\w+\])? | ERROR | [Ff]atal | FATAL
            | [Ff]ailed | FAILED ) :\s+ [^\n{};]{12,} $
        | \bpanicked\ at\ .+ $
        | (?:错误|失败)[:：] .{6,} $",
    )
});

/// The facts of a message: of what is said, of the arguments of its calls, of results. Of JSON, these
/// are the values, as they are without escapes, and of a file without the numbers of its lines. System messages have none.
#[must_use]
pub fn facts_of(message: &ChatMessage) -> BTreeSet<Fact> {
    let mut facts = BTreeSet::new();
    if matches!(message.role, ChatRole::System | ChatRole::Developer) {
        return facts;
    }
    let mut of_text = |text: &str| {
        for line in unescaped(text).lines() {
            of_line(&LINE_NUMBER.replace(line, ""), &mut facts);
        }
    };
    if let Some(content) = &message.content {
        of_text(&content.text());
    }
    for call in message.tool_calls.iter() {
        of_text(call.arguments());
    }
    facts
}

/// The paths that the arguments of a message's calls name.
pub(super) fn files_of(message: &ChatMessage) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for call in message.tool_calls.iter() {
        let Ok(Value::Object(arguments)) = serde_json::from_str(call.arguments()) else {
            continue;
        };
        for (name, value) in &arguments {
            let is_file = matches!(&**name, "path" | "file_path" | "file" | "filename");
            files.extend(value.as_str().filter(|_| is_file).map(str::to_owned));
        }
    }
    files
}

fn of_line(line: &str, facts: &mut BTreeSet<Fact>) {
    let mut add = |kind, text: &str| {
        facts.insert(Fact {
            kind,
            text: text.to_owned(),
        })
    };
    if let Some(error) = ERROR.find(line.trim_end()) {
        let text: String = error.as_str().chars().take(60).collect();
        add(FactKind::Error, text.trim_end());
    }
    // What is a path is no identifier besides, and no number.
    let mut taken = vec![false; line.len() + 1];
    let mut free = |start: usize, end: usize| {
        let before = line[..start].chars().next_back();
        let after = line[end..].chars().next();
        let inside = |char: Option<char>| {
            char.is_some_and(|char| char.is_ascii_alphanumeric() || char == '_')
        };
        let free = !taken[start..end].contains(&true) && !inside(before) && !inside(after);
        if free {
            taken[start..end].fill(true);
        }
        free
    };
    for path in PATH.find_iter(line) {
        let letters = path.as_str().bytes().any(|byte| byte.is_ascii_alphabetic());
        if letters && path.len() <= 150 && free(path.start(), path.end()) {
            add(FactKind::Path, path.as_str());
        }
    }
    for word in IDENTIFIER.find_iter(line) {
        if is_identifier(word.as_str()) && free(word.start(), word.end()) {
            add(FactKind::Identifier, word.as_str());
        }
    }
    for number in NUMBER.find_iter(line) {
        let digits = number.as_str().bytes().filter(u8::is_ascii_digit).count();
        if digits >= 2 && free(number.start(), number.end()) {
            add(FactKind::Number, number.as_str());
        }
    }
}

fn is_identifier(word: &str) -> bool {
    let bytes = word.as_bytes();
    let any = |is: fn(&u8) -> bool| bytes.iter().any(is);
    let letters = any(u8::is_ascii_alphabetic);
    let snake = word.trim_matches('_').contains('_');
    let camel = bytes
        .windows(2)
        .any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    let mixed = word.len() >= 4 && any(u8::is_ascii_digit);
    letters && word.len() <= 100 && (snake || camel || mixed || word.contains("::"))
}

/// JSON as its values, a line each; any other text as it is.
fn unescaped(text: &str) -> String {
    let json = text.trim_start().starts_with(['{', '[']);
    match serde_json::from_str::<Value>(text) {
        Ok(value) if json => {
            let mut lines = Vec::new();
            values(&value, &mut lines);
            lines.join("\n")
        }
        _ => text.to_owned(),
    }
}

fn values(value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| values(item, lines)),
        Value::Object(fields) => fields.values().for_each(|field| values(field, lines)),
        Value::String(text) => lines.push(text.clone()),
        other => lines.push(other.to_string()),
    }
}

impl Fact {
    /// Whether a text says it, as a word of its own. An error may be cut to 40 characters.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        if self.kind == FactKind::Error {
            let start: String = self.text.chars().take(40).collect();
            return text.contains(start.trim_end());
        }
        is_word_of(&self.text, text)
    }
}

/// Whether a text holds a word that is no part of a longer one.
pub(super) fn is_word_of(word: &str, text: &str) -> bool {
    let is_inner = |char: char| char.is_ascii_alphanumeric() || char == '_';
    text.match_indices(word).any(|(start, word)| {
        !text[..start].ends_with(is_inner) && !text[start + word.len()..].starts_with(is_inner)
    })
}
