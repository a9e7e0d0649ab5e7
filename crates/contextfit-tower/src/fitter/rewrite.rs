use std::sync::Arc;

use contextfit_core::budget::Budget;
use contextfit_core::cut::{Fate, cut_policy_fn};
use contextfit_core::estimate::Estimator;
use contextfit_core::plan::{Clip, Draft, DraftRules, Plan, clip_message, draft};
use contextfit_core::request::{Conversation, Role};
use contextfit_core::summary::{Envelope, EnvelopeKeys, Ledger, Place};
use contextfit_core::table::Table;

use super::parts::Part;
use super::refit::Refit;
use crate::observe::FitSpan;
use crate::overflow::Size;
use crate::tokens::{shortened, text_tokens, user_message_tokens};
use crate::{FitReport, Reason, SummarizeError};

/// A change that is decided on numbers, and waits for its summary.
pub(crate) struct Rewrite {
    pub(super) refit: Option<Refit>,
    pub(super) reason: Reason,
    /// Whether the request is as well sent as it is.
    pub(super) optional: bool,
    pub(super) model: Option<String>,
    pub(super) estimator: Arc<dyn Estimator>,
    pub(super) size: Size,
    pub(super) budget: Budget,
    pub(super) table: Table,
    pub(super) rules: DraftRules,
    pub(super) draft: Draft,
    /// The envelope that is in the conversation already.
    pub(super) previous: Option<Envelope>,
    pub(super) keys: EnvelopeKeys,
    /// What tools did in all that is cut, now and before.
    pub(super) ledger: Ledger,
    /// The most tokens of its summary that may stay where there is no new one.
    pub(super) carried: u64,
    /// What the summarizer is asked for; none if nothing is cut or nobody is there to ask.
    pub(super) parts: Vec<Part>,
}

/// What is to stand for the messages that are cut.
#[derive(Default)]
pub(super) struct Stand {
    /// A text of its own; `None` if only a notice stands, with as much of an earlier summary as
    /// there is room for.
    pub(super) text: Option<String>,
    /// How many messages it holds as they were, because nobody summarized them.
    pub(super) archived: usize,
    /// How many messages nothing of it covers, of those that were to be summarized.
    pub(super) omitted: usize,
}

/// A plan and what the messages cost with it.
pub(super) struct Planned {
    pub(super) plan: Plan,
    pub(super) messages: u64,
}

impl Rewrite {
    /// The span of what is done from here on.
    pub(super) fn span(&self) -> FitSpan {
        let Budget { fixed, limit, .. } = self.budget;
        FitSpan::new(
            self.model.as_deref(),
            self.reason,
            fixed.saturating_add(self.draft.before),
            fixed.saturating_add(limit),
        )
    }

    /// Whether what stands for the messages that are cut is smaller than they are.
    pub(super) fn is_smaller(&self, stand: &Stand) -> Result<(), SummarizeError> {
        let text = self.envelope(stand).seal(&Place::default(), &self.keys);
        let tokens = user_message_tokens(&*self.estimator, &text);
        let replaced = self.draft.cut.tokens(&self.table);
        if tokens >= replaced {
            return Err(SummarizeError::NotSmaller { tokens, replaced });
        }
        Ok(())
    }

    /// The summary of an earlier compaction, as far as it fits into so many tokens.
    pub(super) fn earlier_summary(&self, most: u64) -> String {
        let earlier = self.previous.as_ref().map(|envelope| &*envelope.summary);
        let count = |text: &str| text_tokens(&*self.estimator, text);
        shortened(earlier.unwrap_or_default(), most, count)
    }

    /// The messages that are cut now, without the envelope that was there before.
    fn newly_cut(&self) -> impl Iterator<Item = usize> {
        let cut = self.draft.cut.iter();
        cut.filter(|&index| !self.table.rows()[index].summary)
    }

    /// Whether the message is clipped that the envelope is bound to.
    fn clips_the_task(&self) -> bool {
        let task = self
            .table
            .rows()
            .iter()
            .position(|row| !row.role.is_fixed());
        self.draft
            .clips
            .iter()
            .any(|clip| Some(clip.message) == task)
    }

    /// How many messages are dropped, with no summary to cover them.
    fn dropped(&self) -> usize {
        let fates = self.draft.cut.fates().iter().zip(self.table.rows());
        fates
            .filter(|&(&fate, row)| fate == Fate::Drop && !row.summary)
            .count()
    }

    /// Whether the request is within its bounds as it is.
    pub(super) fn fits_as_it_is(&self) -> bool {
        self.budget.fits(self.draft.before, self.table.len())
    }

