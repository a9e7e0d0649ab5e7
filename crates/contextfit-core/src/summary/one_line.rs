use std::borrow::Cow;

/// A text in one line, whatever may count as the end of one, so that it can't pose as the next.
///
/// Line ends are written as `\n`, and blank lines are left out.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains(ends_line) {
        return Cow::Borrowed(text);
    }
    let lines = text.split(ends_line).map(str::trim_end);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    Cow::Owned(lines.join(r"\n").trim_start().to_owned())
}

const fn ends_line(char: char) -> bool {
    matches!(
        char,
        '\n'..='\r' | '\u{1C}'..='\u{1E}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_ends_a_line_is_written_out() {
        assert_eq!(one_line(" one line "), "one line");
        assert_eq!(one_line("if a:\n    b\r\n\n \nc\n"), r"if a:\n    b\nc");
        assert_eq!(one_line("a\u{b}b\u{85}c\u{2028}d"), r"a\nb\nc\nd");
        assert_eq!(one_line("\n \n"), "");
        assert_eq!(one_line("\u{1c} a\u{1d} "), "a");
    }
}
