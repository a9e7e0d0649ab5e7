use std::sync::Arc;

use contextfit_core::request::RequestAdapter;

use super::Fitter;
use super::ask::Answer;
use super::compose::Composed;
use super::rewrite::Rewrite;
use crate::overflow::Size;
use crate::summarize::Calls;
use crate::{FitError, FitEvent, FitReport};

/// What a rewrite came to.
pub(crate) struct Finished {
    /// What was changed; `None` if the request is as it was.
    pub(crate) report: Option<FitReport>,
    /// The numbers of the request as it is sent; `None` if it is to be left alone.
    pub(crate) size: Option<Size>,
}

impl<A> Fitter<A> {
    /// Turns a draft and its summaries into a plan, verifies it, and applies it at once.
    ///
    /// `answers` are those of the summarizer, one for each part of the summary. The request is
    /// unchanged after an error.
    pub(super) fn finish<R>(
        &self,
        request: &mut R,
        mut rewrite: Box<Rewrite>,
        answers: Vec<Answer>,
    ) -> Result<Finished, FitError>
    where
        A: RequestAdapter<R>,
    {
        let settings = &self.shared.settings;
        let calls = calls_of(&rewrite, &answers);
        let written_by = written_by(&answers);
        for error in &calls.errors {
            self.observe(&FitEvent::SummaryRefused(error));
        }
        let view = self.adapter.view(request)?;
        let composed = match self.compose(&mut rewrite, answers) {
            Ok(composed) => composed,
            Err(error) => {
                self.observe(&FitEvent::SummaryRefused(error.last()));
                match self.without_summary(&mut rewrite, error)? {
                    Some(composed) => composed,
                    None => {
                        let needed = rewrite.draft.before;
                        let fits = rewrite.fits_as_it_is();
                        return Ok(self.untouched(&rewrite, fits, needed));
                    }
                }
            }
        };
        let Composed { stand, degraded } = composed;
        let envelope = rewrite.envelope(&stand);
        let planned = rewrite.plan(&view, &envelope);
        drop(view);
        let (messages, limit) = (planned.messages, rewrite.budget.limit);
        let fixed = rewrite.budget.fixed;
        if settings.refuses(
            rewrite.refit,
            fixed.saturating_add(messages),
            messages > limit,
        ) {
            let (needed, floor) = (rewrite.draft.before, messages);
            return Err(FitError::CannotFit {
                needed,
                limit,
                fixed,
                floor,
            });
        }
        if planned.plan.is_untouched() {
            // What the draft promised to clip couldn't be clipped.
            return Ok(self.untouched(&rewrite, messages <= limit, messages));
        }
        self.adapter.apply(request, &planned.plan)?;

        let mut report = rewrite.report(planned, &stand);
        report.degraded = degraded;
        report.summarizer_calls = u32::try_from(calls.number).unwrap_or(u32::MAX);
        report.summarizer_failures = u32::try_from(calls.failed).unwrap_or(u32::MAX);
        report.summarizer_model = written_by;
        report.summarizer_usage = calls.usage;
        self.observe(&FitEvent::Fitted(&report));
        let size = Size {
            estimated: report.tokens_after,
            overestimate: 0,
            max_output: report.plan.lowered_output().or(rewrite.size.max_output),
            receipt: self.receipt_of_changed(request),
            ..rewrite.size
        };
        Ok(Finished {
            report: Some(report),
            size: Some(size),
        })
    }

    /// The request stays as it is after all.
    fn untouched(&self, rewrite: &Rewrite, fits: bool, needed: u64) -> Finished {
        let sent = rewrite.size.sent(rewrite.model.as_deref());
        let over = (!fits).then_some((needed, rewrite.budget.limit));
        self.tell_as_it_is(rewrite.refit, sent, over);
        Finished {
            report: None,
            size: Some(rewrite.size),
        }
    }
}

/// Who wrote the first part that anybody wrote.
fn written_by(answers: &[Answer]) -> Option<Arc<str>> {
    answers.iter().find_map(|answer| match answer {
        Answer::Came(Ok(summary)) => summary.model.clone(),
        _ => None,
    })
}

/// All calls for all parts: those that were made up for on the way, and those that are answered.
fn calls_of(rewrite: &Rewrite, answers: &[Answer]) -> Calls {
    let mut calls = Calls::default();
    for (part, answer) in rewrite.parts.iter().zip(answers) {
        calls.add(part.job.log.calls());
        match answer {
            Answer::NotAsked => {}
            Answer::GivenUp => calls.number += 1,
            Answer::Came(answer) => calls.end(answer),
        }
    }
    calls
}
