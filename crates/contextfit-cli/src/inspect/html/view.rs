//! The parts of a page: texts, and widths in percent.

use std::collections::BTreeSet;

use contextfit::cut::Fate;

use super::super::block::{Block, Place};
use super::super::fold;
use super::super::kind::{Kind, Kinds, Look, total};
use super::super::map::{Map, tokens};
use super::super::words;
use crate::number::{counted, grouped};
use crate::role::role;

/// A part of a bar.
pub(super) struct Segment {
    pub(super) class: &'static str,
    pub(super) width: String,
}

/// Tokens by kind, as a bar.
pub(super) struct Bar {
    /// What it shows, for those who can't see it.
    pub(super) label: String,
    pub(super) segments: Vec<Segment>,
}

/// Whole prompts beside the window.
pub(super) struct Figure {
    pub(super) prompts: Vec<Prompt>,
    /// Where the most tokens of a prompt are, if they are known.
    pub(super) limit: Option<String>,
    /// Where the end of the window is.
    pub(super) window: String,
}

/// A whole prompt.
pub(super) struct Prompt {
    pub(super) name: &'static str,
    pub(super) tokens: String,
    pub(super) bar: Bar,
}

/// A number that prompts are held to.
pub(super) struct Budget {
    pub(super) name: &'static str,
    pub(super) tokens: String,
    pub(super) note: &'static str,
}

/// All tokens of a kind.
pub(super) struct KindRow {
    pub(super) class: &'static str,
    pub(super) name: &'static str,
    pub(super) before: String,
    pub(super) share: String,
    pub(super) after: String,
}

/// A message in the strip that shows all of them in order.
pub(super) struct StripBlock {
    pub(super) class: &'static str,
    pub(super) fate: &'static str,
    pub(super) tokens: u64,
}

/// A line of the list of messages.
pub(super) enum Line {
    Message(Message),
    Fold(Fold),
    Cut,
}

/// A message.
pub(super) struct Message {
    pub(super) index: usize,
    pub(super) turn: Option<usize>,
    pub(super) group: usize,
    pub(super) place: &'static str,
    pub(super) role: &'static str,
    pub(super) tokens: String,
    pub(super) bar: Bar,
    /// The width of what is clipped off.
    pub(super) off: Option<String>,
    pub(super) fate_key: &'static str,
    pub(super) fate: String,
    pub(super) why: &'static str,
    pub(super) excerpt: Option<String>,
}

/// Messages that are shown when somebody asks for them.
pub(super) struct Fold {
    pub(super) count: String,
    pub(super) tokens: String,
    pub(super) fate: &'static str,
    pub(super) turns: Option<String>,
    pub(super) messages: Vec<Message>,
}

impl Bar {
    fn of(kinds: &Kinds, full: u64) -> Self {
        let named: Vec<String> = kinds
            .iter()
            .map(|(kind, &tokens)| format!("{} {}", kind.name(), grouped(tokens)))
            .collect();
        let segment = |(kind, &tokens): (&Kind, &u64)| Segment {
            class: class(kind.look()),
            width: width(tokens, full),
        };
        Self {
            label: format!("{}: {}", counted(total(kinds), "token"), named.join(", ")),
            segments: kinds.iter().map(segment).collect(),
        }
    }
}

impl Figure {
    pub(super) fn of(map: &Map<'_>) -> Self {
        let explanation = map.explanation;
        let prompt = |name, tokens: u64, kinds| Prompt {
            name,
            tokens: grouped(tokens),
            bar: Bar::of(kinds, map.scale()),
        };
        let mut prompts = vec![prompt("now", explanation.tokens_before, &map.kinds)];
        if map.changes() {
            prompts.push(prompt("after", explanation.tokens_after, &map.kinds_after));
        }
        let at = |tokens| width(tokens, map.scale());
        Self {
            prompts,
            limit: map.most_prompt().map(at),
            window: at(map.setup.window),
        }
    }
}

