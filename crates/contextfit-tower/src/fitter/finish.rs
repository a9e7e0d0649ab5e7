use contextfit_core::request::RequestAdapter;

use super::rewrite::Rewrite;
use super::{FailedSummary, Fitter, WhenStuck};
use crate::overflow::Size;
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
                .and_then(|summary| rewrite.accept_summary(summary))
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