    /// Makes do with clips, if they are enough. Whether they are.
    pub(super) fn fits_without_a_cut(&mut self) -> bool {
        let cut_nothing = cut_policy_fn(|_, _| None);
        let clips = draft(&self.table, &self.budget, &cut_nothing, &self.rules);
        // Too many messages are cut whatever a policy says.
        let enough = |clips: &Draft| clips.cut.is_empty() && clips.fits(&self.budget);
        match clips.filter(enough) {
            Some(clips) => {
                self.draft = clips;
                true
            }
            None => false,
        }
    }

    /// What stands for the messages that are cut.
    pub(super) fn envelope(&self, stand: &Stand) -> Envelope {
        let mut envelope = self.previous.clone().unwrap_or_default();
        let cut = self.newly_cut().count();
        envelope.messages = envelope.messages.saturating_add(cut as u64);
        envelope.ledger.clone_from(&self.ledger);
        match &stand.text {
            Some(text) => {
                envelope.summary.clone_from(text);
                let omitted = stand.omitted + self.dropped();
                envelope.omitted = envelope.omitted.saturating_add(omitted as u64);
            }
            None => {
                // An earlier summary is worth keeping, as far as there is room for it.
                envelope.summary = self.earlier_summary(self.carried);
                envelope.omitted = if envelope.summary.is_empty() {
                    envelope.messages
                } else {
                    envelope.omitted.saturating_add(cut as u64)
                };
            }
        }
        envelope
    }

    /// The edits, and the tokens of the messages with them.
    pub(super) fn plan<V: Conversation>(&self, view: &V, envelope: &Envelope) -> Planned {
        let mut cut = self.draft.cut.clone();
        let mut envelope = envelope.clone();
        match &self.previous {
            Some(previous) if cut.is_empty() && self.clips_the_task() => {
                // It stays, but is bound to what the task says.
                envelope.clone_from(previous);
                let summary = self.table.rows().iter().position(|row| row.summary);
                if let Some(summary) = summary {
                    cut.set(summary, Fate::Summarize);
                }
            }
            _ => envelope.covers = envelope.covers.with(view, self.newly_cut()),
        }
        // Summed up from what stays: a total that saturated is not the sum of its parts.
        let mut messages = 0_u64;
        let mut clips: Vec<Clip> = Vec::new();
        let mut drafted = self.draft.clips.iter().peekable();
        for (index, row) in self.table.rows().iter().enumerate() {
            if row.role.is_fixed() || cut.contains(index) {
                continue;
            }
            let mut tokens = row.tokens;
            if let Some(clip) = drafted.next_if(|clip| clip.message == index) {
                let clipped = clip_message(view, &*self.estimator, index, clip.tokens);
                tokens = clipped.tokens;
                clips.extend(clipped.clips);
            }
            messages = messages.saturating_add(tokens);
        }
        let place = Place::after(view, &cut, &clips);
        let text = envelope.seal(&place, &self.keys);
        if !cut.is_empty() {
            messages = messages.saturating_add(user_message_tokens(&*self.estimator, &text));
        } else if self.draft.clips.is_empty() {
            // They may have been counted.
            messages = self.draft.after;
        }
        let plan =
            Plan::new(cut, text, clips).max_output_tokens(self.budget.lowered_output(messages));
        Planned { plan, messages }
    }

    /// What the plan does, in numbers.
    pub(super) fn report(&self, planned: Planned, stand: &Stand) -> FitReport {
        let Planned { plan, messages } = planned;
        let newly_cut = self.newly_cut().count();
        let omitted = match stand.text {
            Some(_) => stand.omitted + self.dropped(),
            None => newly_cut,
        };
        let mut clipped: Vec<usize> = plan.clips().iter().map(|clip| clip.message).collect();
        clipped.dedup();
        let fixed = self.budget.fixed;
        FitReport {
            reason: self.reason,
            model: self.model.clone(),
            tokens_before: fixed.saturating_add(self.draft.before),
            tokens_after: fixed.saturating_add(messages),
            limit: fixed.saturating_add(self.budget.limit),
            max_messages: self.budget.max_messages,
            summarized: newly_cut.saturating_sub(omitted + stand.archived),
            archived: stand.archived,
            omitted,
            clipped: clipped.len(),
            kept: plan.len() - plan.cut().count() - clipped.len(),
            degraded: false,
            split_turn: self.splits_a_turn(),
            summarizer_calls: 0,
            summarizer_failures: 0,
            summarizer_model: None,
            summarizer_usage: None,
            plan,
        }
    }

    /// Whether a turn has lost its start and kept its end.
    fn splits_a_turn(&self) -> bool {
        let rows = self.table.rows();
        let kept = |index: usize| !self.draft.cut.contains(index);
        rows.iter().enumerate().any(|(index, row)| {
            index > 0
                && kept(index)
                && !kept(index - 1)
                && !matches!(row.role, Role::User | Role::System | Role::Developer)
                && rows[index - 1].turn() == row.turn()
                && !rows[index - 1].summary
        })
    }
}
