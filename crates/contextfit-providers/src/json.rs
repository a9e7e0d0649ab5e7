//! JSON read as far as it is needed, and no further.

use std::borrow::Cow;

use jiter::{Jiter, JiterResult, Peek};

/// A place in a text of JSON, before a value. What is read of it moves the place on; so whatever is
/// looked for, each byte is read once.
///
/// Reading is lenient: what isn't there, isn't of the type asked for, or isn't JSON, is nothing, and
/// what stands before a fault is read.
#[derive(Debug)]
pub(crate) struct Json<'a> {
    text: &'a [u8],
    jiter: Jiter<'a>,
    is_broken: bool,
}

impl<'a> Json<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            jiter: Jiter::new(text),
            is_broken: false,
        }
    }

    /// Shows the fields of an object in their order, up to where it is broken. What isn't read of a
    /// field is skipped. Anything else than an object is left.
    pub(crate) fn object(&mut self, mut visit: impl FnMut(&mut Self, &str)) {
        if !self.is_object() {
            return;
        }
        let mut next = self.name(|jiter| jiter.next_object_bytes());
        while let Some(name) = next {
            self.value(|json| visit(json, &name));
            if self.is_broken {
                return;
            }
            next = self.name(|jiter| jiter.next_key_bytes());
        }
    }

    /// Shows the items of an array, up to where it is broken. What isn't read of an item is skipped.
    /// Anything else than an array is left.
    pub(crate) fn array(&mut self, mut visit: impl FnMut(&mut Self)) {
        if self.peek() != Some(Peek::Array) {
            return;
        }
        let mut next = self.jiter.known_array();
        while let Ok(Some(_)) = next {
            self.value(&mut visit);
            if self.is_broken {
                return;
            }
            next = self.jiter.array_step();
        }
        self.is_broken = next.is_err();
    }

    /// Shows a value, and goes behind it.
    fn value(&mut self, visit: impl FnOnce(&mut Self)) {
        let peek = self.peek();
        let start = self.jiter.current_index();
        visit(self);
        // Whatever reads a value moves on.
        if self.jiter.current_index() == start {
            let skipped = peek.map(|peek| self.jiter.known_skip(peek));
            self.is_broken |= !matches!(skipped, Some(Ok(())));
        }
    }

    fn name(
        &mut self,
        next: impl for<'j> FnOnce(&'j mut Jiter<'a>) -> JiterResult<Option<&'j [u8]>>,
    ) -> Option<Cow<'a, str>> {
        let start = self.jiter.current_index();
        let length = match next(&mut self.jiter) {
            Ok(name) => name?.len(),
            Err(_) => {
                self.is_broken = true;
                return None;
            }
        };
        // Found again in the text, to outlive the reader's borrow.
        let read = self.jiter.slice_to_current(start);
        let quote = read.iter().position(|&byte| byte == b'"')?;
        let quoted = read.get(quote..quote + length + 2)?;
        let name = &quoted[1..=length];
        if name.contains(&b'\\') {
            let name = Jiter::new(quoted).next_str().map(str::to_owned);
            return Some(Cow::Owned(name.unwrap_or_default()));
        }
        Some(Cow::Borrowed(str::from_utf8(name).unwrap_or_default()))
    }

    fn peek(&mut self) -> Option<Peek> {
        self.jiter.peek().ok()
    }

    /// A value as it is written, whatever it is.
    #[cfg(feature = "http")]
    pub(crate) fn written(&mut self) -> Option<&'a [u8]> {
        let peek = self.peek()?;
        let start = self.jiter.current_index();
        self.jiter.known_skip(peek).ok()?;
        Some(self.jiter.slice_to_current(start))
    }

    /// The value of a string.
    pub(crate) fn string(&mut self) -> Option<&str> {
        self.jiter.next_str().ok()
    }

    /// The value of a whole number that isn't negative. One that ends with the text may be cut off.
    pub(crate) fn count(&mut self) -> Option<u64> {
        let number = str::from_utf8(self.jiter.next_number_bytes().ok()?);
        let count = number.ok()?.parse().ok();
        count.filter(|_| self.jiter.current_index() < self.text.len())
    }

    /// Whether it is an object.
    pub(crate) fn is_object(&mut self) -> bool {
        self.peek() == Some(Peek::Object)
    }

    /// Whether it is a string.
    #[cfg(feature = "http")]
    pub(crate) fn is_string(&mut self) -> bool {
        self.peek() == Some(Peek::String)
    }

    /// Whether it says nothing: `null`, `false`, and strings, arrays and objects without anything
    /// in them.
    #[cfg(feature = "http")]
    pub(crate) fn is_nothing(&mut self) -> bool {
        let peek = self.peek();
        let rest = self.text.get(self.jiter.current_index() + 1..);
        let rest = rest.unwrap_or_default();
        match peek {
            Some(Peek::Null | Peek::False) => true,
            Some(Peek::String) => rest.starts_with(b"\""),
            Some(Peek::Array) => rest.trim_ascii_start().starts_with(b"]"),
            Some(Peek::Object) => rest.trim_ascii_start().starts_with(b"}"),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let mut names = Vec::new();
        Json::new(text.as_bytes()).object(|_, name| names.push(name.to_owned()));
        names
    }

    #[test]
    fn what_stands_before_a_fault_is_read() {
        assert_eq!(
            names(r#" {"a": [1, {"b": 2}], "\u0063": "}"} "#),
            ["a", "c"]
        );
        assert_eq!(names(r#"{"a":1,"b":2,"c":tru"#), ["a", "b", "c"]);
        assert_eq!(names(r#"{"a":1 "b":2}"#), ["a"]);
        assert_eq!(names(r#"{"a":[1,}],"b":2}"#), ["a"]);
        for broken in ["", "[]", "null", "{", "{\"a\"", "{1:2}"] {
            assert!(names(broken).is_empty(), "{broken}");
        }
    }

    #[test]
    fn what_is_read_and_what_is_not_are_both_gone_past() {
        let text =
            r#"{"a" : {"x":[1,{"y":2},3],"z":"\"}"} ,"b":[{"c":4},5], "d":"e", "f":6.5,"g":7}"#;
        let mut read = Vec::new();
        Json::new(text.as_bytes()).object(|json, name| match name {
            "a" => json.object(|json, name| {
                json.array(|json| json.object(|json, _| read.push(format!("{:?}", json.count()))));
                read.push(name.to_owned());
            }),
            "b" => json.array(|json| {
                // Of another type than was asked for.
                read.push(format!("{:?}", json.string()));
            }),
            "d" => read.push(json.string().unwrap().to_owned()),
            _ => read.push(format!("{name}{:?}", json.count())),
        });
        let expected = [
            "Some(2)", "x", "z", "None", "None", "e", "fNone", "gSome(7)",
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn a_fault_within_ends_all_that_is_around_it() {
        let mut read = Vec::new();
        let text = br#"{"a":[{"b":1},{"b":2,"c":?}],"d":4}"#;
        Json::new(text).object(|json, name| {
            read.push(name.to_owned());
            json.array(|json| json.object(|_, name| read.push(name.to_owned())));
        });
        assert_eq!(read, ["a", "b", "b", "c"]);
    }

    #[test]
    fn items_are_shown_in_order() {
        let mut items = Vec::new();
        Json::new(b"[1, 22 ,\n333,").array(|item| items.push(item.count()));
        assert_eq!(items, [Some(1), Some(22), Some(333)]);
    }

    #[test]
    fn only_whole_numbers_count() {
        let count = |text: &str| Json::new(text.as_bytes()).count();
        assert_eq!(count("17 "), Some(17));
        assert_eq!(count("18446744073709551615,"), Some(u64::MAX));
        for other in [
            "-1 ",
            "1.5 ",
            "\"17\"",
            "null",
            "",
            "99999999999999999999 ",
            "17",
        ] {
            assert_eq!(count(other), None, "{other}");
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn nothing_is_told_from_something_without_reading_it() {
        let is_nothing = |text: &str| Json::new(text.as_bytes()).is_nothing();
        for nothing in ["null", "false", "\"\"", "[]", "{ }", " [\n] "] {
            assert!(is_nothing(nothing), "{nothing}");
        }
        for something in ["true", "0", "\" \"", "[0]", "{\"a\":0}", "\"", "[", ""] {
            assert!(!is_nothing(something), "{something}");
        }
    }

    #[test]
    fn a_value_nested_without_end_is_nothing() {
        let deep = format!("{{\"a\":{},\"b\":1}}", "[".repeat(100_000));
        assert_eq!(names(&deep), ["a"]);
    }
}
