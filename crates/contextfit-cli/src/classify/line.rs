use serde_json::Value;

/// An error as it stands in a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) body: String,
    pub(super) status: Option<u16>,
    /// What is odd about it.
    pub(super) oddity: Option<Oddity>,
}

/// What is odd about a line, which is read all the same.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Oddity {
    #[error("there is no text")]
    Empty,
    #[error("the line isn't UTF-8 text: what isn't was replaced")]
    NotText,
    #[error("`body` isn't a text: its JSON was read")]
    Body,
    #[error("`http_status` isn't a number from 100 to 999: it was left out")]
    Status,
}

impl Line {
    pub(super) fn read(line: &[u8]) -> Self {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Self {
                oddity: Some(Oddity::Empty),
                ..Self::default()
            };
        }
        let text = String::from_utf8_lossy(line);
        let is_text = matches!(text, std::borrow::Cow::Borrowed(_));
        let mut read = Self::object(&text).unwrap_or_else(|| Self {
            body: text.into_owned(),
            ..Self::default()
        });
        if !is_text {
            read.oddity = Some(Oddity::NotText);
        }
        read
    }

    /// Reads a line that is an object with a body. What a provider sends is an object too, and has
    /// none.
    fn object(line: &str) -> Option<Self> {
        let Ok(Value::Object(mut object)) = serde_json::from_str(line) else {
            return None;
        };
        let mut read = Self::default();
        match object.remove("body")? {
            Value::String(body) => {
                read.oddity = body.trim().is_empty().then_some(Oddity::Empty);
                read.body = body;
            }
            other => {
                read.body = other.to_string();
                read.oddity = Some(Oddity::Body);
            }
        }
        match object.get("http_status") {
            None | Some(Value::Null) => {}
            Some(status) => {
                // Logs often have it as a text.
                let number = status.as_u64();
                let number = number.or_else(|| status.as_str()?.trim().parse().ok());
                read.status = number.and_then(|status| u16::try_from(status).ok());
                read.status = read.status.filter(|status| (100..1_000).contains(status));
                if read.status.is_none() {
                    read.oddity = Some(Oddity::Status);
                }
            }
        }
        Some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(body: &str, status: Option<u16>, oddity: Option<Oddity>) -> Line {
        let body = body.to_owned();
        Line {
            body,
            status,
            oddity,
        }
    }

    fn read(text: &str) -> Line {
        Line::read(text.as_bytes())
    }

    #[test]
    fn a_line_is_a_text_or_has_one() {
        for (text, body, status) in [
            ("prompt is too long\r", "prompt is too long", None),
            (r#"{"body": "a", "http_status": 413}"#, "a", Some(413)),
            (r#"{"body": "a", "http_status": "413"}"#, "a", Some(413)),
            (
                r#"{"body": "a", "http_status": null, "more": 1}"#,
                "a",
                None,
            ),
            (r#"{"body": "a"}"#, "a", None),
            (r#"{"error": "a"}"#, r#"{"error": "a"}"#, None),
            (r#"{"body":"#, r#"{"body":"#, None),
            ("[1]", "[1]", None),
        ] {
            assert_eq!(read(text), line(body, status, None), "{text}");
        }
    }

    #[test]
    fn what_is_odd_is_read_and_said() {
        for body in ["5", "null", r#"{"a":"b"}"#] {
            let text = format!("{{\"body\": {body}}}");
            assert_eq!(read(&text), line(body, None, Some(Oddity::Body)));
        }
        assert_eq!(read(r#"{"body": ""}"#), line("", None, Some(Oddity::Empty)));
        for status in ["\"4xx\"", "99", "1000", "70000", "4.5", "-1", "[]"] {
            let text = format!("{{\"body\": \"a\", \"http_status\": {status}}}");
            assert_eq!(read(&text), line("a", None, Some(Oddity::Status)));
        }
        for text in ["", " ", "\r", "\t \r"] {
            assert_eq!(read(text), line("", None, Some(Oddity::Empty)));
        }
        let broken = Line::read(b"prompt is too long \xff");
        let replaced = "prompt is too long \u{fffd}";
        assert_eq!(broken, line(replaced, None, Some(Oddity::NotText)));
    }
}
