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

impl Finished {
    /// The request stays as it is after all.
    const fn untouched(rewrite: &Rewrite) -> Self {
        Self {
            report: None,
            size: Some(rewrite.size),
        }
    }
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
        let summary = match summary {
            Ok(summary) => summary,
            Err(error) => {
                self.observe(&FitEvent::SummaryRefused(&error));
                let stays = settings.failed_summary == FailedSummary::Untouched;
                if stays && !rewrite.fits_without_a_cut() {
                    return match settings.when_stuck {
                        WhenStuck::Refuse => Err(FitError::Summarize(error)),
                        WhenStuck::Send => Ok(Finished::untouched(&rewrite)),
                    };
                }
                None
            }
        };
        let with_summary = summary.is_some();
        let envelope = rewrite.envelope(summary);

        let view = self.adapter.view(request)?;
        let planned = rewrite.plan(&view, &envelope);
        drop(view);
        let (messages, limit) = (planned.messages, rewrite.budget.limit);
        let fixed = rewrite.budget.fixed;
        if messages > limit && settings.refuses(rewrite.refit, fixed.saturating_add(messages)) {
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
            self.observe(&FitEvent::Stuck {
                needed: messages,
                limit,
            });
            return Ok(Finished::untouched(&rewrite));
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
