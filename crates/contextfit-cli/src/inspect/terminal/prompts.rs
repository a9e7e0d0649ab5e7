use super::super::map::Map;
use super::bar::{bar, cells_of};
use crate::number::grouped;

/// Draws the whole prompt as it is, and as it would be sent, beside the window.
pub(super) fn draw(map: &Map<'_>, columns: usize) -> String {
    let explanation = map.explanation;
    let (before, after) = (
        grouped(explanation.tokens_before),
        grouped(explanation.tokens_after),
    );
    let digits = before.len().max(after.len());
    // Two spaces, the name, and the number with a space before it.
    let cells = columns.saturating_sub(2 + 7 + digits + 2);
    let line = |name: &str, tokens: &str, kinds, length: u64| {
        let drawn = cells_of(length, map.scale(), cells).max(1);
        format!(
            "  {name:5}  {}{}  {tokens:>digits$}",
            bar(kinds, map.scale(), cells, false),
            " ".repeat(cells.saturating_sub(drawn)),
        )
    };
    let mut lines = vec![line("now", &before, &map.kinds, explanation.tokens_before)];
    if map.changes() {
        lines.push(line(
            "after",
            &after,
            &map.kinds_after,
            explanation.tokens_after,
        ));
    }
    let marks = marks(map, cells);
    if !marks.is_empty() {
        lines.push(format!("         {marks}"));
    }
    lines.join("\n")
}

/// Where the limit and the window are: a mark below the last cell, and its name on whatever side
/// there is room for it.
fn marks(map: &Map<'_>, cells: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    let marks = [
        (map.most_prompt(), "limit"),
        (Some(map.setup.window), "window"),
    ];
    for (tokens, name) in marks {
        let Some(tokens) = tokens else { continue };
        let end = cells_of(tokens, map.scale(), cells);
        let length = name.len() + 1;
        let (start, label) = if end >= used + length {
            (end - length, format!("{name}┘"))
        } else if end > used && end + name.len() <= cells {
            (end - 1, format!("└{name}"))
        } else {
            // The numbers above have to do.
            continue;
        };
        text.push_str(&" ".repeat(start - used));
        text.push_str(&label);
        used = start + length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::sample::{OPTIONS, session, with_map};
    use unicode_width::UnicodeWidthStr;

    fn plain(map: &Map<'_>, columns: usize) -> Vec<String> {
        let text = anstream::adapter::strip_str(&draw(map, columns)).to_string();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn prompts_end_where_their_tokens_do_and_marks_below_their_bound() {
        with_map(session(12), &["--window", "2200"], |map| {
            assert_eq!(
                plain(map, 66),
                [
                    "  now    ██▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒··  2,636",
                    "  after  █▒▒▒▒▒▒▒▒▒▒▒▒·▞▞▞▞▞▞▞▞▞▞                            1,275",
                    "                                  limit┘    window┘",
                ]
            );
        });
        // Nothing would be changed, and the window is what fills the width.
        with_map(session(12), &["--window", "5200"], |map| {
            assert_eq!(
                plain(map, 66),
                [
                    "  now    █▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒·                           2,636",
                    "                                         limit┘     window┘",
                ]
            );
        });
        // Too near the edge for a name on its left, and to each other for both names.
        with_map(session(30), &["--window", "300"], |map| {
            assert_eq!(plain(map, 66)[2], "          └limit");
        });
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for options in OPTIONS {
            for columns in [60, 80, 100, 173] {
                with_map(session(40), options, |map| {
                    for line in plain(map, columns) {
                        assert!(line.width() <= columns, "{columns}: {line}");
                    }
                });
            }
        }
    }
}
