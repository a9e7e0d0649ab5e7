use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// A text as lines for a reader. JSON becomes a line for each value, `key: value`, so that
/// nothing in it is escaped; any other text stays as it is.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.starts_with(['{', '[']) {
        return Cow::Borrowed(text);
    }
    let mut lines = String::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let read = Value {
        key: "",
        lines: &mut lines,
    };
    match read.deserialize(&mut json).and_then(|()| json.end()) {
        Ok(()) => Cow::Owned(lines),
        Err(_) => Cow::Borrowed(text),
    }
}

/// A value, of which lines are made as it is read.
struct Value<'a> {
    /// What it is of.
    key: &'a str,
    lines: &'a mut String,
}

impl Value<'_> {
    fn line(self, value: impl fmt::Display) {
        if !self.key.is_empty() {
            self.lines.push_str(self.key);
            self.lines.push_str(": ");
        }
        self.lines.push_str(&value.to_string());
        self.lines.push('\n');
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
        self.line(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.line(value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.line(value);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.line(value);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.line(value);
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
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(key) = fields.next_key::<String>()? {
            fields.next_value_seed(Value {
                key: &key,
                lines: self.lines,
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_becomes_a_line_for_each_value() {
        assert_eq!(
            plain(r#"{"id": 7, "to": [{"path": "a\nb"}, "c"], "d": [1.5, null, true], "e": {}}"#),
            "id: 7\npath: a\nb\nto: c\nd: 1.5\nd: true\n"
        );
    }

    #[test]
    fn any_other_text_stays_as_it_is() {
        for text in ["", "{", "[1] and more", "text", &"[".repeat(10_000)] {
            assert_eq!(plain(text), text);
        }
    }
}
