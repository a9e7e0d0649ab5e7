use std::sync::Arc;

use contextfit_core::plan::SummaryCost;
use contextfit_core::request::{Conversation, Hints};
use contextfit_core::summary::Transcript;

use super::Fitter;
use super::decide::Drafted;
use super::due::{Assessed, Due};
use super::refused::JobKey;
use super::settings::SplitTurn;
use super::shares::Shares;
use crate::{SummarizeError, SummaryJob, SummaryKind};

/// A part of the text that is to stand for the messages that are cut: what came before the turn
/// that the cut falls into, or the start of that turn.
pub(crate) struct Part {
    /// What it covers, and the most tokens of its text.
    pub(super) job: SummaryJob,
    pub(super) wanted: Wanted,
}

/// What is wanted of the summarizer for a part.
pub(super) enum Wanted {
    /// Nothing: no message was added, so an earlier summary stays as it is.
    Nothing,
    /// A summary, which is remembered by this if it can't be used.
    Summary(JobKey),
    /// A summary, but there is no use in asking for one.
    Unavailable(SummarizeError),
}

impl Part {
    /// Whether the summarizer is to be asked.
    pub(super) const fn is_asked_for(&self) -> bool {
        matches!(self.wanted, Wanted::Summary(_))
    }

    /// Why there is no use in asking the summarizer.
    pub(super) const fn failure(&self) -> Option<&SummarizeError> {
        match &self.wanted {
            Wanted::Unavailable(error) => Some(error),
            Wanted::Nothing | Wanted::Summary(_) => None,
        }
    }

    /// The same, taken from it.
    pub(super) fn take_failure(&mut self) -> Option<SummarizeError> {
        self.failure()?;
        match std::mem::replace(&mut self.wanted, Wanted::Nothing) {
            Wanted::Unavailable(error) => Some(error),
            Wanted::Nothing | Wanted::Summary(_) => None,
        }
    }

    /// The job for the summarizer, if it is to be asked.
    pub(super) fn job(&self) -> Option<SummaryJob> {
        self.is_asked_for().then(|| self.job.clone())
    }
}

impl<A> Fitter<A> {
    /// The parts of what is to stand for a cut; none if nobody is there to write one, or there is
    /// nothing to write it of.
    pub(super) fn parts<V: Conversation>(
        &self,
        view: &V,
        hints: &Hints,
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
        let part = |kind, messages, bound| {
            self.part(view, hints, assessed, drafted, (kind, messages, bound))
        };
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

    /// A part of what is to stand for a cut.
    fn part<V: Conversation>(
        &self,
        view: &V,
        hints: &Hints,
        assessed: &Assessed,
        drafted: &Drafted,
        (kind, messages, bound): (SummaryKind, Vec<usize>, u64),
    ) -> Part {
        let earlier = drafted.previous.as_ref();
        let earlier = earlier.map(|(_, envelope)| &*envelope.summary);
        let previous =
            earlier.filter(|summary| kind == SummaryKind::History && !summary.is_empty());
        let mut job = SummaryJob::new(
            kind,
            Transcript::of(view, messages),
            previous,
            bound,
            Arc::clone(&assessed.estimator),
            Arc::clone(&self.shared.summaries),
        );
        job.instructions.clone_from(&hints.instructions);
        let wanted = self.wanted(&job, assessed, drafted);
        Part { job, wanted }
    }

    fn wanted(&self, job: &SummaryJob, assessed: &Assessed, drafted: &Drafted) -> Wanted {
        // Our own summary may be all that is cut, to be written anew and shorter.
        let rows = drafted.table.rows();
        let mut cut = drafted.draft.cut.summarized();
        if job.conversation.is_empty() && !cut.all(|index| rows[index].summary) {
            return Wanted::Nothing;
        }
        if job.max_tokens == 0 {
            return Wanted::Unavailable(SummarizeError::NoRoom);
        }
        let refused = &self.shared.refused;
        let key = refused.key(job);
        let optional = assessed.due == Some(Due::Soft);
        if refused.contains(key) || optional && refused.is_too_early(key) {
            return Wanted::Unavailable(SummarizeError::RefusedBefore);
        }
        Wanted::Summary(key)
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
