//! Halves of surrogate pairs: what is left of an emoji where a client cut a text in two.

/// The same body with a replacement character for each half of a pair that stands alone; of the
/// same length, so that all else is where it was. `None` if there is none.
///
/// JSON allows such a half, and JavaScript writes one; what it means is open, so strict readers
/// refuse it.
pub(crate) fn without_halves(body: &str) -> Option<String> {
    let body = body.as_bytes();
    let mut whole: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = body.get(at..).and_then(next_backslash) {
        at += found;
        at += match (code_unit(body, at), code_unit(body, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                let whole = whole.get_or_insert_with(|| body.to_vec());
                whole[at..at + 6].copy_from_slice(br"\ufffd");
                6
            }
            _ => 2,
        };
    }
    String::from_utf8(whole?).ok()
}

fn next_backslash(body: &[u8]) -> Option<usize> {
    body.iter().position(|&byte| byte == b'\\')
}

/// The number in a `\uXXXX` that stands there.
fn code_unit(body: &[u8], at: usize) -> Option<u16> {
    let digits = body.get(at..at + 6)?.strip_prefix(br"\u")?;
    digits.iter().try_fold(0, |unit, &digit| {
        let value = char::from(digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_that_stand_alone_are_replaced() {
        for (body, whole) in [
            (r"a\ud83db", Some(r"a\ufffdb")),
            (r"\uDE00", Some(r"\ufffd")),
            (r"\ude00\ud83d", Some(r"\ufffd\ufffd")),
            (r"\ud83d\ud83d\ude00", Some(r"\ufffd\ud83d\ude00")),
            (r"\ud83d\n\ud83d\\ude00", Some(r"\ufffd\n\ufffd\\ude00")),
            (r"\ud83d\ude00\u00e9\n", None),
            // The backslash is escaped.
            (r"\\ud83d", None),
            (r"\ud83", None),
            (r"\", None),
        ] {
            assert_eq!(without_halves(body).as_deref(), whole, "{body}");
        }
    }
}
