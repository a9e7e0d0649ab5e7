use std::ops::Range;

use contextfit::request::PieceKind;
use contextfit::{ExplainedMessage, Explanation, Outcome};

use super::block::Block;
use super::excerpt::excerpt;
use super::kind::{Kind, Kinds, add, total};
use crate::args::{InspectArgs, SetupArgs};
use crate::input::Recording;
use crate::number::percent;

/// A map of a context: all that is drawn, whatever it is drawn on.
#[derive(Debug)]
pub(crate) struct Map<'a> {
    /// The file the conversation was read from.
    pub(crate) file: &'a str,
    /// What was asked for.
    pub(crate) setup: &'a SetupArgs,
    /// What a fit would do, in numbers.
    pub(crate) explanation: &'a Explanation,
    /// The messages.
    pub(crate) blocks: Vec<Block>,
    /// Tokens of the whole prompt by kind, as it is.
    pub(crate) kinds: Kinds,
    /// The most tokens of it, as it would be sent.
    pub(crate) kinds_after: Kinds,
    /// The groups, in order.
    pub(crate) groups: Vec<Span>,
    /// The turns, in order.
    pub(crate) turns: Vec<Span>,
    /// Where the cut would fall, if there were one.
    pub(crate) cut: Option<CutLine>,
}

/// Messages that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The number of the group or turn.
    pub(crate) number: usize,
    /// The messages.
    pub(crate) messages: Range<usize>,
    /// What they cost, in tokens.
    pub(crate) tokens: u64,
}

/// The line between what goes and what stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutLine {
    /// The first message behind all that are cut.
    pub(crate) before: usize,
    /// How many messages are cut. Some before the line may stay.
    pub(crate) messages: usize,
    /// What they cost, in tokens.
    pub(crate) tokens: u64,
}

impl<'a> Map<'a> {
    /// Draws a conversation and what a fit would do to it.
    pub(crate) fn new(
        recording: &'a Recording,
        args: &'a InspectArgs,
        explanation: &'a Explanation,
    ) -> Self {
        let messages = &explanation.messages;
        let text = |index| (!args.no_text).then(|| excerpt(&recording.request, index));
        let blocks: Vec<Block> = (0..messages.len())
            .map(|index| Block::new(messages, index, text(index)))
            .collect();
        let beside = Kind::Piece(PieceKind::Schema);
        let mut kinds = sum(blocks.iter().map(|block| &block.kinds));
        add(&mut kinds, beside, explanation.beside);
        let mut kinds_after = sum(blocks.iter().map(|block| &block.kinds_after));
        add(&mut kinds_after, beside, explanation.beside);
        // Whatever of it is no message of the conversation.
        let instead = match explanation.summary {
            Some(_) => Kind::Summary,
            None => Kind::Notice,
        };
        let tokens = explanation.tokens_after.saturating_sub(total(&kinds_after));
        add(&mut kinds_after, instead, tokens);
        Self {
            file: &recording.name,
            setup: &args.setup,
            explanation,
            groups: spans(messages, |message| message.group),
            turns: spans(messages, |message| message.turn),
            cut: cut(&blocks),
            blocks,
            kinds,
            kinds_after,
        }
    }

    /// Whether anything would be changed.
    pub(crate) const fn changes(&self) -> bool {
        matches!(self.explanation.outcome, Outcome::Changed(_))
    }

    /// Tokens of the largest message, which fills the width of the map.
    pub(crate) fn largest(&self) -> u64 {
        let tokens = self.blocks.iter().map(|block| block.tokens);
        tokens.max().unwrap_or(0)
    }

    /// The kinds, the largest first.
    pub(crate) fn kinds_by_size(&self) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = self.kinds.keys().copied().collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(self.kinds.get(kind)));
        let new = self.kinds_after.keys().copied();
        kinds.extend(new.filter(|kind| !self.kinds.contains_key(kind)));
        kinds
    }

    /// The share of a kind in the whole prompt as it is.
    pub(crate) fn share(&self, kind: Kind) -> Option<String> {
        let tokens = *self.kinds.get(&kind)?;
        Some(percent(tokens, self.explanation.tokens_before))
    }

    /// The most tokens a prompt may have.
    pub(crate) fn most_prompt(&self) -> Option<u64> {
        let budget = self.explanation.budget?;
        Some(budget.fixed.saturating_add(budget.limit))
    }

    /// Tokens that fill the width where whole prompts are compared with the window.
    pub(crate) fn scale(&self) -> u64 {
        let explanation = self.explanation;
        let prompts = explanation.tokens_before.max(explanation.tokens_after);
        prompts.max(self.setup.window)
    }
}

fn sum<'a>(all: impl Iterator<Item = &'a Kinds>) -> Kinds {
    let mut sum = Kinds::new();
    for (&kind, &tokens) in all.flatten() {
        add(&mut sum, kind, tokens);
    }
    sum
}

fn spans(messages: &[ExplainedMessage], number: fn(&ExplainedMessage) -> usize) -> Vec<Span> {
    let mut start = 0;
    let runs = messages.chunk_by(|one, next| number(one) == number(next));
    runs.map(|run| {
        let messages = start..start + run.len();
        start = messages.end;
        Span {
            number: number(&run[0]),
            messages,
            tokens: tokens(run.iter().map(|message| message.tokens)),
        }
    })
    .collect()
}

fn cut(blocks: &[Block]) -> Option<CutLine> {
    let cut = || blocks.iter().filter(|block| block.fate.is_cut());
    Some(CutLine {
        before: cut().next_back()?.index + 1,
        messages: cut().count(),
        tokens: tokens(cut().map(|block| block.tokens)),
    })
}

/// Adds up tokens.
pub(crate) fn tokens(all: impl Iterator<Item = u64>) -> u64 {
    all.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::sample::{OPTIONS, session, with_map};

    #[test]
    fn the_kinds_add_up_to_the_prompt_as_it_is_and_as_it_would_be() {
        for options in OPTIONS {
            with_map(session(30), options, |map| {
                assert_eq!(total(&map.kinds), map.explanation.tokens_before);
                assert_eq!(total(&map.kinds_after), map.explanation.tokens_after);
                for block in &map.blocks {
                    assert_eq!(total(&block.kinds), block.tokens);
                }
            });
        }
    }

    #[test]
    fn the_cut_line_is_behind_all_that_is_cut() {
        with_map(session(30), &["--window", "3000"], |map| {
            let cut = map.cut.unwrap();
            let (above, below) = map.blocks.split_at(cut.before);
            assert!(above.last().unwrap().fate.is_cut());
            assert!(below.iter().all(|block| !block.fate.is_cut()));
            let gone = || above.iter().filter(|block| block.fate.is_cut());
            assert_eq!(gone().count(), cut.messages);
            assert_eq!(gone().map(|block| block.tokens).sum::<u64>(), cut.tokens);
        });
        with_map(session(30), &[], |map| assert_eq!(map.cut, None));
    }

    #[test]
    fn groups_and_turns_hold_every_message_once() {
        with_map(session(30), &[], |map| {
            for spans in [&map.groups, &map.turns] {
                let messages: Vec<usize> = spans
                    .iter()
                    .flat_map(|span| span.messages.clone())
                    .collect();
                assert!(messages.into_iter().eq(0..map.blocks.len()));
                let tokens: u64 = spans.iter().map(|span| span.tokens).sum();
                assert_eq!(tokens, map.explanation.tokens_before);
            }
            let starts = map.blocks.iter().filter(|block| block.starts_turn);
            assert_eq!(starts.count(), 7);
            assert_eq!(map.turns.len(), 8);
        });
    }
}
