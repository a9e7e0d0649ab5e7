use contextfit_core::request::AdapterError;
use jiter::{Jiter, JiterError, Peek};

use super::{Path, Span};

/// Reads a JSON body in one pass.
///
/// Nothing is copied: what is read is where it stands. Every error names the place by its path.
pub(crate) struct Reader<'a> {
    json: Jiter<'a>,
    body: &'a str,
    /// Where in the body this reader's part of it starts.
    offset: usize,
    path: Path,
    takes_snake_case: bool,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Array,
    Object,
    Null,
    Number,
    Bool,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
            Self::Null => "null",
            Self::Number => "a number",
            Self::Bool => "true or false",
        }
    }
}

/// The depth at which what is nested deeper is taken as a whole.
const DEPTH: usize = 64;

impl<'a> Reader<'a> {
    pub(crate) fn new(body: &'a str) -> Self {
        Self {
            json: Jiter::new(body.as_bytes()),
            body,
            offset: 0,
            path: Path::default(),
            takes_snake_case: false,
        }
    }

    /// From now on, a field whose name has `camelCase` may be written in `snake_case` too, as in
    /// JSON of protocol buffers.
    pub(crate) fn take_snake_case(&mut self) {
        self.takes_snake_case = true;
    }

    /// Reads again, and more closely, a value that was read as a whole: that of a field of this
    /// name, or the value itself where it has none.
    pub(crate) fn within<T>(
        &mut self,
        value: Span,
        field: &'static str,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, AdapterError>,
    ) -> Result<T, AdapterError> {
        let mut path = std::mem::take(&mut self.path);
        let depth = path.depth();
        if !field.is_empty() {
            path.enter_field(field);
        }
        let quotes = usize::from(value.is_literal());
        let start = value.start() - quotes;
        let part = self.body.get(start..value.end() + quotes);
        let mut inner = Reader {
            json: Jiter::new(part.unwrap_or_default().as_bytes()),
            body: self.body,
            offset: start,
            path,
            takes_snake_case: self.takes_snake_case,
        };
        let result = read(&mut inner);
        self.path = inner.path;
        self.path.truncate(depth);
        result
    }

