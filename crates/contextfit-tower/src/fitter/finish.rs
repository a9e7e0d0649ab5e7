use contextfit_core::cut::cut_policy_fn;
use contextfit_core::plan::{Clip, Plan, clip_message, draft};
use contextfit_core::request::{Conversation, Piece, RequestAdapter, Role, Str};
use contextfit_core::summary::Envelope;

use super::start::{Rewrite, shortened, user_message_tokens};
use super::{FailedSummary, Fitter, WhenStuck};
use crate::overflow::Size;
use crate::summarize::accept;
use crate::{FitError, FitEvent, FitReport, SummarizeError, Summary};

/// What a rewrite came to.
pub(crate) struct Finished {
    /// What was changed; `None` if the request is as it was.
    pub(crate) report: Option<FitReport>,
    /// The numbers of the request as it is sent; `None` if it is to be left alone.
    pub(crate) size: Option<Size>,
}

impl<A> Fitter<A> {
    /// Turns a draft and its summary into a plan, verifies it, and applies it at once.
    ///
    /// `summary` is `None` if none was asked for. The request is unchanged after an error.
    pub(super) fn finish<R>(
        &self,
        request: &mut R,
        mut rewrite: Box<Rewrite>,
        summary: Option<Result<Summary, SummarizeError>>,
    ) -> Result<Finished, FitError>
    where
        A: RequestAdapter<R>,
    {
        let settings = &self.shared.settings;
        let asked = summary.is_some();
        let usage = summary
            .as_ref()
            .and_then(|summary| summary.as_ref().ok()?.usage);
        let nobody_asked = !asked && !rewrite.draft.cut.is_empty();
        let summary = match summary {
            Some(summary) => summary
                .and_then(|summary| rewrite.accept(summary))
                .map(Some),
            None if nobody_asked && self.shared.summarizer.is_some() => Err(SummarizeError::NoRoom),
            None => Ok(None),
        };
        let degraded = summary.is_err();
        let mut new_summary = None;
        match summary {
            Ok(summary) => new_summary = summary,
            Err(error) => {
                self.observe(&FitEvent::SummaryRefused(&error));
                if settings.failed_summary == FailedSummary::Untouched
                    && !rewrite.fits_without_a_cut()
                {
                    if settings.when_stuck == WhenStuck::Refuse {
                        return Err(FitError::Summarize(error));
                    }
                    return Ok(Finished {
                        report: None,
                        size: Some(rewrite.size),
                    });
                }
            }
        }
        let with_summary = new_summary.is_some();
        let envelope = rewrite.envelope(new_summary);

        let view = self.adapter.view(request)?;
        let planned = rewrite.plan(&view, &envelope);
        drop(view);
        let (needed, limit) = (planned.messages, rewrite.budget.limit);
        let (fixed, floor) = (rewrite.budget.fixed, needed);
        if needed > limit && settings.refuses(rewrite.refit, fixed.saturating_add(needed)) {
            return Err(FitError::CannotFit {
                needed: rewrite.draft.before,
                limit,
                fixed,
                floor,
            });
        }
        if planned.plan.is_untouched() {
            // What the draft promised to clip couldn't be clipped.
            self.observe(&FitEvent::Stuck { needed, limit });
            return Ok(Finished {
                report: None,
                size: Some(rewrite.size),
            });
        }
        self.adapter.apply(request, &planned.plan)?;

        let mut report = rewrite.report(planned, with_summary);
        report.degraded = degraded;
        report.summarizer_calls = u32::from(asked);
        report.summarizer_usage = usage;
        self.observe(&FitEvent::Fitted(&report));
        let size = Size {
            estimated: report.tokens_after,
            max_output: report.plan.lowered_output().or(rewrite.size.max_output),
            ..rewrite.size
        };
        Ok(Finished {
            report: Some(report),
            size: Some(size),
        })
    }
}

