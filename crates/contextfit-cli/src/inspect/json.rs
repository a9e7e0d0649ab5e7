use std::collections::BTreeMap;
use std::io::{self, Write};

use contextfit::Outcome;
use contextfit::cut::Fate;
use serde::Serialize;

use super::block::Block;
use super::kind::Kinds;
use super::map::{Map, Span};
use super::words;
use crate::role::role;

/// Writes a map as one object, on one line.
pub(crate) fn write(out: &mut impl Write, map: &Map<'_>) -> io::Result<()> {
    let json = serde_json::to_string(&Document::of(map)).map_err(io::Error::from)?;
    writeln!(out, "{json}")
}

/// The names are an interface: programs read them. Messages, groups and turns are numbered from
/// 0, in turn 0 is what comes before the first message of the user. Sizes are estimated tokens.
#[derive(Serialize)]
struct Document<'a> {
    file: &'a str,
    model: Option<&'a str>,
    preset: String,
    window: u64,
    /// `null` if nothing is left for the messages.
    budget: Option<BudgetNumbers>,
    /// `left_alone`, `fits`, `changed`, `stuck` or `refused`.
    outcome: &'static str,
    /// Why it is changed.
    reason: Option<&'static str>,
    /// Why it doesn't fit, whatever is done.
    problem: Option<String>,
    tokens_before: u64,
    tokens_after: u64,
    /// Tokens of what stands beside the messages.
    tokens_beside: u64,
    kinds: BTreeMap<String, u64>,
    kinds_after: BTreeMap<String, u64>,
    cut: Option<Cut>,
    summary: Option<Summary>,
    groups: Vec<Run>,
    turns: Vec<Run>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct BudgetNumbers {
    reserve: u64,
    fixed: u64,
    limit: u64,
    target: u64,
}

#[derive(Serialize)]
struct Cut {
    /// The first message behind all that are cut.
    before: usize,
    messages: usize,
    tokens: u64,
}

#[derive(Serialize)]
struct Summary {
    messages: usize,
    calls: usize,
    max_tokens: u64,
}

#[derive(Serialize)]
struct Run {
    number: usize,
    first: usize,
    last: usize,
    tokens: u64,
}

#[derive(Serialize)]
struct Message<'a> {
    index: usize,
    role: &'static str,
    tokens: u64,
    tokens_after: u64,
    kinds: BTreeMap<String, u64>,
    group: usize,
    turn: usize,
    /// `kept`, `clipped`, `summarized` or `dropped`.
    fate: &'static str,
    /// The most tokens of it, if it is clipped.
    clipped_to: Option<u64>,
    why: &'static str,
    /// How it begins; `null` without text.
    excerpt: Option<&'a str>,
}

impl<'a> Document<'a> {
    fn of(map: &'a Map<'_>) -> Self {
        let explanation = map.explanation;
        Self {
            file: map.file,
            model: explanation.model.as_deref(),
            preset: map.setup.preset.to_string(),
            window: map.setup.window,
            budget: explanation.budget.map(|budget| BudgetNumbers {
                reserve: budget.reserve,
                fixed: budget.fixed,
                limit: budget.limit,
                target: budget.target,
            }),
            outcome: words::outcome_key(&explanation.outcome),
            reason: match explanation.outcome {
                Outcome::Changed(reason) => Some(words::reason_key(reason)),
                _ => None,
            },
            problem: map.problem(),
            tokens_before: explanation.tokens_before,
            tokens_after: explanation.tokens_after,
            tokens_beside: explanation.beside,
            kinds: named(&map.kinds),
            kinds_after: named(&map.kinds_after),
            cut: map.cut.map(|cut| Cut {
                before: cut.before,
                messages: cut.messages,
                tokens: cut.tokens,
            }),
            summary: explanation.summary.map(|summary| Summary {
                messages: summary.messages,
                calls: summary.calls,
                max_tokens: summary.max_tokens,
            }),
            groups: map.groups.iter().map(Run::of).collect(),
            turns: map.turns.iter().map(Run::of).collect(),
            messages: map.blocks.iter().map(Message::of).collect(),
        }
    }
}

impl Run {
    const fn of(span: &Span) -> Self {
        Self {
            number: span.number,
            first: span.messages.start,
            last: span.messages.end - 1,
            tokens: span.tokens,
        }
    }
}

impl<'a> Message<'a> {
    fn of(block: &'a Block) -> Self {
        Self {
            index: block.index,
            role: role(block.role),
            tokens: block.tokens,
            tokens_after: block.tokens_after(),
            kinds: named(&block.kinds),
            group: block.group,
            turn: block.turn,
            fate: words::fate_key(block.fate),
            clipped_to: match block.fate {
                Fate::Clip(tokens) => Some(tokens),
                _ => None,
            },
            why: words::why_key(block.why),
            excerpt: block.excerpt.as_deref(),
        }
    }
}

fn named(kinds: &Kinds) -> BTreeMap<String, u64> {
    let named = kinds.iter().map(|(kind, &tokens)| (kind.key(), tokens));
    named.collect()
}