    /// The body that is read.
    pub(crate) const fn body(&self) -> &'a str {
        self.body
    }

    /// Whether what comes now is so deep inside that nobody looks further.
    pub(crate) fn is_deep(&self) -> bool {
        self.path.depth() >= DEPTH
    }

    /// How deep inside what comes now is.
    pub(crate) fn depth(&self) -> usize {
        self.path.depth()
    }

    /// What comes next.
    pub(crate) fn kind(&mut self) -> Result<Kind, AdapterError> {
        let peek = self.json.peek();
        let peek = peek.map_err(|error| self.malformed(&error))?;
        Ok(match peek {
            Peek::String => Kind::Text,
            Peek::Array => Kind::Array,
            Peek::Object => Kind::Object,
            Peek::Null => Kind::Null,
            Peek::True | Peek::False => Kind::Bool,
            _ => Kind::Number,
        })
    }

    /// Any value, as a whole; a string as the text in it.
    pub(crate) fn value(&mut self) -> Result<Span, AdapterError> {
        let kind = self.kind()?;
        let start = self.json.current_index();
        let skipped = self.json.next_skip();
        skipped.map_err(|error| self.malformed(&error))?;
        let [start, end] = [start, self.json.current_index()].map(|at| self.offset + at);
        Ok(if kind == Kind::Text {
            Span::literal(start, end)
        } else {
            Span::raw(start, end)
        })
    }

    /// A string.
    pub(crate) fn text(&mut self) -> Result<Span, AdapterError> {
        self.expect(Kind::Text)?;
        self.value()
    }

    /// A string, or nothing where there is `null`.
    pub(crate) fn optional_text(&mut self) -> Result<Option<Span>, AdapterError> {
        if self.is_null()? {
            return Ok(None);
        }
        self.text().map(Some)
    }

    /// A string that decides something, resolved.
    pub(crate) fn word(&mut self) -> Result<std::borrow::Cow<'a, str>, AdapterError> {
        Ok(self.text()?.text(self.body).decode())
    }

    /// A whole number, and where it stands; or nothing where there is `null`, or a number below 0:
    /// to some servers that is no bound at all.
    pub(crate) fn tokens(&mut self) -> Result<Option<(u32, Span)>, AdapterError> {
        if self.is_null()? {
            return Ok(None);
        }
        self.expect(Kind::Number)?;
        let span = self.value()?;
        // Some clients write 1024.0, or 1e3.
        let number: f64 = span.written(self.body).parse().unwrap_or(f64::NAN);
        if number.fract() != 0.0 {
            return Err(self.wrong("a whole number of tokens was expected"));
        }
        // What is too large for that is as good as the most.
        Ok((number >= 0.0).then_some((number as u32, span)))
    }

    /// Takes a `null`, if that is what comes next.
    pub(crate) fn is_null(&mut self) -> Result<bool, AdapterError> {
        let is_null = self.kind()? == Kind::Null;
        if is_null {
            self.value()?;
        }
        Ok(is_null)
    }

    /// The fields of an object, each once: `read` is told the name where it is one of `names`, and
    /// else an empty one. It has to read the value.
    pub(crate) fn object(
        &mut self,
        names: &'static [&'static str],
        mut read: impl FnMut(&mut Self, &'static str) -> Result<(), AdapterError>,
    ) -> Result<Span, AdapterError> {
        self.expect(Kind::Object)?;
        let start = self.json.current_index();
        let mut seen = 0_u64;
        let mut is_first = true;
        loop {
            let field = if is_first {
                self.json.next_object()
            } else {
                self.json.next_key()
            };
            is_first = false;
            let known = match field {
                Ok(None) => break,
                Ok(Some(field)) => names.iter().position(|&name| {
                    name == field || self.takes_snake_case && is_snake_case_of(name, field)
                }),
                Err(error) => return Err(self.malformed(&error)),
            };
            let Some(number) = known else {
                self.path.enter_unknown();
                read(self, "")?;
                self.path.leave();
                continue;
            };
            self.path.enter_field(names[number]);
            if seen >> number & 1 == 1 {
                return Err(self.wrong("the field is given twice"));
            }
            seen |= 1 << number;
            read(self, names[number])?;
            self.path.leave();
        }
        let [start, end] = [start, self.json.current_index()].map(|at| self.offset + at);
        Ok(Span::raw(start, end))
    }

    /// The elements of an array. `read` has to read each.
    pub(crate) fn array(
        &mut self,
        mut read: impl FnMut(&mut Self, usize) -> Result<(), AdapterError>,
    ) -> Result<Span, AdapterError> {
        self.expect(Kind::Array)?;
        let start = self.json.current_index();
        let first = self.json.next_array();
        let mut next = first.map_err(|error| self.malformed(&error))?;
        let mut index = 0;
        while next.is_some() {
            self.path.enter_element(index);
            read(self, index)?;
            self.path.leave();
            index += 1;
            let step = self.json.array_step();
            next = step.map_err(|error| self.malformed(&error))?;
        }
        let [start, end] = [start, self.json.current_index()].map(|at| self.offset + at);
        Ok(Span::raw(start, end))
    }

    /// Nothing may follow.
    pub(crate) fn end(&mut self) -> Result<(), AdapterError> {
        let finished = self.json.finish();
        finished.map_err(|error| self.malformed(&error))
    }

    /// That the value here isn't what it has to be.
    pub(crate) fn wrong(&self, problem: impl Into<String>) -> AdapterError {
        AdapterError::new(self.path.to_string(), problem)
    }

    /// That the value of a field here isn't what it has to be.
    pub(crate) fn wrong_in(&mut self, field: &'static str, problem: String) -> AdapterError {
        self.path.enter_field(field);
        let error = self.wrong(problem);
        self.path.leave();
        error
    }

    /// That a field is missing here.
    pub(crate) fn missing(&self, field: &str) -> AdapterError {
        self.wrong(format!("`{field}` is missing"))
    }

    fn expect(&mut self, expected: Kind) -> Result<(), AdapterError> {
        let kind = self.kind()?;
        if kind == expected {
            return Ok(());
        }
        let problem = format!("{} was expected, not {}", expected.name(), kind.name());
        Err(self.wrong(problem))
    }

    fn malformed(&self, error: &JiterError) -> AdapterError {
        let at = self.offset + error.index;
        self.wrong(format!(
            "the JSON is malformed at byte {at}: {}",
            error.error_type
        ))
    }
}

