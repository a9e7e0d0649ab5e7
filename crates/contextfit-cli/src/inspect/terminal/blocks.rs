use anstyle::{AnsiColor, Style};
use contextfit::cut::Fate;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::block::{Block, Place};
use super::super::fold::{Line, lines, turns};
use super::super::map::{Map, tokens};
use super::super::words;
use super::bar::{bar, cells_of, missing};
use super::paint::painted;
use crate::number::grouped;
use crate::role::role;
use crate::sparkline::sparkline;

/// Draws the messages, a line each: number, turn, group, role, tokens, a bar as wide as the
/// tokens, what becomes of it, and how it begins. A message says why, unless the one above said
/// it.
pub(super) fn draw(map: &Map<'_>, all: bool, columns: usize) -> String {
    let lines = lines(map, all);
    let layout = Layout::new(map, &lines, columns);
    let mut drawn = vec![layout.header()];
    let mut above: Option<&Block> = None;
    for line in &lines {
        drawn.push(match line {
            Line::Cut => layout.cut(&map.cut_line().unwrap_or_default(), columns),
            Line::Fold(range) => layout.fold(&map.blocks[range.clone()], map.largest()),
            &Line::Block(index) => {
                let block = &map.blocks[index];
                let line = layout.block(block, above, map.largest());
                above = Some(block);
                line
            }
        });
    }
    let lines = drawn.iter().map(|line| line.trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

/// The widths of the columns.
struct Layout {
    number: usize,
    turn: usize,
    tokens: usize,
    bar: usize,
    fate: usize,
    note: usize,
}

/// `assistant` and `developer`.
const ROLE: usize = 9;

impl Layout {
    fn new(map: &Map<'_>, lines: &[Line], columns: usize) -> Self {
        let widest = |texts: &mut dyn Iterator<Item = String>, least: &str| {
            let widths = texts.map(|text| text.width());
            widths.max().unwrap_or(0).max(least.len())
        };
        let blocks = || map.blocks.iter();
        let sums = lines.iter().map(|line| match line {
            Line::Block(index) => grouped(map.blocks[*index].tokens),
            Line::Fold(range) => grouped(sum(&map.blocks[range.clone()])),
            Line::Cut => String::new(),
        });
        let mut layout = Self {
            number: widest(&mut blocks().map(|block| block.index.to_string()), "#"),
            turn: widest(&mut blocks().map(|block| block.turn.to_string()), "turn"),
            tokens: widest(&mut { sums }, "tokens"),
            fate: widest(&mut blocks().map(|block| words::fate(block.fate)), "fate"),
            bar: 0,
            note: 0,
        };
        let rest = columns.saturating_sub(layout.left() + 2 + layout.fate + 2 + 2);
        layout.bar = (rest * 2 / 5).clamp(8, 48);
        layout.note = rest.saturating_sub(layout.bar);
        layout
    }

    /// What is left of the bar.
    const fn left(&self) -> usize {
        2 + self.number + 2 + self.turn + 1 + 1 + 1 + ROLE + 2 + self.tokens
    }

    fn header(&self) -> String {
        format!(
            "  {:>number$}  {:>turn$}   {:ROLE$}  {:>tokens$}  {:bar$}  {:fate$}  {}",
            "#",
            "turn",
            "role",
            "tokens",
            "",
            "fate",
            within("why, and how it begins", self.note),
            number = self.number,
            turn = self.turn,
            tokens = self.tokens,
            bar = self.bar,
            fate = self.fate,
        )
    }

    fn block(&self, block: &Block, above: Option<&Block>, largest: u64) -> String {
        let gone = block.fate.is_cut();
        let dim = if gone {
            Style::new().dimmed()
        } else {
            Style::new()
        };
        let turn = if block.starts_turn {
            block.turn.to_string()
        } else {
            String::new()
        };
        let place = match block.place {
            Place::Alone => ' ',
            Place::First => '╭',
            Place::Middle => '│',
            Place::Last => '╰',
        };
        let left = format!(
            "  {:>number$}  {turn:>turn_width$} {place} {:ROLE$}  {:>tokens$}",
            block.index,
            role(block.role),
            grouped(block.tokens),
            number = self.number,
            turn_width = self.turn,
            tokens = self.tokens,
        );
        let fate = words::fate(block.fate);
        let fate = format!(
            "{}{}",
            painted(&fate, style(block.fate)),
            " ".repeat(self.fate - fate.len())
        );
        format!(
            "{}  {}  {fate}  {}",
            painted(&left, dim),
            self.bar_of(block, largest),
            painted(&self.note(block, above), Style::new().dimmed())
        )
    }

    fn bar_of(&self, block: &Block, largest: u64) -> String {
        let whole = cells_of(block.tokens, largest, self.bar);
        let (kinds, shown) = match block.fate {
            Fate::Clip(_) => (
                &block.kinds_after,
                cells_of(block.tokens_after(), largest, self.bar),
            ),
            _ => (&block.kinds, whole),
        };
        let thin = usize::from(shown == 0 && !kinds.is_empty());
        let off = whole.saturating_sub(shown.max(thin));
        format!(
            "{}{}{}",
            bar(kinds, largest, self.bar, block.fate.is_cut()),
            missing(off),
            " ".repeat(self.bar.saturating_sub(shown + thin + off))
        )
    }

    /// Why, unless the line above said so, and how it begins.
    fn note(&self, block: &Block, above: Option<&Block>) -> String {
        let said = above.is_some_and(|above| {
            above.why == block.why && words::fate_key(above.fate) == words::fate_key(block.fate)
        });
        let note = match &block.excerpt {
            Some(excerpt) if said => excerpt.clone(),
            Some(excerpt) if !excerpt.is_empty() => format!("{} — {excerpt}", block.why.text()),
            _ => block.why.text().to_owned(),
        };
        within(&note, self.note)
    }

    fn fold(&self, blocks: &[Block], largest: u64) -> String {
        let tokens: Vec<u64> = blocks.iter().map(|block| block.tokens).collect();
        let text = format!(
            "  {:>number$}  {:>turn$} ┆ {:ROLE$}  {:>tokens$}  {:bar$}  {:fate$}  {}",
            "",
            "",
            format!("{} more", grouped(blocks.len() as u64)),
            grouped(sum(blocks)),
            sparkline(&tokens, largest, self.bar),
            blocks
                .first()
                .map_or("", |block| words::fate_key(block.fate)),
            within(&turns(blocks).unwrap_or_default(), self.note),
            number = self.number,
            turn = self.turn,
            tokens = self.tokens,
            bar = self.bar,
            fate = self.fate,
        );
        painted(text.trim_end(), Style::new().dimmed())
    }

    fn cut(&self, text: &str, columns: usize) -> String {
        let text = within(text, columns.saturating_sub(8));
        let text = format!("──┤ {text} ├");
        let rest = columns.saturating_sub(4 + text.width());
        let style = AnsiColor::Red.on_default().bold();
        format!(
            "  {}",
            painted(&format!("{text}{}", "─".repeat(rest)), style)
        )
    }
}

const fn style(fate: Fate) -> Style {
    match fate {
        Fate::Keep => AnsiColor::Green.on_default(),
        Fate::Clip(_) => AnsiColor::Yellow.on_default(),
        Fate::Drop => AnsiColor::Red.on_default(),
        _ => Style::new().dimmed(),
    }
}

fn sum(blocks: &[Block]) -> u64 {
    tokens(blocks.iter().map(|block| block.tokens))
}

/// A line in so many columns.
fn within(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut line = String::new();
    let mut left = columns.saturating_sub(1);
    for char in text.chars() {
        let width = char.width().unwrap_or(0);
        if width > left {
            break;
        }
        left -= width;
        line.push(char);
    }
    line.truncate(line.trim_end().len());
    if columns > 0 {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::sample::{OPTIONS, session, with_map};
    use contextfit::chat::ChatMessage;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_line_tells_all_of_its_message() {
        let mut messages = session(1);
        messages.push(ChatMessage::user("好 ".repeat(100)));
        with_map(messages, &[], |map| {
            let drawn = plain(&draw(map, false, 80));
            assert_eq!(
                drawn.lines().collect::<Vec<_>>(),
                [
                    "  #  turn   role       tokens                    fate  why, and how it begins",
                    "  0         system         12  ██·               kept  instructions are never c…",
                    "  1     1   user           11  ██·               kept  nothing has to go — Find…",
                    "  2       ╭ assistant      13  █▓·               kept  I look at worker 0. logs…",
                    "  3       ╰ tool           60  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒·  kept  took a job took a job to…",
                    "  4     2   user           54  █████████████·    kept  好 好 好 好 好 好 好 好…",
                ]
            );
        });
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for options in OPTIONS {
            for columns in [60, 61, 80, 100, 173] {
                with_map(session(40), options, |map| {
                    for all in [false, true] {
                        for line in plain(&draw(map, all, columns)).lines() {
                            assert!(line.width() <= columns, "{columns}: {line}");
                        }
                    }
                });
            }
        }
    }

    #[test]
    fn what_is_too_wide_ends_in_an_ellipsis() {
        assert_eq!(within("12345", 5), "12345");
        assert_eq!(within("123456", 5), "1234…");
        assert_eq!(within("123 56", 5), "123…");
        // Two columns each.
        assert_eq!(within("好好好", 5), "好好…");
        assert_eq!(within("好好好", 4), "好…");
        assert_eq!(within("123", 0), "");
    }
}
