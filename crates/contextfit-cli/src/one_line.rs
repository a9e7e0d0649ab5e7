/// A text of somebody else in one line of at most so many characters, which can neither steer a
/// terminal nor turn what stands around it.
///
/// White space and control characters are one space; marks that turn the direction of writing,
/// and those of no width, are left out. What is cut off is an ellipsis.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let (mut length, mut gap) = (0, false);
    for char in text.chars() {
        if char.is_whitespace() || char.is_control() {
            gap = length > 0;
            continue;
        }
        if is_invisible(char) {
            continue;
        }
        let space = std::mem::take(&mut gap);
        length += 1 + usize::from(space);
        if length > most {
            // Room for the ellipsis, instead of the last one that fits.
            while line.chars().count() >= most.max(1) || line.ends_with(' ') {
                line.pop();
            }
            line.push('…');
            break;
        }
        if space {
            line.push(' ');
        }
        line.push(char);
    }
    line
}

/// A name from outside, of a file or a model, in one line.
pub(crate) fn name(text: &str) -> String {
    one_line(text, 120)
}

/// Whether a character takes no room but changes how others are shown.
const fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{AD}'
            | '\u{61C}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_controls_are_one_space() {
        assert_eq!(one_line("  a \r\n\n\tb\u{2028}c\u{0}d\n ", 80), "a b c d");
        assert_eq!(
            one_line("\u{1b}[31mred\u{1b}[0m\u{9b}2J", 80),
            "[31mred [0m 2J"
        );
        assert_eq!(one_line("a\u{202e}\u{200b}b\u{feff}", 80), "ab");
        assert_eq!(one_line(" \n", 80), "");
    }

    #[test]
    fn what_is_too_long_ends_in_an_ellipsis() {
        assert_eq!(one_line("12345", 5), "12345");
        assert_eq!(one_line("12345\n", 5), "12345");
        assert_eq!(one_line("123456", 5), "1234…");
        assert_eq!(one_line("123 56", 5), "123…");
        assert_eq!(one_line("é好😀x", 3), "é好…");
        assert_eq!(one_line("12", 1), "…");
    }
}
