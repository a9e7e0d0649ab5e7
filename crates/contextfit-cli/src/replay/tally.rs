use std::sync::{Mutex, PoisonError};

use contextfit::{FitEvent, FitReport, Observer};

/// Hears what the layers and the summarizer do for one request.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<Heard>);

/// What was heard since it was last asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) compactions: u64,
    pub(crate) overflows: u64,
    pub(crate) summarizer_calls: u64,
    pub(crate) summarizer_tokens: u64,
    /// What the client knew of the request that overflowed last.
    pub(crate) estimate: Option<Estimate>,
    /// Why the request could not be brought under its limit at last.
    pub(crate) obstacle: Option<Obstacle>,
}

/// A request as the client estimated it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// Tokens of the whole prompt.
    pub(crate) prompt: u64,
    /// Tokens of it that can't be cut: the system prompt, the tools.
    pub(crate) fixed: u64,
}

/// Why a request could not be brought under its limit, in estimated tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// Compaction brought the prompt from `before` to `after`, and not further.
    TooLittle { before: u64, after: u64, limit: u64 },
    /// Nothing in its messages may be cut or clipped.
    Stuck { needed: u64, limit: u64 },
    /// The fitter gave up for this reason.
    Refused(String),
    /// There was no usable summary, for this reason.
    NoSummary(String),
}

impl Tally {
    /// What was heard, to start anew.
    pub(crate) fn take(&self) -> Heard {
        std::mem::take(&mut *self.lock())
    }

    /// The summarizer was called, and read and wrote so many tokens.
    pub(crate) fn summarized(&self, tokens: u64) {
        let mut heard = self.lock();
        heard.summarizer_calls += 1;
        heard.summarizer_tokens = heard.summarizer_tokens.saturating_add(tokens);
    }

    fn lock(&self) -> impl std::ops::DerefMut<Target = Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Tally {
    fn on_event(&self, event: &FitEvent<'_>) {
        let mut heard = self.lock();
        match *event {
            FitEvent::Fitted(report) => {
                heard.compactions += 1;
                heard.obstacle = Obstacle::of(report);
            }
            // That there was no summary says more.
            FitEvent::Stuck { needed, limit, .. } if heard.obstacle.is_none() => {
                heard.obstacle = Some(Obstacle::Stuck { needed, limit });
            }
            FitEvent::SummaryRefused(error) => {
                heard.obstacle = Some(Obstacle::NoSummary(error.to_string()));
            }
            FitEvent::Refused { error, .. }
            | FitEvent::NotRecovered {
                error: Some(error), ..
            } => {
                heard.obstacle = Some(Obstacle::Refused(error.to_string()));
            }
            // What stood in the way before it is overtaken.
            FitEvent::Overflow { sent, .. } => {
                heard.overflows += 1;
                heard.estimate = Some(Estimate {
                    prompt: sent.estimated,
                    fixed: sent.fixed,
                });
                heard.obstacle = None;
            }
            _ => {}
        }
    }
}

impl Obstacle {
    fn of(report: &FitReport) -> Option<Self> {
        (!report.fits()).then_some(Self::TooLittle {
            before: report.tokens_before,
            after: report.tokens_after,
            limit: report.limit,
        })
    }
}
