use std::ops::RangeInclusive;

/// What stands for a number in a template: digits, with or without marks between thousands, and
/// with a unit. A mark is followed by three digits and no more.
pub(super) const NUMBER: &str = r"(?:\d{1,3}(?:[,._ ]\d{3})+\b|\d+(?:[.,]\d+)?)(?: ?[km]\b)?";

/// Limits that can be believed. An error code looks like a limit, and so does a number of seconds.
const LIMITS: RangeInclusive<u64> = 64..=100_000_000;
/// Tokens of a request that can be believed.
const TOKENS: RangeInclusive<u64> = 1..=1_000_000_000;

/// A number as a template finds it, if it can be a limit.
pub(super) fn limit(text: &[u8]) -> Option<u64> {
    number(text).filter(|number| LIMITS.contains(number))
}

/// A number as a template finds it, if it can be the tokens of a prompt or of a request.
pub(super) fn tokens(text: &[u8]) -> Option<u64> {
    number(text).filter(|number| TOKENS.contains(number))
}

/// A number as a template finds it, if it can be the output that is asked for.
pub(super) fn output(text: &[u8]) -> Option<u64> {
    number(text).filter(|number| number <= TOKENS.end())
}

/// Reads a number, in tokens.
fn number(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let (digits, unit) = match text.as_bytes().last()? {
        b'k' => (text.strip_suffix('k')?.trim_end(), 1_000),
        b'm' => (text.strip_suffix('m')?.trim_end(), 1_000_000),
        _ => (text, 1),
    };
    let is_mark = |char: char| !char.is_ascii_digit();
    let mut groups = digits.split(is_mark);
    let first = groups.next()?;
    let is_whole = first.len() <= 3 && groups.clone().all(|group| group.len() == 3);
    // A thousand with a unit would be a million: `1.048M` has a fraction.
    if unit == 1 && is_whole {
        return digits.replace(is_mark, "").parse().ok();
    }
    let whole = first.parse::<u64>().ok()?.checked_mul(unit)?;
    let fraction = groups.next().unwrap_or_default();
    let mut place = unit;
    let fraction = fraction.bytes().fold(0_u64, |sum, digit| {
        place /= 10;
        sum + u64::from(digit - b'0') * place
    });
    whole.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_however_it_is_written() {
        for (text, expected) in [
            ("7", 7),
            ("131072", 131_072),
            ("131,072", 131_072),
            ("131.072", 131_072),
            ("1_048_576", 1_048_576),
            ("1 048 576", 1_048_576),
            ("12288.0", 12_288),
            ("128k", 128_000),
            ("128 k", 128_000),
            ("1m", 1_000_000),
            ("1.5m", 1_500_000),
            ("1,5m", 1_500_000),
            ("1.048m", 1_048_000),
        ] {
            assert_eq!(number(text.as_bytes()), Some(expected), "{text}");
        }
        for text in ["", "k", "99999999999999999999", "99999999999999999999m"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_can_not_be_a_number_of_tokens_is_none() {
        assert_eq!(limit(b"63"), None);
        assert_eq!(limit(b"64"), Some(64));
        assert_eq!(limit(b"100000001"), None);
        assert_eq!(tokens(b"0"), None);
        assert_eq!(output(b"0"), Some(0));
        assert_eq!(output(b"1000000001"), None);
    }
}