/// The numbers that the prompt is held to.
pub(super) fn budget(map: &Map<'_>) -> Vec<Budget> {
    let row = |name, tokens, note| Budget {
        name,
        tokens: grouped(tokens),
        note,
    };
    let mut rows = vec![row("window", map.setup.window, "input and output together")];
    if let Some(budget) = map.explanation.budget {
        rows.extend([
            row("reserve", budget.reserve, "kept free for the reply"),
            row(
                "fixed part",
                budget.fixed,
                "instructions and schemas, never cut",
            ),
            row("limit", budget.limit, "what the other messages may use"),
            row(
                "target",
                budget.target,
                "what a compaction keeps of them, beside the summary",
            ),
        ]);
    }
    rows
}

/// The tokens by kind, the largest first.
pub(super) fn kinds(map: &Map<'_>) -> Vec<KindRow> {
    let number = |kinds: &Kinds, kind| kinds.get(&kind).map_or_else(String::new, |&n| grouped(n));
    let row = |kind: Kind| KindRow {
        class: class(kind.look()),
        name: kind.name(),
        before: number(&map.kinds, kind),
        share: map.share(kind).unwrap_or_default(),
        after: number(&map.kinds_after, kind),
    };
    map.kinds_by_size().into_iter().map(row).collect()
}

/// What becomes of the messages, each fate once.
pub(super) fn fates(map: &Map<'_>) -> BTreeSet<&'static str> {
    let fates = map.blocks.iter().map(|block| words::fate_key(block.fate));
    fates.collect()
}

/// All messages in order.
pub(super) fn strip(map: &Map<'_>) -> Vec<StripBlock> {
    let block = |block: &Block| {
        let largest = block.kinds.iter().max_by_key(|&(_, &tokens)| tokens);
        StripBlock {
            class: largest.map_or("other", |(kind, _)| class(kind.look())),
            fate: words::fate_key(block.fate),
            tokens: block.tokens,
        }
    };
    map.blocks.iter().map(block).collect()
}

impl Line {
    pub(super) fn of(map: &Map<'_>, line: &fold::Line) -> Self {
        let message = |block| Message::of(block, map.largest());
        match line {
            fold::Line::Cut => Self::Cut,
            &fold::Line::Block(index) => Self::Message(message(&map.blocks[index])),
            fold::Line::Fold(range) => {
                let blocks = &map.blocks[range.clone()];
                Self::Fold(Fold {
                    count: counted(blocks.len(), "more message"),
                    tokens: counted(tokens(blocks.iter().map(|block| block.tokens)), "token"),
                    fate: blocks
                        .first()
                        .map_or("", |block| words::fate_key(block.fate)),
                    turns: fold::turns(blocks),
                    messages: blocks.iter().map(message).collect(),
                })
            }
        }
    }
}

impl Message {
    fn of(block: &Block, largest: u64) -> Self {
        let clipped = matches!(block.fate, Fate::Clip(_));
        let kinds = if clipped {
            &block.kinds_after
        } else {
            &block.kinds
        };
        Self {
            index: block.index,
            turn: block.starts_turn.then_some(block.turn),
            group: block.group,
            place: match block.place {
                Place::Alone => "alone",
                Place::First => "first",
                Place::Middle => "middle",
                Place::Last => "last",
            },
            role: role(block.role),
            tokens: grouped(block.tokens),
            bar: Bar::of(kinds, largest),
            off: clipped.then(|| width(block.tokens.saturating_sub(block.tokens_after()), largest)),
            fate_key: words::fate_key(block.fate),
            fate: words::fate(block.fate),
            why: block.why.text(),
            excerpt: block.excerpt.clone().filter(|excerpt| !excerpt.is_empty()),
        }
    }
}

const fn class(look: Look) -> &'static str {
    match look {
        Look::Text => "text",
        Look::Thinking => "thinking",
        Look::ToolCall => "tool-call",
        Look::ToolResult => "tool-result",
        Look::Media => "media",
        Look::Schema => "schema",
        Look::Summary => "summary",
        Look::Other => "other",
    }
}

/// A share of the width, as CSS takes it.
fn width(tokens: u64, full: u64) -> String {
    format!("{:.3}%", tokens as f64 * 100.0 / full.max(1) as f64)
}
