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
            "  {:>number$}  {:>turn$}   {:ROLE$}  {:>tokens$}  {:bar$}  {}",
            "#",
            "turn",
            "role",
            "tokens",
            "",
            "fate, why, and how it begins",
            number = self.number,
            turn = self.turn,
            tokens = self.tokens,
            bar = self.bar,
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
            words::role(block.role),
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
