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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::sample::{OPTIONS, session, with_map};

    /// The messages of the lines, shown or not.
    fn messages(lines: &[Line]) -> Vec<usize> {
        let messages = lines.iter().flat_map(|line| match line {
            Line::Block(index) => *index..index + 1,
            Line::Fold(range) => range.clone(),
            Line::Cut => 0..0,
        });
        messages.collect()
    }

    #[test]
    fn every_message_has_one_place_folded_or_not() {
        for options in OPTIONS {
            for all in [false, true] {
                with_map(session(40), options, |map| {
                    let lines = lines(map, all);
                    assert!(messages(&lines).into_iter().eq(0..map.blocks.len()));
                    let cuts = lines.iter().filter(|line| **line == Line::Cut);
                    assert_eq!(cuts.count(), usize::from(map.cut.is_some()));
                    assert!(!all || !lines.iter().any(|line| matches!(line, Line::Fold(_))));
                });
            }
        }
    }

    #[test]
    fn only_what_shares_its_fate_is_folded_and_the_largest_stay_in_sight() {
        with_map(session(40), &["--window", "3000"], |map| {
            let lines = lines(map, false);
            assert!(lines.len() < map.blocks.len() / 2);
            let mut folds = 0;
            for line in &lines {
                let Line::Fold(range) = line else { continue };
                let hidden = &map.blocks[range.clone()];
                assert!(hidden.len() >= LEAST);
                assert!(hidden.windows(2).all(|two| same_fate(&two[0], &two[1])));
                folds += 1;
            }
            assert!(folds > 0);
            let shown = |block: &Block| lines.contains(&Line::Block(block.index));
            assert!(
                map.blocks
                    .iter()
                    .any(|block| block.tokens == map.largest() && shown(block))
            );
        });
    }

    #[test]
    fn the_cut_stands_before_the_message_it_is_before() {
        with_map(session(40), &["--window", "3000"], |map| {
            let lines = lines(map, false);
            let at = lines.iter().position(|line| *line == Line::Cut).unwrap();
            assert_eq!(lines[at + 1], Line::Block(map.cut.unwrap().before));
        });
    }

    #[test]
    fn a_short_conversation_is_shown_whole() {
        with_map(session(4), &[], |map| {
            let whole: Vec<Line> = (0..map.blocks.len()).map(Line::Block).collect();
            assert_eq!(lines(map, false), whole);
        });
    }

    #[test]
    fn a_fold_names_its_turns() {
        with_map(session(15), &[], |map| {
            assert_eq!(turns(&map.blocks[..2]).as_deref(), Some("turn 1"));
            assert_eq!(turns(&map.blocks[..20]).as_deref(), Some("turns 1 to 2"));
            assert_eq!(turns(&map.blocks[2..5]), None);
        });
    }
}
