use std::sync::Arc;

use contextfit_core::plan::SummaryCost;
use contextfit_core::request::Conversation;

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
        let wanted = self.wanted(view, assessed, drafted, kind, &messages, bound);
        Part {
            kind,
            messages,
            bound,
            wanted,
        }
    }

    fn wanted<V: Conversation>(
        &self,
        view: &V,
        assessed: &Assessed,
        drafted: &Drafted,
        kind: SummaryKind,
        messages: &[usize],
        bound: u64,
    ) -> Wanted {
        // Our own summary may be all that is cut, to be written anew and shorter.
        let rows = drafted.table.rows();
        let mut cut = drafted.draft.cut.summarized();
        if messages.is_empty() && !cut.all(|index| rows[index].summary) {
            return Wanted::Nothing;
        }
        if bound == 0 {
            return Wanted::Unavailable(SummarizeError::NoRoom);
        }
        let earlier = drafted.previous.as_ref();
        let earlier = earlier.map(|(_, envelope)| &envelope.summary);
        let previous = earlier
            .filter(|summary| kind == SummaryKind::History && !summary.is_empty())
            .cloned();
        let window = self.shared.summarizer.as_ref().and_then(|one| one.window());
        let job = SummaryJob::new(kind, previous, bound, Arc::clone(&assessed.estimator)).read(
            view,
            messages.iter().copied(),
            window,
        );
        let refused = &self.shared.refused;
        let key = refused.key(&job);
        let optional = assessed.due == Some(Due::Soft);
        if refused.contains(key) || optional && refused.is_too_early(key) {
            return Wanted::Unavailable(SummarizeError::RefusedBefore);
        }
        Wanted::Summary {
            key,
            omitted: job.omitted,
            job: Some(Box::new(job)),
        }
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
