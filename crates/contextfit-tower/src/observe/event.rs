use contextfit_core::request::AdapterError;
use contextfit_core::summary::NotOurs;

use super::Purpose;
use crate::{
    FitError, FitReport, Overflow, Sent, SummarizeError, SummaryKind, UnknownModel, Usage,
};

/// Something a layer did or saw.
///
/// [`ContextFit`](crate::ContextFit) and [`Fitter::fit`](crate::Fitter::fit) tell of each request
/// exactly one [decision](Self::is_decision), before it is sent. What comes before that are the
/// summaries it took; what comes after are the answer and a recovery. A request that is given up
/// tells nothing more. [`OverflowRetry`](crate::OverflowRetry) decides nothing before sending: by
/// itself it tells of requests that it leaves alone, and of what comes after.
///
/// What an event prints carries no text of the conversation. The plan in a report holds the texts
/// that it puts in place, and an error may quote what it was sent, which is printed with it.
#[derive(Debug)]
#[non_exhaustive]
pub enum FitEvent<'a> {
    /// A decision: a request is within its limit, and is sent as it is.
    Passed {
        /// The request.
        sent: Sent<'a>,
    },
    /// A decision: a request was changed. In a recovery, where the report's reason is
    /// [`Overflow`](crate::Reason::Overflow), it is none, but what follows from the overflow.
    Fitted(&'a FitReport),
    /// A decision: a request is over its limit, in tokens or in messages, and is sent as it is,
    /// because nothing helps.
    Stuck {
        /// The request.
        sent: Sent<'a>,
        /// Tokens its messages have.
        needed: u64,
        /// Tokens they may have.
        limit: u64,
    },
    /// A decision: a request is left alone, because somebody or its adapter
    /// [wants it so](contextfit_core::request::Switch::Off), or because
    /// [all are](crate::FitterBuilder::enabled). Over HTTP that is all traffic that is no
    /// conversation.
    SwitchedOff {
        /// The model that the request names.
        model: Option<&'a str>,
    },
    /// A decision: the window of a request's model isn't known, and such requests are
    /// [left alone](crate::UnknownWindow::LeaveAlone).
    UnknownModel(&'a UnknownModel),
    /// A decision: the history of a request stands on the provider's server, by
    /// [`Switch::HistoryElsewhere`](contextfit_core::request::Switch::HistoryElsewhere): it is sent
    /// as it is, and nothing is recovered. Each layer says so.
    HistoryElsewhere {
        /// The model that the request names.
        model: Option<&'a str>,
    },
    /// A decision: a request can't be read, and is sent as it is, because it says
    /// [that it wants to be](contextfit_core::request::Switch::Unreadable).
    Unreadable(&'a AdapterError),
    /// A decision: a request was refused without any call of the provider.
    Refused {
        /// The model that the request names.
        model: Option<&'a str>,
        /// Why.
        error: &'a FitError,
    },
    /// A message looks like a summary of ours and isn't: it is ordinary text. Somebody pasted or
    /// forged it, or it was sealed with a key that isn't
    /// [known](crate::FitterBuilder::summary_keys) any more. Told when a request is to be changed,
    /// of the first such message, and only where no other is ours.
    ForeignSummary {
        /// The model that the request names.
        model: Option<&'a str>,
        /// The message, by its index.
        message: usize,
        /// Why it isn't ours.
        reason: &'a NotOurs,
    },
    /// The summarizer was asked for a summary, or for a part of one, and came to an end. What all calls
    /// for it cost is told here and in no [`Usage`](Self::Usage), once: for
    /// [`Purpose::Compaction`].
    SummaryRun {
        /// The model that wrote it. Where none did, the one that the summarizer
        /// [names](crate::Summarizer::model).
        model: Option<&'a str>,
        /// What the summary is to stand for.
        kind: SummaryKind,
        /// How many messages it was to summarize.
        messages: usize,
        /// How many calls that took: several attempts, or several chunks.
        calls: usize,
        /// What they cost, as far as the summarizer says.
        usage: Option<Usage>,
        /// Why it gave no summary, if it didn't.
        error: Option<&'a SummarizeError>,
    },
    /// A summary was refused, or there was none. It is told of each call that came to nothing, also
    /// where another one made up for it. What becomes of the request is told next.
    SummaryRefused(&'a SummarizeError),
    /// The provider found a request too long.
    Overflow {
        /// The request.
        sent: Sent<'a>,
        /// What the provider said.
        overflow: Overflow,
        /// Whether a smaller request is made of it now. If not, the result is passed on.
        recovering: bool,
    },
    /// The [budget](crate::RetryBudget) of a layer has nothing left for a request that the provider
    /// found too long. The provider's answer is passed on.
    RetryRefused {
        /// The request.
        sent: Sent<'a>,
    },
    /// A request that the provider found too long can't be made any smaller. The provider's answer
    /// is passed on, unless it is to be [sent again](crate::FitterBuilder::resend_unchanged) all
    /// the same.
    NotRecovered {
        /// The request.
        sent: Sent<'a>,
        /// Why. `None` if there is nothing to cut, or no summary that could be used, which was told
        /// before.
        error: Option<&'a FitError>,
    },
    /// A request that the provider found too long was answered when it was sent once more, with
    /// something that is no error and no overflow.
    Recovered {
        /// The request, as it was sent the second time.
        sent: Sent<'a>,
    },
    /// An answer says what it cost, also one that had no room, before that is told. Only where
    /// somebody reads it, see [`OverflowClassifier::usage`](crate::OverflowClassifier::usage). For
    /// [`Purpose::Answer`].
    Usage {
        /// The request, with what it was estimated at.
        sent: Sent<'a>,
        /// What the provider counted.
        usage: Usage,
    },
    /// The provider counted so few tokens that it can't have read the whole prompt. See
    /// [`UsageOverflow::trust_truncation`](crate::UsageOverflow::trust_truncation) for what can be
    /// done about it; here the answer is passed on.
    Truncated {
        /// The request, with what it was estimated at.
        sent: Sent<'a>,
        /// What the provider counted.
        usage: Usage,
    },
}

impl FitEvent<'_> {
    /// Its name in `snake_case`: one of a few, and the same for all events of a kind.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Passed { .. } => "passed",
            Self::Fitted(_) => "fitted",
            Self::Stuck { .. } => "stuck",
            Self::SwitchedOff { .. } => "switched_off",
            Self::UnknownModel(_) => "unknown_model",
            Self::HistoryElsewhere { .. } => "history_elsewhere",
            Self::Unreadable(_) => "unreadable",
            Self::Refused { .. } => "refused",
            Self::ForeignSummary { .. } => "foreign_summary",
            Self::SummaryRun { .. } => "summary_run",
            Self::SummaryRefused(_) => "summary_refused",
            Self::Overflow { .. } => "overflow",
            Self::RetryRefused { .. } => "retry_refused",
            Self::NotRecovered { .. } => "not_recovered",
            Self::Recovered { .. } => "recovered",
            Self::Usage { .. } => "usage",
            Self::Truncated { .. } => "truncated",
        }
    }

    /// Whether it says what becomes of a request before it is sent. There is one such event for each
    /// request.
    #[must_use]
    pub fn is_decision(&self) -> bool {
        match self {
            Self::Fitted(report) => !report.is_recovery(),
            Self::Passed { .. }
            | Self::Stuck { .. }
            | Self::SwitchedOff { .. }
            | Self::UnknownModel(_)
            | Self::HistoryElsewhere { .. }
            | Self::Unreadable(_)
            | Self::Refused { .. } => true,
            Self::ForeignSummary { .. }
            | Self::SummaryRun { .. }
            | Self::SummaryRefused(_)
            | Self::Overflow { .. }
            | Self::RetryRefused { .. }
            | Self::NotRecovered { .. }
            | Self::Recovered { .. }
            | Self::Usage { .. }
            | Self::Truncated { .. } => false,
        }
    }

    /// The model that it is about, as far as that is known: the one that the request names, or of a
    /// [`SummaryRun`](Self::SummaryRun) the one that the summarizer names.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Passed { sent }
            | Self::Stuck { sent, .. }
            | Self::Overflow { sent, .. }
            | Self::RetryRefused { sent }
            | Self::NotRecovered { sent, .. }
            | Self::Recovered { sent }
            | Self::Usage { sent, .. }
            | Self::Truncated { sent, .. } => sent.model,
            Self::SwitchedOff { model }
            | Self::HistoryElsewhere { model }
            | Self::Refused { model, .. }
            | Self::ForeignSummary { model, .. }
            | Self::SummaryRun { model, .. } => *model,
            Self::Fitted(report) => report.model.as_deref(),
            Self::UnknownModel(unknown) => unknown.model(),
            Self::Unreadable(_) | Self::SummaryRefused(_) => None,
        }
    }

    /// What a call cost, where this tells it, and what the call was made for. Each call is told
    /// once.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    ///
    /// use contextfit_tower::{Purpose, observer_fn};
    ///
    /// static COMPACTION: AtomicU64 = AtomicU64::new(0);
    ///
    /// // What summaries cost, to be charged to another account than the answers.
    /// let observer = observer_fn(|event| {
    ///     if let Some((Purpose::Compaction, usage)) = event.usage() {
    ///         COMPACTION.fetch_add(usage.input + usage.output, Relaxed);
    ///     }
    /// });
    /// ```
    #[must_use]
    pub fn usage(&self) -> Option<(Purpose, Usage)> {
        match *self {
            Self::Usage { usage, .. } => Some((Purpose::Answer, usage)),
            Self::SummaryRun { usage, .. } => Some((Purpose::Compaction, usage?)),
            _ => None,
        }
    }
}
