//! JSON read as far as it is needed, and no further.

use jiter::Jiter;
#[cfg(feature = "http")]
use jiter::Peek;

/// The text of a JSON value that isn't read yet.
///
/// Reading is lenient: what isn't there, isn't of the type asked for, or isn't JSON, is nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(&'a [u8]);

impl<'a> Json<'a> {
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// The text of the value, as it is written.
    #[cfg(feature = "http")]
    pub(crate) const fn written(self) -> &'a [u8] {
        self.0
    }

    /// Shows the fields of an object in their order, up to where it is broken.
    pub(crate) fn fields(self, mut visit: impl FnMut(&str, Self)) {
        let mut jiter = Jiter::new(self.0);
        let mut name = String::new();
        let mut next = jiter.next_object();
        while let Ok(Some(field)) = next {
            name.clear();
            name.push_str(field);
            let Some(value) = Self::value(&mut jiter) else {
                return;
            };
            visit(&name, value);
            next = jiter.next_key();
        }
    }

    /// Shows the items of an array, up to where it is broken.
    pub(crate) fn items(self, mut visit: impl FnMut(Self)) {
        let mut jiter = Jiter::new(self.0);
        let mut next = jiter.next_array();
        while let Ok(Some(_)) = next {
            let Some(value) = Self::value(&mut jiter) else {
                return;
            };
            visit(value);
            next = jiter.array_step();
        }
    }

    fn value(jiter: &mut Jiter<'a>) -> Option<Self> {
        let peek = jiter.peek().ok()?;
        let start = jiter.current_index();
        jiter.known_skip(peek).ok()?;
        Some(Self(jiter.slice_to_current(start)))
    }

    /// The value of a string.
    pub(crate) fn string(self) -> Option<String> {
        Jiter::new(self.0).next_str().ok().map(str::to_owned)
    }

    /// The value of a whole number that isn't negative.
    pub(crate) fn count(self) -> Option<u64> {
        let mut jiter = Jiter::new(self.0);
        let number = str::from_utf8(jiter.next_number_bytes().ok()?);
        number.ok()?.parse().ok()
    }

    /// Whether it is an object.
    #[cfg(feature = "http")]
    pub(crate) fn is_object(self) -> bool {
        matches!(Jiter::new(self.0).peek(), Ok(Peek::Object))
    }

    /// Whether it says nothing: `null`, `false`, and strings, arrays and objects without anything
    /// in them.
    #[cfg(feature = "http")]
    pub(crate) fn is_nothing(self) -> bool {
        let mut jiter = Jiter::new(self.0);
        match jiter.peek() {
            Ok(Peek::Null | Peek::False) => true,
            Ok(Peek::String) => matches!(jiter.known_str(), Ok("")),
            Ok(Peek::Array) => matches!(jiter.known_array(), Ok(None)),
            Ok(Peek::Object) => matches!(jiter.known_object(), Ok(None)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let mut names = Vec::new();
        Json::new(text.as_bytes()).fields(|name, _| names.push(name.to_owned()));
        names
    }

    #[test]
    fn what_stands_before_a_fault_is_read() {
        assert_eq!(
            names(r#" {"a": [1, {"b": 2}], "\u0063": "}"} "#),
            ["a", "c"]
        );
        assert_eq!(names(r#"{"a":1,"b":2,"c":tru"#), ["a", "b"]);
        assert_eq!(names(r#"{"a":1 "b":2}"#), ["a"]);
        for broken in ["", "[]", "null", "{", "{\"a\"", "{1:2}"] {
            assert!(names(broken).is_empty(), "{broken}");
        }
    }

    #[test]
    fn items_are_shown_in_order() {
        let mut items = Vec::new();
        Json::new(b"[1, 22 ,\n333,").items(|item| items.push(item.count()));
        assert_eq!(items, [Some(1), Some(22), Some(333)]);
    }

    #[test]
    fn only_whole_numbers_count() {
        let count = |text: &str| Json::new(text.as_bytes()).count();
        assert_eq!(count("17"), Some(17));
        assert_eq!(count("18446744073709551615"), Some(u64::MAX));
        for other in ["-1", "1.5", "\"17\"", "null", "", "99999999999999999999"] {
            assert_eq!(count(other), None, "{other}");
        }
    }

    #[test]
    fn a_value_nested_without_end_is_nothing() {
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        assert!(names(&deep).is_empty());
    }
}
