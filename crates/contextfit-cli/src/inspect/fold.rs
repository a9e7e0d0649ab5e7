use std::ops::Range;

use super::block::Block;
use super::map::Map;

/// Runs of no more messages than these are shown whole.
const SHORT: usize = 12;
/// As many messages are shown at each end of a run.
const ENDS: usize = 2;
/// As many of the others are shown, the largest.
const LARGEST: usize = 4;
/// Fewer messages than these are shown, instead of a line that says that they aren't.
const LEAST: usize = 4;

/// A line of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A message.
    Block(usize),
    /// Messages with one fate that aren't shown.
    Fold(Range<usize>),
    /// Where the cut falls.
    Cut,
}

/// The lines of a map. Long runs of messages that share their fate, and why, are folded unless
/// `all` are to be shown: what stays visible are their ends and their largest messages.
pub(crate) fn lines(map: &Map<'_>, all: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    for run in map.blocks.chunk_by(same_fate) {
        let range = start..start + run.len();
        start = range.end;
        if map.cut.is_some_and(|cut| cut.before == range.start) {
            lines.push(Line::Cut);
        }
        if all || run.len() <= SHORT {
            lines.extend(range.map(Line::Block));
        } else {
            fold(run, &mut lines);
        }
    }
    lines
}

fn same_fate(one: &Block, next: &Block) -> bool {
    // Each clip has a number of its own.
    let fate = std::mem::discriminant(&one.fate) == std::mem::discriminant(&next.fate);
    fate && one.why == next.why
}

/// Folds a run that is longer than both its ends.
fn fold(run: &[Block], lines: &mut Vec<Line>) {
    let (inner, last) = (ENDS, run.len() - ENDS);
    let mut shown: Vec<usize> = (inner..last).collect();
    shown.sort_by_key(|&index| std::cmp::Reverse(run[index].tokens));
    shown.truncate(LARGEST);
    shown.extend((0..inner).chain(last..run.len()));
    shown.sort_unstable();
    let mut next = 0;
    for index in shown {
        let hidden = run[next].index..run[index].index;
        if hidden.len() < LEAST {
            lines.extend(hidden.map(Line::Block));
        } else {
            lines.push(Line::Fold(hidden));
        }
        lines.push(Line::Block(run[index].index));
        next = index + 1;
    }
}

/// The turns that begin with one of these messages.
pub(crate) fn turns(blocks: &[Block]) -> Option<String> {
    let mut turns = blocks
        .iter()
        .filter(|block| block.starts_turn)
        .map(|block| block.turn);
    let first = turns.next()?;
    Some(match turns.next_back() {
        None => format!("turn {first}"),
        Some(last) => format!("turns {first} to {last}"),
    })
}