/// A plan and what the messages cost with it.
struct Planned {
    plan: Plan,
    messages: u64,
}

impl Rewrite {
    /// The text of a summary that may stand in the conversation.
    fn accept(&self, summary: Summary) -> Result<String, SummarizeError> {
        let count = |text: &str| self.estimator.count(Piece::Text(Str::plain(text))).ceil();
        // As it will stand: quoting may lengthen it.
        let quoted = Summary {
            text: Envelope::quote(&summary.text).into_owned(),
            ..summary
        };
        let text = accept(&quoted, self.draft.summary_bound, count)?;
        let tokens = user_message_tokens(
            &*self.estimator,
            &self.envelope(Some(text.clone())).render(),
        );
        let replaced = self.replaced();
        if tokens >= replaced {
            return Err(SummarizeError::NotSmaller { tokens, replaced });
        }
        Ok(text)
    }

    /// Tokens of the messages that are cut.
    fn replaced(&self) -> u64 {
        self.draft.cut.iter().fold(0, |sum, index| {
            sum.saturating_add(self.table.rows()[index].tokens)
        })
    }

    /// How many messages are cut now, the envelope that was there before not counted.
    fn newly_cut(&self) -> usize {
        self.draft
            .cut
            .iter()
            .filter(|&index| !self.table.rows()[index].summary)
            .count()
    }

    /// Makes do with clips, if they are enough. Whether they are.
    fn fits_without_a_cut(&mut self) -> bool {
        let cut_nothing = cut_policy_fn(|_, _| None);
        let clips = draft(&self.table, &self.budget, &cut_nothing, &self.rules);
        match clips.filter(|clips| clips.after <= self.budget.limit) {
            Some(clips) => {
                self.draft = clips;
                true
            }
            None => false,
        }
    }

    /// What stands for the messages that are cut, with a summary or as a notice.
    fn envelope(&self, summary: Option<String>) -> Envelope {
        let mut envelope = self.previous.clone().unwrap_or_default();
        let cut = self.newly_cut() as u64;
        envelope.messages = envelope.messages.saturating_add(cut);
        envelope.summary = match summary {
            Some(summary) => summary,
            None => {
                // An earlier summary is worth keeping, as far as there is room for it.
                let carried = shortened(&*self.estimator, &envelope.summary, self.carried);
                envelope.omitted = if carried.is_empty() {
                    envelope.messages
                } else {
                    envelope.omitted.saturating_add(cut)
                };
                carried
            }
        };
        envelope
    }

    /// The edits, and the tokens of the messages with them.
    fn plan<V: Conversation>(&self, view: &V, envelope: &Envelope) -> Planned {
        let cut = &self.draft.cut;
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
        let text = envelope.render();
        if !cut.is_empty() {
            messages = messages.saturating_add(user_message_tokens(&*self.estimator, &text));
        }
        let plan = Plan::new(cut.clone(), text, clips)
            .max_output_tokens(self.budget.lowered_output(messages));
        Planned { plan, messages }
    }

    /// What the plan does, in numbers.
    fn report(&self, planned: Planned, with_summary: bool) -> FitReport {
        let Planned { plan, messages } = planned;
        let newly_cut = self.newly_cut();
        let omitted = if with_summary { 0 } else { newly_cut };
        let mut clipped: Vec<usize> = plan.clips().iter().map(|clip| clip.message).collect();
        clipped.dedup();
        let fixed = self.budget.fixed;
        FitReport {
            reason: self.reason,
            model: self.model.clone(),
            tokens_before: fixed.saturating_add(self.draft.before),
            tokens_after: fixed.saturating_add(messages),
            limit: fixed.saturating_add(self.budget.limit),
            summarized: newly_cut - omitted,
            omitted,
            clipped: clipped.len(),
            kept: plan.len() - plan.cut().count() - clipped.len(),
            degraded: false,
            split_turn: self.splits_a_turn(),
            summarizer_calls: 0,
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
