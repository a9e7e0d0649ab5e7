use contextfit_core::request::Conversation;
use contextfit_core::summary::{Envelope, Transcript, archive, with_turn_start};

use super::Fitter;
use super::parts::{Part, Wanted};
use super::refused::JobKey;
use super::rewrite::{Rewrite, Stand, accept_quoted};
use super::settings::FailedSummary;
use crate::{FitEvent, SummarizeError, Summary, SummaryKind};

/// What a summarizer answered for a part; `None` where it wasn't asked.
pub(crate) type Answer = Option<Result<Summary, SummarizeError>>;

/// What stands for the messages that are cut, and whether a summary is missing in it.
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
    pub(super) fn compose<V: Conversation>(
        &self,
        view: &V,
        rewrite: &mut Rewrite,
        answers: Vec<Answer>,
    ) -> Result<Composed, SummarizeError> {
        let parts = std::mem::take(&mut rewrite.parts);
        if parts.is_empty() {
            return Ok(Composed::default());
        }
        let mut stand = Stand::default();
        let (mut history, mut turn_start) = (String::new(), String::new());
        let mut degraded = false;
        let mut answers = answers.into_iter();
        let mut asked = Vec::new();
        for part in parts {
            let Part {
                kind,
                messages,
                bound,
                wanted,
            } = part;
            let answer = answers.next().flatten();
            let unread = wanted.omitted();
            let text = match self.summary_of(rewrite, wanted, bound, answer, &mut asked) {
                Ok(text) => {
                    stand.omitted += unread;
                    text
                }
                Err(error @ SummarizeError::Abort(_)) => return Err(error),
                Err(error) if self.archives(rewrite.optional) => {
                    self.observe(&FitEvent::SummaryRefused(&error));
                    degraded = true;
                    archive_of(view, rewrite, kind, &messages, bound, &mut stand)
                }
                Err(error) => return Err(error),
            };
            match kind {
                SummaryKind::TurnStart => turn_start = text,
                SummaryKind::History => history = text,
            }
        }
        let text = with_turn_start(&history, &turn_start);
        stand.text = (!text.is_empty()).then_some(text);
        if let Err(error) = rewrite.is_smaller(&stand) {
            for key in asked {
                self.came_to_nothing(rewrite, key, false);
            }
            return Err(error);
        }
        Ok(Composed { stand, degraded })
    }

    /// The accepted text of one part. What couldn't be used is remembered, and what could is
    /// added to `asked`, because all together may still be of no use.
    fn summary_of(
        &self,
        rewrite: &Rewrite,
        wanted: Wanted,
        bound: u64,
        answer: Answer,
        asked: &mut Vec<JobKey>,
    ) -> Result<String, SummarizeError> {
        let key = match wanted {
            Wanted::Nothing => return Ok(rewrite.earlier_summary(bound)),
            Wanted::Unavailable(error) => return Err(error),
            Wanted::Summary { key, .. } => key,
        };
        let answer = answer.unwrap_or(Err(SummarizeError::RefusedBefore));
        let failed = answer.is_err();
        let accepted =
            answer.and_then(|summary| accept_quoted(&summary, bound, &*rewrite.estimator));
        match &accepted {
            Ok(_) => asked.push(key),
            Err(SummarizeError::Abort(_)) => {}
            Err(_) => self.came_to_nothing(rewrite, key, failed),
        }
        accepted
    }

    /// Remembers a summary that couldn't be used, or that there was none.
    fn came_to_nothing(&self, rewrite: &Rewrite, key: JobKey, failed: bool) {
        if !failed {
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

/// A raw record of a part, behind as much of an earlier summary as half of the bound holds.
fn archive_of<V: Conversation>(
    view: &V,
    rewrite: &Rewrite,
    kind: SummaryKind,
    messages: &[usize],
    bound: u64,
    stand: &mut Stand,
) -> String {
    let earlier = match kind {
        SummaryKind::TurnStart => String::new(),
        SummaryKind::History => rewrite.earlier_summary(bound / 2),
    };
    // What joins them costs no more than this.
    let joint = match &*earlier {
        "" => 0,
        earlier => rewrite.count(earlier) + rewrite.count("\n\n"),
    };
    let quoted = |text: &str| rewrite.count(&Envelope::quote(text));
    let left = bound.saturating_sub(joint);
    let transcript = Transcript::of(view, messages.iter().copied());
    let Some(record) = archive(&transcript, left, quoted) else {
        stand.omitted += messages.len();
        return earlier;
    };
    stand.archived += messages.len().saturating_sub(record.omitted);
    stand.omitted += record.omitted;
    if earlier.is_empty() {
        record.text
    } else {
        format!("{earlier}\n\n{}", record.text)
    }
}
