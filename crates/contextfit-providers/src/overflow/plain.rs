//! A text without what it was wrapped in.
//!
//! The same error comes as JSON, as JSON in JSON, as Python writes it, in HTML, broken into lines.
//! So templates are matched against a plain form, which all of these share: in lower case, without
//! quotes, backslashes and tags, with escapes and entities decoded and one blank for any white space.

/// What is done with a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Keep,
    Lower,
    Blank,
    Leave,
    Escape,
    Entity,
    Tag,
    Terminal,
    Wide,
}

const fn act(byte: u8) -> Act {
    match byte {
        0x1B => Act::Terminal,
        0..=b' ' | 0x7F => Act::Blank,
        b'"' | b'\'' | b'`' => Act::Leave,
        b'\\' => Act::Escape,
        b'&' => Act::Entity,
        b'<' => Act::Tag,
        b'A'..=b'Z' => Act::Lower,
        0x80.. => Act::Wide,
        _ => Act::Keep,
    }
}

const ACTS: [Act; 256] = {
    let mut acts = [Act::Keep; 256];
    let mut byte = 0;
    while byte < 256 {
        acts[byte] = act(byte as u8);
        byte += 1;
    }
    acts
};

/// The longest tag that is one. What is longer is text.
const LONGEST_TAG: usize = 256;

/// The plain form of a text. It is never longer.
pub(super) fn plain(text: &str) -> Vec<u8> {
    let mut plain = Plain {
        out: Vec::with_capacity(text.len()),
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        // Most of a text is plain, and taken word by word.
        let rest = bytes.get(at..).unwrap_or_default();
        let is_plain = |byte: &&u8| ACTS[usize::from(**byte)] == Act::Keep;
        let word = rest.iter().take_while(is_plain).count();
        plain.out.extend_from_slice(&rest[..word]);
        let Some(&byte) = rest.get(word) else { break };
        at += word + 1;
        match ACTS[usize::from(byte)] {
            Act::Keep => {}
            Act::Lower => plain.out.push(byte.to_ascii_lowercase()),
            Act::Blank => plain.blank(),
            Act::Leave => {}
            Act::Escape => at = plain.escape(text, at),
            Act::Entity => at = plain.entity(text, at),
            Act::Tag => at = plain.tag(bytes, at),
            Act::Terminal => at = after_terminal(bytes, at),
            Act::Wide => at = plain.wide(text, at - 1),
        }
    }
    plain.out
}

struct Plain {
    out: Vec<u8>,
}

impl Plain {
    fn blank(&mut self) {
        if self.out.last().is_some_and(|&last| last != b' ') {
            self.out.push(b' ');
        }
    }

    /// A character that was decoded, or is not of ASCII.
    fn char(&mut self, char: char) {
        match char {
            // Typographic quotes, and what takes no room.
            '‘'..='‟'
            | '′'
            | '″'
            | '«'
            | '»'
            | '\u{200B}'..='\u{200F}'
            | '\u{2060}'
            | '\u{FEFF}'
            | '\u{AD}'
            | '"'
            | '\''
            | '`'
            | '\\' => {}
            _ if char.is_whitespace() || char.is_control() => self.blank(),
            // The wide forms of ASCII, as Chinese texts have them.
            '\u{FF01}'..='\u{FF5E}' => {
                let narrow = u32::from(char) - 0xFEE0;
                let narrow = u8::try_from(narrow).unwrap_or(b' ');
                self.char(char::from(narrow));
            }
            '≤' => self.out.extend(b"<="),
            _ => {
                let mut buffer = [0; 4];
                let char = char.to_ascii_lowercase().encode_utf8(&mut buffer);
                self.out.extend(char.as_bytes());
            }
        }
    }

    /// What follows a backslash. Returns where to go on.
    fn escape(&mut self, text: &str, at: usize) -> usize {
        let bytes = text.as_bytes();
        let slashes = bytes[at..].iter().take_while(|&&byte| byte == b'\\');
        let at = at + slashes.count();
        match bytes.get(at) {
            Some(b'n' | b'r' | b't' | b'N' | b'R' | b'T') => {
                self.blank();
                at + 1
            }
            Some(b'u' | b'U') => match hex(text, at + 1, 4) {
                Some(code) => self.code(text, code, at + 5),
                None => at,
            },
            Some(b'x' | b'X') => match hex(text, at + 1, 2) {
                // Python writes the bytes of a wide character so.
                Some(code @ 0x80..) if code != 0xA0 || self.ends_wide() => {
                    self.out.push(code as u8);
                    at + 3
                }
                Some(code) => self.code(text, code, at + 3),
                None => at,
            },
            _ => at,
        }
    }

    fn ends_wide(&self) -> bool {
        self.out.last().is_some_and(|&last| last >= 0x80)
    }

