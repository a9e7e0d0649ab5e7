use std::fmt::Write as _;

use proptest::collection::SizeRange;
use proptest::prelude::*;
use serde_json::{Number, Value};

use super::choices::Choices;
use super::{WireCheck, conversations};

/// A body as bytes, as any client may write it.
///
/// It stands for the same value. What JSON leaves open is random: white space between its parts,
/// the order of fields, and how characters are escaped, `\u0041` and `\/` among them. A program
/// that reads and writes a body again would change such bytes, so they tell it from one that
/// leaves them alone.
///
/// ```
/// use contextfit_testing::wire::written;
/// use proptest::prelude::*;
/// use serde_json::{Value, json};
///
/// proptest!(|(bytes in written(json!({"messages": [{"role": "user", "content": "a/b"}]})))| {
///     let body: Value = serde_json::from_slice(&bytes).expect("JSON");
///     prop_assert_eq!(&body["messages"][0]["content"], "a/b");
/// });
/// ```
pub fn written(body: Value) -> impl Strategy<Value = Vec<u8>> {
    any::<u64>().prop_map(move |seed| written_as(&body, seed))
}

/// [`conversations`], each [written] in some way.
pub fn wire_bytes(
    check: impl Into<WireCheck>,
    turns: impl Into<SizeRange>,
) -> impl Strategy<Value = Vec<u8>> {
    let bodies = conversations(check, turns);
    (bodies, any::<u64>()).prop_map(|(body, seed)| written_as(&body, seed))
}

/// A body as bytes, in the way of `seed`: as `serde_json` writes it for 0, and another for each
/// other number.
#[must_use]
pub fn written_as(body: &Value, seed: u64) -> Vec<u8> {
    let mut choices = Choices::new(seed);
    let spaced = choices.one_in(2);
    let mut pen = Pen {
        out: String::new(),
        choices,
        spaced,
    };
    pen.space();
    pen.value(body);
    pen.space();
    pen.out.into_bytes()
}

struct Pen {
    out: String,
    choices: Choices,
    spaced: bool,
}

impl Pen {
    /// White space that means nothing.
    fn space(&mut self) {
        while self.spaced && self.choices.one_in(3) {
            let space = self.choices.pick(&[' ', ' ', '\n', '\t', '\r']);
            self.out.push(space);
        }
    }

    fn mark(&mut self, mark: char) {
        self.space();
        self.out.push(mark);
        self.space();
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(yes) => self.out.push_str(if *yes { "true" } else { "false" }),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.mark('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.mark(',');
                    }
                    self.value(item);
                }
                self.mark(']');
            }
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                for end in (1..fields.len()).rev() {
                    // The last stays where it is for the plain way, and so do all.
                    let other = end - self.choices.below(end + 1);
                    fields.swap(end, other);
                }
                self.mark('{');
                for (at, (name, value)) in fields.into_iter().enumerate() {
                    if at > 0 {
                        self.mark(',');
                    }
                    self.string(name);
                    self.mark(':');
                    self.value(value);
                }
                self.mark('}');
            }
        }
    }

    /// Whole numbers have one form that every reader takes for the same; others may have an
    /// exponent.
    fn number(&mut self, number: &Number) {
        let fraction = number.as_f64().filter(|_| number.is_f64());
        let _ = match fraction {
            Some(fraction) if self.choices.one_in(3) => write!(self.out, "{fraction:e}"),
            Some(fraction) if self.choices.one_in(3) => write!(self.out, "{fraction:E}"),
            _ => write!(self.out, "{number}"),
        };
    }

    fn string(&mut self, text: &str) {
        // Of most strings nothing is escaped that needn't be; of a few everything is.
        let every = self.choices.pick(&[0, 0, 0, 5, 1]);
        self.out.push('"');
        for c in text.chars() {
            if every > 0 && self.choices.one_in(every) {
                self.escape(c);
            } else {
                self.character(c);
            }
        }
        self.out.push('"');
    }

    fn character(&mut self, c: char) {
        let short = match c {
            '"' => Some('"'),
            '\\' => Some('\\'),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            '\u{8}' => Some('b'),
            '\u{c}' => Some('f'),
            _ => None,
        };
        match short {
            Some(short) => self.out.extend(['\\', short]),
            None if c < ' ' => self.unicode(c, false),
            None => self.out.push(c),
        }
    }

    /// An escape where none is needed.
    fn escape(&mut self, c: char) {
        if c == '/' && self.choices.one_in(2) {
            return self.out.push_str("\\/");
        }
        let upper = self.choices.one_in(2);
        self.unicode(c, upper);
    }

    fn unicode(&mut self, c: char, upper: bool) {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = if upper {
                write!(self.out, "\\u{unit:04X}")
            } else {
                write!(self.out, "\\u{unit:04x}")
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::WireRules;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn it_stands_for_the_same_value(
            body in conversations(WireRules::OpenAiResponses, 1..4),
            seed in any::<u64>(),
        ) {
            let bytes = written_as(&body, seed);
            prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).expect("JSON"), body);
        }

        #[test]
        fn the_plain_way_is_that_of_serde_json(body in conversations(WireRules::OpenAiChat, 1..4)) {
            prop_assert_eq!(written_as(&body, 0), serde_json::to_vec(&body).expect("JSON"));
        }
    }

    #[test]
    fn what_json_leaves_open_is_used() {
        let body = json!({"a": "A/\u{1}😀", "b": [1, 2.5]});
        let all = (1..400_u64).map(|seed| written_as(&body, seed));
        let all: Vec<_> = all
            .map(|bytes| String::from_utf8(bytes).expect("text"))
            .collect();
        for form in [
            "\\/",
            "\\u0041",
            "\\ud83d\\ude00",
            "\\uD83D\\uDE00",
            "\\u0001",
            "2.5e0",
            "2.5E0",
            "\n",
            "\t",
            "\r",
            " ",
            "{\"b\"",
            "\"\\u0061\"",
        ] {
            assert!(
                all.iter().any(|text| text.contains(form)),
                "{form} never occurs"
            );
        }
    }
}
