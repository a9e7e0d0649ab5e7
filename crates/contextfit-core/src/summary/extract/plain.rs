use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::line::start_of;

/// A line of a text, and where in it the value starts: before that is a name that a program gave it.
pub(super) type Said<'a> = (&'a str, usize);

/// The text of a call or a result, as lines for a reader.
pub(super) enum Plain<'a> {
    Text(&'a str),
    /// JSON: a line for each value, `key: value`, so that nothing in it is escaped.
    Json(Vec<(String, usize)>),
}

impl<'a> Plain<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut lines = Vec::new();
        if text.starts_with(['{', '[']) {
            let mut json = serde_json::Deserializer::from_str(text);
            let value = Value {
                key: "",
                lines: &mut lines,
            };
            if value
                .deserialize(&mut json)
                .and_then(|()| json.end())
                .is_ok()
            {
                return Self::Json(lines);
            }
        }
        Self::Text(text)
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = Said<'_>> {
        let (text, json) = match self {
            Self::Text(text) => (*text, &[][..]),
            Self::Json(lines) => ("", &**lines),
        };
        let json = json.iter().map(|(line, value)| (&**line, *value));
        text.lines()
            .map(|line| (without_number(line), 0))
            .chain(json)
    }
}

/// A line of a file without the number that a tool put before it.
fn without_number(line: &str) -> &str {
    let digits = line.trim_start();
    let rest = digits.trim_start_matches(|char: char| char.is_ascii_digit());
    match rest.strip_prefix(['→', '\t']) {
        Some(text) if rest.len() < digits.len() => text,
        _ => line,
    }
}

/// The arguments of a call that are short, sorted by name. What goes on over many lines is seldom
/// what a call is about; if all do, this is the start of the first.
pub(super) fn short_arguments(text: &str) -> String {
    const LONGEST: usize = 160;
    let arguments: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(text).unwrap_or_default();
    let arguments = arguments.into_iter().map(|(name, value)| match value {
        serde_json::Value::String(text) => format!("{name}={}", text.trim()),
        other => format!("{name}={other}"),
    });
    let (short, long): (Vec<_>, Vec<_>) =
        arguments.partition(|argument| argument.len() <= LONGEST && !argument.contains('\n'));
    match long.first().and_then(|first| first.lines().next()) {
        Some(start) if short.is_empty() => start_of(start, LONGEST).into_owned(),
        _ => short.join(", "),
    }
}

/// A value, of which lines are made as it is read.
struct Value<'a> {
    /// What it is of.
    key: &'a str,
    lines: &'a mut Vec<(String, usize)>,
}

impl Value<'_> {
    /// The longest key that is shown, in bytes. It stands before each item of a list: a longer one
    /// would be many times what there is to read.
    const LONGEST_KEY: usize = 80;

    fn says(self, value: impl fmt::Display) {
        let value = value.to_string();
        let mut key = match self.key {
            key if key.len() > Self::LONGEST_KEY => Cow::Borrowed(""),
            key => Cow::Borrowed(key),
        };
        if !key.is_empty() {
            key += ": ";
        }
        for line in value.lines() {
            self.lines.push((format!("{key}{line}"), key.len()));
            // It is of the first.
            key = Cow::Borrowed("");
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.says(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.says(value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.says(value);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.says(value);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.says(value);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        loop {
            let item = Value {
                key: self.key,
                lines: &mut *self.lines,
            };
            if items.next_element_seed(item)?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(key) = fields.next_key::<String>()? {
            fields.next_value_seed(Value {
                key: &key,
                lines: &mut *self.lines,
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let plain = Plain::of(text);
        let lines = plain
            .lines()
            .map(|(line, value)| format!("{}|{}", &line[..value], &line[value..]));
        lines.collect()
    }

    #[test]
    fn json_becomes_a_line_for_each_value() {
        assert_eq!(
            lines(r#"{"id": 7, "to": [{"path": "a\nb"}, "c"], "d": [1.5, null, true], "e": {}}"#),
            ["id: |7", "path: |a", "|b", "to: |c", "d: |1.5", "d: |true"]
        );
    }

    #[test]
    fn a_long_key_does_not_multiply_a_list() {
        let items = vec!["7"; 2_000].join(",");
        let json = format!(r#"{{"{}":[{items}]}}"#, "k".repeat(20_000));
        let length: usize = lines(&json).iter().map(String::len).sum();
        assert!(length < json.len());
    }

    #[test]
    fn any_other_text_stays_as_it_is() {
        for text in ["{", "[1] and more", "text", &"[".repeat(10_000)] {
            assert_eq!(lines(text), [format!("|{text}")]);
        }
    }

    #[test]
    fn numbers_of_lines_are_no_part_of_them() {
        assert_eq!(
            lines("   49→  a = 1\n50\tb\n51 c\n→d"),
            ["|  a = 1", "|b", "|51 c", "|→d"]
        );
    }

    #[test]
    fn what_a_call_is_about_is_short() {
        let long = "x".repeat(200);
        let call = format!(r#"{{"b": "two\nlines", "path": "a.rs", "n": [1], "long": "{long}"}}"#);
        assert_eq!(short_arguments(&call), "n=[1], path=a.rs");
        assert_eq!(
            short_arguments(r#"{"command": "a\nb", "x": "c\nd"}"#),
            "command=a"
        );
        assert_eq!(short_arguments("no JSON"), "");
    }
}
