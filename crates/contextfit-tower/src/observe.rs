//! Whoever wants to hear what the layers do.

use std::fmt;
use std::sync::Arc;

use contextfit_core::request::AdapterError;

use crate::{FitError, FitReport, Overflow, Sent, SummarizeError, UnknownModel, Usage};

/// Something a layer did or saw.
///
/// What an event prints carries no text of the conversation. The plan in a report holds the texts
/// that it puts in place.
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
    /// A summary was refused, or there was none. It is told of each call that came to nothing, also
    /// where another one made up for it.
    SummaryRefused(&'a SummarizeError),
    /// The window of a request's model isn't known, and such requests are
    /// [left alone](crate::UnknownWindow::LeaveAlone).
    UnknownModel(&'a UnknownModel),
    /// The history of a request stands on the provider's server, by
    /// [`Switch::HistoryElsewhere`](contextfit_core::request::Switch::HistoryElsewhere): it is sent
    /// as it is, and nothing is recovered. Each layer says so.
    HistoryElsewhere {
        /// The model that the request names.
        model: Option<&'a str>,
    },
    /// A request can't be read, and is sent as it is, because it says
    /// [that it wants to be](contextfit_core::request::Switch::Unreadable).
    Unreadable(&'a AdapterError),
    /// A request was refused without any call of the provider.
    Refused(&'a FitError),
    /// The [budget](crate::RetryBudget) of a layer has nothing left for a request that the provider
    /// found too long. The provider's answer is passed on.
    RetryRefused {
        /// The request.
        sent: Sent<'a>,
    },
    /// A request that the provider found too long can't be made any smaller, for this reason.
    /// The provider's answer is passed on.
    NotRecovered(&'a FitError),
    /// A response says what it cost. Only where somebody reads it, see
    /// [`OverflowClassifier::usage`](crate::OverflowClassifier::usage).
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
