use std::sync::Arc;

use contextfit_core::estimate::Estimator;
use contextfit_core::plan::SummaryCost;
use contextfit_core::request::Conversation;
use contextfit_core::summary::with_turn_start;

use super::Fitter;
use super::decide::Drafted;
use super::due::{Assessed, Due};
use super::refused::JobKey;
use super::settings::{SplitTurn, SummaryBound};
use crate::tokens::text_tokens;
use crate::{SummarizeError, SummaryJob, SummaryKind};

/// A part of the text that is to stand for the messages that are cut: what came before the turn
/// that the cut falls into, or the start of that turn.
pub(crate) struct Part {
    pub(super) kind: SummaryKind,
    /// The messages that it covers.
    pub(super) messages: Vec<usize>,
    /// The most tokens of its text.
    pub(super) bound: u64,
    pub(super) wanted: Wanted,
}

/// What is wanted of the summarizer for a part.
pub(super) enum Wanted {
    /// Nothing: no message was added, so an earlier summary stays as it is.
    Nothing,
    /// A summary, of all but so many messages that the summarizer's window has no room for.
    Summary {
        key: JobKey,
        omitted: usize,
        job: Option<Box<SummaryJob>>,
    },
    /// A summary, but there is no use in asking for one.
    Unavailable(SummarizeError),
}

impl Wanted {
    /// How many messages the summarizer doesn't get to read.
    pub(super) const fn omitted(&self) -> usize {
        match self {
            Self::Summary { omitted, .. } => *omitted,
            Self::Nothing | Self::Unavailable(_) => 0,
        }
    }
}

impl Part {
    /// Whether the summarizer is to be asked.
    pub(super) const fn is_asked_for(&self) -> bool {
        matches!(self.wanted, Wanted::Summary { .. })
    }

    /// How many messages the summarizer gets to read.
    pub(super) fn messages_read(&self) -> usize {
        self.messages.len().saturating_sub(self.wanted.omitted())
    }

    /// Why there is no use in asking the summarizer.
    pub(super) const fn failure(&self) -> Option<&SummarizeError> {
        match &self.wanted {
            Wanted::Unavailable(error) => Some(error),
            Wanted::Nothing | Wanted::Summary { .. } => None,
        }
    }

    /// The same, taken from it.
    pub(super) fn take_failure(&mut self) -> Option<SummarizeError> {
        self.failure()?;
        match std::mem::replace(&mut self.wanted, Wanted::Nothing) {
            Wanted::Unavailable(error) => Some(error),
            Wanted::Nothing | Wanted::Summary { .. } => None,
        }
    }

    /// The job for the summarizer, if it is to be asked. Taken once.
    pub(super) fn take_job(&mut self) -> Option<SummaryJob> {
        match &mut self.wanted {
            Wanted::Summary { job, .. } => job.take().map(|job| *job),
            Wanted::Nothing | Wanted::Unavailable(_) => None,
        }
    }
}

impl<A> Fitter<A> {
    /// The parts of what is to stand for a cut; none if nobody is there to write one, or there is
    /// nothing to write it of.
    pub(super) fn parts<V: Conversation>(
        &self,
        view: &V,
        assessed: &Assessed,
        drafted: &Drafted,
    ) -> Vec<Part> {
        let summary_at = drafted.previous.as_ref().map(|&(index, _)| index);
        let mut cut = drafted.draft.cut.summarized().peekable();
        if self.shared.summarizer.is_none() || cut.peek().is_none() {
            return Vec::new();
        }
        let bound = drafted.draft.summary_bound;
        let messages = || {
            let cut = drafted.draft.cut.summarized();
            cut.filter(|&index| Some(index) != summary_at)
        };
        let part =
            |kind, messages, bound| self.part(view, assessed, drafted, kind, messages, bound);
        if self.shared.settings.split_turn == SplitTurn::Together {
            return vec![part(SummaryKind::History, messages().collect(), bound)];
        }
        let set = self.shared.settings.summary_bound;
        let shares = Shares::of(bound, set, &*assessed.estimator);
        match split_turn(drafted).filter(|_| shares.are_enough()) {
            Some(turn) => {
                let rows = drafted.table.rows();
                let (turn_start, history) =
                    messages().partition(|&index| rows[index].turn() == turn);
                vec![
                    part(SummaryKind::History, history, shares.history),
                    part(SummaryKind::TurnStart, turn_start, shares.turn_start),
                ]
            }
            None => {
                // A bound that is too small for two may be enough for one.
                let bound = shares.history.max(bound.min(SummaryCost::LEAST));
                vec![part(SummaryKind::History, messages().collect(), bound)]
            }
        }
    }

