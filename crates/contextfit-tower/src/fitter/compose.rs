use contextfit_core::summary::with_turn_start;

use super::Fitter;
use super::ask::Answer;
use super::parts::{Part, Wanted};
use super::refused::JobKey;
use super::rewrite::{Rewrite, Stand};
use super::settings::FailedSummary;
use crate::summarize::archived;
use crate::{FitEvent, SummarizeError, Summary, SummaryJob, SummaryKind};

/// What stands for the messages that are cut, and whether any that was to be summarized isn't.
#[derive(Default)]
pub(super) struct Composed {
    pub(super) stand: Stand,
    pub(super) degraded: bool,
}

impl<A> Fitter<A> {
    /// Composes what stands for the messages that are cut of what the summarizer answered.
    ///
    /// A part without a usable summary is a raw record if that is set; otherwise its error is
    /// the error of all.
    pub(super) fn compose(
        &self,
        rewrite: &mut Rewrite,
        answers: Vec<Answer>,
    ) -> Result<Composed, SummarizeError> {
        let parts = std::mem::take(&mut rewrite.parts);
        if parts.is_empty() {
            return Ok(Composed::default());
        }
        let archives = self.archives(rewrite.optional);
        let mut composed = Composed::default();
        let (mut history, mut turn_start) = (String::new(), String::new());
        let mut failure = None;
        let mut answers = answers.into_iter();
        let mut asked = Vec::new();
        for part in parts {
            let answer = answers.next().unwrap_or(Answer::NotAsked);
            let summary = match self.summary_of(rewrite, part.wanted, &part.job, answer, &mut asked)
            {
                Some(Ok(summary)) => summary,
                Some(Err(error)) if archives && !matches!(error, SummarizeError::Abort(_)) => {
                    self.observe(&FitEvent::SummaryRefused(error.last()));
                    archived(&part.job)
                }
                Some(Err(error)) => {
                    failure = failure.or(Some(error));
                    continue;
                }
                None => continue,
            };
            composed.degraded |= summary.is_degraded();
            let messages = part.job.conversation.len();
            let omitted = summary.omitted.min(messages);
            composed.stand.omitted += omitted;
            composed.stand.archived += summary.archived.min(messages - omitted);
            match part.job.kind {
                SummaryKind::TurnStart => turn_start = summary.text,
                SummaryKind::History => history = summary.text,
            }
        }
        if let Some(error) = failure {
            return Err(error);
        }
        let text = with_turn_start(&history, &turn_start);
        composed.stand.text = (!text.is_empty()).then_some(text);
        if let Err(error) = rewrite.is_smaller(&composed.stand) {
            for key in asked {
                self.came_to_nothing(rewrite, key, &error);
            }
            return Err(error);
        }
        Ok(composed)
    }

    /// The summary of one part; `None` if it was given up because of another. What couldn't be used
    /// is remembered, and what could is added to `asked`, because all together may still be of no
    /// use.
    fn summary_of(
        &self,
        rewrite: &Rewrite,
        wanted: Wanted,
        job: &SummaryJob,
        answer: Answer,
        asked: &mut Vec<JobKey>,
    ) -> Option<Result<Summary, SummarizeError>> {
        let key = match wanted {
            Wanted::Nothing => {
                let earlier = rewrite.earlier_summary(job.max_tokens);
                return Some(Ok(Summary::new(earlier)));
            }
            Wanted::Unavailable(error) => return Some(Err(error)),
            Wanted::Summary(key) => key,
        };
        let Answer::Came(answer) = answer else {
            return None;
        };
        match &answer {
            Ok(_) => asked.push(key),
            Err(SummarizeError::Abort(_)) => {}
            Err(error) => self.came_to_nothing(rewrite, key, error),
        }
        Some(answer)
    }

    /// Remembers a summary that couldn't be used, or that there was none.
    fn came_to_nothing(&self, rewrite: &Rewrite, key: JobKey, error: &SummarizeError) {
        if !error.may_pass() {
            self.shared.refused.refuse(key);
        }
        if rewrite.optional {
            self.shared.refused.fail_without_need(key);
        }
    }

    /// Whether the summarizer is asked for anything. It isn't if a part can't be had that all
    /// depends on.
    pub(super) fn asks(&self, rewrite: &Rewrite) -> bool {
        let parts = &rewrite.parts;
        let is_missing = |part: &Part| part.failure().is_some();
        parts.iter().any(Part::is_asked_for)
            && (self.archives(rewrite.optional) || !parts.iter().any(is_missing))
    }

    /// Whether a raw record stands for a part that has no usable summary. None does where the
    /// request is as well sent as it is.
    pub(super) fn archives(&self, optional: bool) -> bool {
        self.shared.settings.failed_summary == FailedSummary::Archive && !optional
    }
}
