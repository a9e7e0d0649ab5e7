//! What a fit did, and whoever wants to hear of it.

use std::fmt;
use std::sync::Arc;

use contextfit_core::plan::Plan;

use crate::{FitError, Overflow, Sent, SummarizeError, Usage};

/// What one fit did to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FitReport {
    /// Why the request was fitted.
    pub reason: Reason,
    /// The model the request names.
    pub model: Option<String>,
    /// Tokens of the whole prompt before, as estimated.
    pub tokens_before: u64,
    /// Tokens of the whole prompt after, as estimated.
    pub tokens_after: u64,
    /// The most tokens the prompt was allowed.
    pub limit: u64,
    /// Messages that a summary now stands for; the one before them is counted with its
    /// messages, not as one.
    pub summarized: usize,
    /// Messages that were left out without a summary.
    pub omitted: usize,
    /// Messages that were kept with some of their text clipped.
    pub clipped: usize,
    /// Messages that were kept as they are.
    pub kept: usize,
    /// Whether there should have been a summary and there is none.
    pub degraded: bool,
    /// Whether the cut falls inside a turn: the start of it is gone, the rest is kept.
    pub split_turn: bool,
    /// Calls of the summarizer.
    pub summarizer_calls: u32,
    /// What these calls cost, if the summarizer knows.
    pub summarizer_usage: Option<Usage>,
    /// The edits, to be applied to the caller's own copy of the history.
    pub plan: Plan,
}

impl FitReport {
    /// Whether the prompt is within its limit now.
    #[must_use]
    pub const fn fits(&self) -> bool {
        self.tokens_after <= self.limit
    }
}

/// Why a request was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It was over its limit before it was sent.
    OverLimit,
    /// The provider found it too long.
    Overflow,
    /// The request asked for it.
    Forced,
}

/// Something a layer did or saw.
///
/// No event carries text of the conversation.
#[derive(Debug)]
#[non_exhaustive]
pub enum FitEvent<'a> {
    /// A request was changed.
    Fitted(&'a FitReport),
    /// A request is over its limit and is sent as it is, because nothing helps.
    Stuck {
        /// Tokens its messages have.
        needed: u64,
        /// Tokens they may have.
        limit: u64,
    },
    /// A summary was refused, or there was none.
    SummaryRefused(&'a SummarizeError),
    /// A request was refused without any call of the provider.
    Refused(&'a FitError),
    /// The provider found a request too long.
    Overflow {
        /// The request.
        sent: Sent<'a>,
        /// What the provider said.
        overflow: Overflow,
        /// Whether a smaller request is made of it now. If not, the result is passed on.
        recovering: bool,
    },
}

/// Hears of every decision.
///
/// Called on the task that runs the request: it must be quick and must not block. `()` hears
/// nothing; closures come in through [`observer_fn`].
pub trait Observer: Send + Sync {
    /// Something happened.
    fn on_event(&self, event: &FitEvent<'_>);
}

impl Observer for () {
    fn on_event(&self, _: &FitEvent<'_>) {}
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        impl<O: Observer + ?Sized> Observer for $pointer {
            fn on_event(&self, event: &FitEvent<'_>) {
                (**self).on_event(event);
            }
        }
    )*};
}
forward_to_inner!(Arc<O>, Box<O>);

/// Makes an observer of a closure.
///
/// ```
/// use contextfit_tower::{FitEvent, observer_fn};
///
/// let observer = observer_fn(|event| {
///     if let FitEvent::Fitted(report) = event {
///         println!("{} -> {} tokens", report.tokens_before, report.tokens_after);
///     }
/// });
/// ```
pub fn observer_fn<F>(on_event: F) -> ObserverFn<F>
where
    F: Fn(&FitEvent<'_>) + Send + Sync,
{
    ObserverFn { on_event }
}

/// An observer made of a closure. See [`observer_fn`].
#[derive(Clone, Copy)]
pub struct ObserverFn<F> {
    on_event: F,
}

impl<F> fmt::Debug for ObserverFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObserverFn").finish_non_exhaustive()
    }
}

impl<F> Observer for ObserverFn<F>
where
    F: Fn(&FitEvent<'_>) + Send + Sync,
{
    fn on_event(&self, event: &FitEvent<'_>) {
        (self.on_event)(event);
    }
}