    fn part<V: Conversation>(
        &self,
        view: &V,
        assessed: &Assessed,
        drafted: &Drafted,
        kind: SummaryKind,
        messages: Vec<usize>,
        bound: u64,
    ) -> Part {
        let previous = drafted
            .previous
            .as_ref()
            .map(|(_, envelope)| &envelope.summary);
        let previous = previous
            .filter(|summary| kind == SummaryKind::History && !summary.is_empty())
            .cloned();
        // Our own summary may be all that is cut, to be written anew and shorter.
        let rows = drafted.table.rows();
        let alone = drafted
            .draft
            .cut
            .summarized()
            .all(|index| rows[index].summary);
        let wanted =
            if messages.is_empty() && !alone {
                Wanted::Nothing
            } else if bound == 0 {
                Wanted::Unavailable(SummarizeError::NoRoom)
            } else {
                let window = self.shared.summarizer.as_ref().and_then(|one| one.window());
                let job = SummaryJob::new(kind, previous, bound, Arc::clone(&assessed.estimator))
                    .read(view, messages.iter().copied(), window);
                let refused = &self.shared.refused;
                let key = refused.key(&job);
                let optional = assessed.due == Some(Due::Soft);
                if refused.contains(key) || optional && refused.is_too_early(key) {
                    Wanted::Unavailable(SummarizeError::RefusedBefore)
                } else {
                    Wanted::Summary {
                        key,
                        omitted: job.omitted,
                        job: Some(Box::new(job)),
                    }
                }
            };
        Part {
            kind,
            messages,
            bound,
            wanted,
        }
    }
}

/// How the bound of a summary is shared where the start of a turn has one of its own.
pub(super) struct Shares {
    history: u64,
    turn_start: u64,
}

impl Shares {
    /// The start of a turn may have so many tokens, however few the history has.
    const LEAST_TURN_START: u64 = 512;

    /// `set` is the setting that the bound follows from.
    fn of(bound: u64, set: SummaryBound, estimator: &dyn Estimator) -> Self {
        let bound = bound.saturating_sub(Self::heading(estimator));
        let mut history = bound - bound / 3;
        if let SummaryBound::Tokens(most) = set {
            history = history.min(most);
        }
        Self {
            history,
            turn_start: bound - history,
        }
    }

    /// The bound of both together, where the history alone may have so many tokens.
    pub(super) fn together(history: u64, estimator: &dyn Estimator) -> u64 {
        history
            .saturating_add((history / 2).max(Self::LEAST_TURN_START))
            .saturating_add(Self::heading(estimator))
    }

    /// Whether each is worth asking for.
    const fn are_enough(&self) -> bool {
        self.history >= SummaryCost::LEAST && self.turn_start >= SummaryCost::LEAST
    }

    /// What stands between the two, in tokens.
    fn heading(estimator: &dyn Estimator) -> u64 {
        text_tokens(estimator, &with_turn_start("", "-"))
    }
}

/// The turn that has lost its start and kept its end, if there is one whose start is a message of
/// the user.
pub(super) fn split_turn(drafted: &Drafted) -> Option<usize> {
    let rows = drafted.table.rows();
    let cut = &drafted.draft.cut;
    let newest = cut
        .summarized()
        .filter(|&index| !rows[index].summary)
        .last()?;
    let turn = rows[newest].turn();
    let start = rows.iter().find(|row| row.turn() == turn)?;
    let goes_on = rows[newest + 1..]
        .iter()
        .zip(newest + 1..)
        .any(|(row, index)| row.turn() == turn && !row.role.is_fixed() && !cut.contains(index));
    (turn > 0 && !start.summary && goes_on).then_some(turn)
}