/// Whether a field is a name in `camelCase`, written in `snake_case`.
fn is_snake_case_of(name: &str, field: &str) -> bool {
    let mut written = field.bytes();
    let is_written = name.bytes().all(|byte| {
        let is_new_word = byte.is_ascii_uppercase();
        (!is_new_word || written.next() == Some(b'_'))
            && written.next() == Some(byte.to_ascii_lowercase())
    });
    is_written && written.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_all(body: &str) -> Result<Span, AdapterError> {
        let mut reader = Reader::new(body);
        let value = reader.value()?;
        reader.end()?;
        Ok(value)
    }

    #[test]
    fn each_value_is_where_it_stands() {
        let body = r#" { "a" : "x\"y" , "b":[1, null ,{"c":true}],"d":"" } "#;
        let mut found = Vec::new();
        let whole = Reader::new(body)
            .object(&["a", "b", "d"], |reader, name| {
                let value = reader.value()?;
                found.push((name, value.text(body).decode().into_owned()));
                Ok(())
            })
            .unwrap();
        assert_eq!(whole.written(body), body.trim());
        let expected = [("a", "x\"y"), ("b", "[1, null ,{\"c\":true}]"), ("d", "")];
        assert_eq!(found, expected.map(|(name, text)| (name, text.to_owned())));
    }

    #[test]
    fn a_value_that_was_read_as_a_whole_can_be_read_again() {
        let body = r#"{"outer":{"a":["x","y"],"a2":7}}"#;
        let mut texts = Vec::new();
        let mut problem = None;
        Reader::new(body)
            .object(&["outer"], |reader, _| {
                let outer = reader.value()?;
                problem = reader
                    .within(outer, "inner", |reader| {
                        reader.object(&["a", "a2"], |reader, name| {
                            if name == "a2" {
                                return reader.text().map(drop);
                            }
                            reader
                                .array(|reader, _| {
                                    texts.push(reader.text()?.written(body));
                                    Ok(())
                                })
                                .map(drop)
                        })
                    })
                    .err();
                Ok(())
            })
            .unwrap();
        assert_eq!(texts, ["x", "y"]);
        assert_eq!(problem.unwrap().place(), "outer.inner.a2");
    }

    #[test]
    fn a_field_that_is_given_twice_is_refused_by_name() {
        let read =
            |body: &str| Reader::new(body).object(&["a"], |reader, _| reader.value().map(drop));
        let error = read(r#"{"a":1,"b":2,"b":3,"\u0061":4}"#).unwrap_err();
        assert_eq!(error.place(), "a");
        assert!(read(r#"{"a":1,"b":2,"b":3}"#).is_ok());
    }

    #[test]
    fn a_field_in_either_spelling_is_one_field() {
        let read = |body: &str, takes_snake_case: bool| {
            let mut reader = Reader::new(body);
            if takes_snake_case {
                reader.take_snake_case();
            }
            let mut known = 0;
            reader
                .object(&["aBigName"], |reader, name| {
                    known += usize::from(!name.is_empty());
                    reader.value().map(drop)
                })
                .map(|_| known)
        };
        for (field, with, without) in [
            ("aBigName", 1, 1),
            ("a_big_name", 1, 0),
            ("a_bigName", 0, 0),
            ("a_big_nam", 0, 0),
            ("a_big_name_", 0, 0),
            ("abigname", 0, 0),
        ] {
            let body = format!(r#"{{"{field}":1}}"#);
            assert_eq!(read(&body, true).unwrap(), with, "{field}");
            assert_eq!(read(&body, false).unwrap(), without, "{field}");
        }
        let both = r#"{"aBigName":1,"a_big_name":2}"#;
        assert_eq!(read(both, true).unwrap_err().place(), "aBigName");
        assert!(read(both, false).is_ok());
    }

    #[test]
    fn fields_that_nobody_knows_are_deep_too() {
        fn depth(reader: &mut Reader<'_>) -> Result<usize, AdapterError> {
            let mut inner = 0;
            if reader.is_deep() || reader.kind()? != Kind::Object {
                reader.value()?;
                return Ok(0);
            }
            reader.object(&[], |reader, _| {
                inner = depth(reader)?;
                Ok(())
            })?;
            Ok(inner + 1)
        }
        let body = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        assert_eq!(depth(&mut Reader::new(&body)).unwrap(), DEPTH);
    }

    #[test]
    fn tokens_are_whole_numbers() {
        let read = |body: &'static str| Reader::new(body).tokens();
        assert_eq!(read("1024").unwrap().unwrap().0, 1024);
        assert_eq!(read("1024.00").unwrap().unwrap().0, 1024);
        assert_eq!(read("1e3").unwrap().unwrap().0, 1000);
        assert_eq!(read("1.5E+1").unwrap().unwrap().0, 15);
        assert_eq!(read("0").unwrap().unwrap().0, 0);
        assert_eq!(read("99999999999").unwrap().unwrap().0, u32::MAX);
        for unbounded in ["null", "-1", "-2.0"] {
            assert!(read(unbounded).unwrap().is_none(), "{unbounded}");
        }
        for wrong in ["1.5", "-1.5", "1e-3", "1e400", "\"7\"", "[]", "true"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_not_followed() {
        let deep = "[".repeat(100_000);
        assert!(read_all(&deep).is_err());
        let closed = format!("{}{}", "[".repeat(150), "]".repeat(150));
        assert!(read_all(&closed).is_ok());
    }

    proptest! {
        #[test]
        fn what_serde_json_reads_is_read_and_what_it_refuses_is_refused(
            body in r#"([\[\]{},: \n]|"a"|"\\u00e9"|"\\n"|-?[0-9]{1,3}|[.eE+]|null|true|x){0,12}"#
        ) {
            let expected = serde_json::from_str::<serde_json::Value>(&body);
            prop_assert_eq!(read_all(&body).is_ok(), expected.is_ok(), "{}", body);
        }
    }
}
