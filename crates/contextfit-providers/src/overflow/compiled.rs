use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Captures, Regex, RegexBuilder};

use super::known::FRAGMENTS;
use super::number::{NUMBER, limit, output, tokens};
use super::required::required;
use super::template::Grade;
use super::{Classified, Template, TemplateError};

/// Bytes behind a match that say what its numbers count.
const BEHIND: usize = 24;

/// The groups that are numbers.
const NUMBERS: [&str; 7] = [
    "input",
    "input_after",
    "output",
    "output_after",
    "requested",
    "limit",
    "limit_after",
];

/// A template that can be asked.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) template: Template,
    pattern: String,
    /// Compiled when it is first asked: most never are.
    regex: OnceLock<Option<Regex>>,
}

impl Compiled {
    pub(super) fn new(template: Template) -> Self {
        Self {
            pattern: expand(&template.pattern),
            template,
            regex: OnceLock::new(),
        }
    }

    /// Compiles it now, and looks whether it means something.
    pub(super) fn check(&self) -> Result<(), TemplateError> {
        let name = || self.template.name.to_string();
        let unknown = |number: &str| TemplateError::UnknownNumber {
            name: name(),
            number: number.to_owned(),
        };
        if let Some(number) = placeholder(&self.pattern) {
            return Err(unknown(number));
        }
        let regex = compile(&self.pattern).map_err(|source| TemplateError::Invalid {
            name: name(),
            pattern: self.template.pattern.to_string(),
            source,
        })?;
        let mut groups = regex.capture_names().flatten();
        if let Some(group) = groups.find(|group| !NUMBERS.contains(group)) {
            return Err(unknown(group));
        }
        if regex.is_match(b"") {
            return Err(TemplateError::MatchesAnything { name: name() });
        }
        let _ = self.regex.set(Some(regex));
        Ok(())
    }

    /// Sets of texts: all that it matches has one of each.
    pub(super) fn required(&self) -> Vec<BTreeSet<Vec<u8>>> {
        required(&self.pattern)
    }

    /// What it reads in a part of a plain text, if it matches there.
    pub(super) fn read(&self, text: &[u8], part: Range<usize>) -> Option<Classified> {
        let regex = self.regex.get_or_init(|| compile(&self.pattern).ok());
        let from = part.start;
        let captures = regex.as_ref()?.captures(text.get(part)?)?;
        let end = from + captures.get(0)?.end();
        let Template {
            name, class, scope, ..
        } = &self.template;
        let mut classified = Classified {
            class: *class,
            template: Some(name.clone()),
            scope: *scope,
            ..Classified::default()
        };
        let behind = &text[end..text.len().min(end + BEHIND)];
        if !count_characters(&captures[0]) && !count_characters(behind) {
            let get = |name| number(&captures, name);
            let input = get("input").or_else(|| get("input_after"));
            classified.input = input.and_then(tokens);
            let asked = get("output").or_else(|| get("output_after"));
            classified.output = asked.and_then(output);
            classified.requested = get("requested").and_then(tokens);
            let most = get("limit").or_else(|| get("limit_after"));
            classified.limit = most.and_then(limit);
        }
        let classified = classified.conclude();
        // In free words, any number may stand for anything: two that make sense are what they seem.
        let is_guess =
            self.template.grade == Grade::Kind && classified.requested_tokens().is_some();
        (!is_guess || classified.is_proof()).then_some(classified)
    }
}

fn number<'a>(captures: &Captures<'a>, name: &str) -> Option<&'a [u8]> {
    captures.name(name).map(|found| found.as_bytes())
}

/// Whether numbers are of characters, which are no tokens.
fn count_characters(text: &[u8]) -> bool {
    text.windows(4).any(|window| window == b"char")
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    // Bytes, because counted gaps are large automata in Unicode.
    RegexBuilder::new(pattern)
        .unicode(false)
        .size_limit(1 << 22)
        .build()
}

/// The regular expression of a pattern, for plain texts: in lower case, without quotes, with what
/// stands for numbers and fragments filled in.
fn expand(pattern: &str) -> String {
    let mut expanded = lower(pattern);
    for (name, fragment) in FRAGMENTS {
        expanded = expanded.replace(name, fragment);
    }
    for name in NUMBERS {
        expanded = expanded.replace(&format!("{{{name}}}"), &format!("(?<{name}>{NUMBER})"));
    }
    expanded
}

/// What stands for a number in a pattern, and is none of those that are known. A brace with digits
/// in it is a repetition.
fn placeholder(expanded: &str) -> Option<&str> {
    let inside = expanded.split('{').skip(1);
    let names = inside.filter_map(|rest| rest.split_once('}').map(|(name, _)| name));
    let is_name = |name: &str| {
        let mut chars = name.chars();
        chars
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic())
            && chars.all(|char| char.is_ascii_alphabetic() || char == '_')
    };
    names.into_iter().find(|name| is_name(name))
}

/// What plain texts don't have.
const QUOTES: [char; 3] = ['\'', '"', '`'];

/// Lowers the letters of a pattern, but for those that mean something else then: `\D`, `(?P<a>`.
fn lower(pattern: &str) -> String {
    let mut lowered = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                let escaped = chars.next().filter(|next| !QUOTES.contains(next));
                lowered.extend(escaped.map(|_| char));
                lowered.extend(escaped);
            }
            _ if QUOTES.contains(&char) => {}
            '(' if chars.peek() == Some(&'?') => {
                lowered.push(char);
                let is_end = |char: &char| matches!(char, '>' | ':' | ')');
                while let Some(flag) = chars.next_if(|char| !is_end(char)) {
                    lowered.push(flag);
                }
            }
            _ => lowered.push(char.to_ascii_lowercase()),
        }
    }
    lowered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overflow::Class;

    fn read(pattern: &'static str, text: &str) -> Option<Classified> {
        let compiled = Compiled::new(Template::new("a", Class::InputTooLong, pattern));
        compiled.check().unwrap();
        compiled.read(text.as_bytes(), 0..text.len())
    }

    #[test]
    fn letters_and_quotes_of_a_pattern_are_those_of_a_plain_text() {
        for (pattern, expected) in [
            ("The Model's Limit", "the models limit"),
            (r"\D\W(?P<limit>\d+)", r"\D\W(?P<limit>\d+)"),
            (r"(?i-u:A)\'", "(?i-u:a)"),
            ("[A-Z]", "[a-z]"),
        ] {
            assert_eq!(lower(pattern), expected);
        }
    }

    #[test]
    fn groups_are_numbers_by_their_names_and_by_their_braces() {
        for pattern in [
            r"Holds (?P<limit>\d+), not (?P<input>\d+)",
            "holds {limit}, not {input}",
        ] {
            let read = read(pattern, "it holds 4096, not 5000!").unwrap();
            assert_eq!((read.limit, read.input), (Some(4_096), Some(5_000)));
        }
    }

    #[test]
    fn characters_are_no_tokens() {
        let limit = |text| read("holds {limit}", text).map(|read| read.limit);
        assert_eq!(limit("holds 4096 tokens"), Some(Some(4_096)));
        assert_eq!(limit("holds 4096 characters"), Some(None));
        assert_eq!(limit("holds 12"), Some(None));
        assert_eq!(limit("hold 4096"), None);
    }
}
