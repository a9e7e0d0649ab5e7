/// White space, escaped or not. That of ASCII, because all of Unicode's makes large automata.
const BLANK: &str = r"(?:[ \t\r\n]|\\+[nrt])+";

/// An apostrophe, typographic or not, escaped or not.
const APOSTROPHE: &str = r"(?:\\*['’]|\\+u(?:0027|2019)|&(?:#0*39|#x27|apos|rsquo);)";

/// The regular expression of a phrase.
///
/// A text comes wrapped: in JSON, in JSON as a text of JSON, in HTML, broken into lines. So a blank
/// stands for any white space and an apostrophe for any form of one, except in a `[class]`.
pub(super) fn pattern(phrase: &str) -> String {
    let mut pattern = String::with_capacity(phrase.len() * 2);
    let mut chars = phrase.chars();
    let mut depth = 0_usize;
    while let Some(char) = chars.next() {
        match char {
            ' ' if depth == 0 => pattern.push_str(BLANK),
            '\'' if depth == 0 => pattern.push_str(APOSTROPHE),
            '\\' => {
                pattern.push(char);
                pattern.extend(chars.next());
            }
            _ => {
                match char {
                    '[' => depth += 1,
                    ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                pattern.push(char);
            }
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    fn finds(phrase: &str, text: &str) -> bool {
        Regex::new(&pattern(phrase)).unwrap().is_match(text)
    }

    #[test]
    fn a_blank_is_any_white_space() {
        for text in [
            "too long",
            "too  long",
            "too\n   long",
            r"too\nlong",
            r"too\\r\\nlong",
        ] {
            assert!(finds("too long", text), "{text}");
        }
        for text in ["toolong", "too-long", "too n long"] {
            assert!(!finds("too long", text), "{text}");
        }
    }

    #[test]
    fn an_apostrophe_has_many_forms() {
        for text in [
            "model's",
            "model’s",
            r"model\'s",
            r"model\u0027s",
            r"model\\u2019s",
            "model&#39;s",
            "model&#x27;s",
            "model&apos;s",
        ] {
            assert!(finds("model's", text), "{text}");
        }
        assert!(!finds("model's", "models"));
        assert!(finds("model'?s", "models"));
    }

    #[test]
    fn a_class_and_what_is_escaped_stay_as_they_are() {
        assert!(finds("a[ _']b", "a_b"));
        assert!(!finds("a[ _']b", "a  b"));
        assert!(!finds("a[ _']b", "anb"));
        assert!(finds(r"a\[ b", "a[\n b"));
        assert!(finds("[[:alpha:]] b", "a\n b"));
    }
}