    /// What follows an ampersand. Returns where to go on.
    fn entity(&mut self, text: &str, mut at: usize) -> usize {
        // Escaped over and over, each time an ampersand of its own.
        while starts(text, at, "amp;") {
            at += 4;
        }
        let rest = &text.as_bytes()[at..];
        let length = rest.iter().take(9).position(|&byte| byte == b';');
        let name = length.and_then(|length| text.get(at..at + length));
        let decoded = name.and_then(|name| {
            let known = match &*name.to_ascii_lowercase() {
                "quot" | "apos" | "rsquo" | "lsquo" | "rdquo" | "ldquo" => '\'',
                "nbsp" => ' ',
                "lt" => '<',
                "gt" => '>',
                "le" => '≤',
                lower => {
                    let number = lower.strip_prefix('#')?;
                    let code = match number.strip_prefix('x') {
                        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                        None => number.parse().ok()?,
                    };
                    char::from_u32(code)?
                }
            };
            Some((known, at + name.len() + 1))
        });
        match decoded {
            Some(('&', at)) => self.entity(text, at),
            Some((char, at)) => {
                self.char(char);
                at
            }
            None => {
                self.out.push(b'&');
                at
            }
        }
    }

    /// A character by its number, which may begin an entity. Returns where to go on.
    fn code(&mut self, text: &str, code: u32, at: usize) -> usize {
        if code == u32::from(b'&') {
            return self.entity(text, at);
        }
        // Half of a pair stands for something that no template has.
        self.char(char::from_u32(code).unwrap_or('?'));
        at
    }

    /// What follows a `<`: a tag is a blank. Returns where to go on.
    fn tag(&mut self, bytes: &[u8], at: usize) -> usize {
        let rest = &bytes[at..];
        let is_tag = |&byte: &u8| byte.is_ascii_alphabetic() || byte == b'/' || byte == b'!';
        if rest.first().is_some_and(is_tag) {
            let mut inside = rest.iter().take(LONGEST_TAG);
            let end = inside.position(|&byte| byte == b'>' || byte == b'<');
            if let Some(end) = end.filter(|&end| rest[end] == b'>') {
                self.blank();
                return at + end + 1;
            }
        }
        self.out.push(b'<');
        at
    }

    fn wide(&mut self, text: &str, at: usize) -> usize {
        let Some(char) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            return at + 1;
        };
        self.char(char);
        at + char.len_utf8()
    }
}

/// After what colours a terminal.
fn after_terminal(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) != Some(&b'[') {
        return at;
    }
    let inside = bytes[at + 1..].iter().take(16);
    let is_end = |byte: &u8| byte.is_ascii_alphabetic();
    inside
        .clone()
        .position(is_end)
        .map_or(at, |end| at + end + 2)
}

fn starts(text: &str, at: usize, with: &str) -> bool {
    let found = text.as_bytes().get(at..at + with.len());
    found.is_some_and(|found| found.eq_ignore_ascii_case(with.as_bytes()))
}

fn hex(text: &str, at: usize, digits: usize) -> Option<u32> {
    let digits = text.get(at..at + digits)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> String {
        String::from_utf8_lossy(&plain(text)).into_owned()
    }

    #[test]
    fn quotes_escapes_and_entities_are_gone() {
        for text in [
            "the model's \"context\"",
            "THE  Model’s\n “Context”",
            r#"the\nmodel\'s \"context\""#,
            r#"the\\r\\nmodel\\\'s \\\"context\\\""#,
            r"the\tmodel\u0027s \u0022context\u0022",
            r"the model\\u2019s \u201Ccontext\u201d",
            "the model&#39;s &quot;context&quot;",
            "the model&#x27;s &amp;quot;context&amp;amp;quot;",
            r"the model\u0026#39;s context",
            "the <b>model's</b><br/>context",
            "\u{1b}[31mthe\u{1b}[0m models\u{a0}`context`",
            r"the\xa0model's context",
        ] {
            assert_eq!(read(text).trim(), "the models context", "{text}");
        }
    }

    #[test]
    fn what_compares_numbers_is_no_tag() {
        for text in [
            "1 &lt;= 2 &gt; 0",
            r"1 \u003c= 2 \u003e 0",
            "1 <= 2 > 0",
            "1 ≤ 2 > 0",
        ] {
            assert_eq!(read(text), "1 <= 2 > 0");
        }
        assert_eq!(read("<400> a < b"), "<400> a < b");
        assert_eq!(read("a <b"), "a <b");
    }

    #[test]
    fn chinese_is_read_however_it_is_escaped() {
        for text in [
            "输入（9）：长",
            r"\u8f93\u5165\uff089\uff09\uff1a\u957f",
            r"\xe8\xbe\x93\xe5\x85\xa5(9):\xe9\x95\xbf",
        ] {
            assert_eq!(read(text), "输入(9):长", "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_plain_text_is_never_longer(text in r#"[a-zA-Z \\'"&;#xu0-9<>/输\x1b\[amp]*"#) {
            prop_assert!(plain(&text).len() <= text.len());
        }

        #[test]
        fn any_text_can_be_read(text in any::<String>()) {
            prop_assert!(plain(&text).len() <= text.len());
        }
    }
}
