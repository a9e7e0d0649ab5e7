//! Whoever wants to hear what the layers do.

mod event;
#[cfg(feature = "tracing")]
mod finish_reasons;
mod function;
mod observer;
mod purpose;
#[cfg(feature = "metrics")]
mod record_metrics;
mod spans;
#[cfg(feature = "tracing")]
mod trace_events;

pub use self::event::FitEvent;
pub use self::function::{ObserverFn, observer_fn};
pub use self::observer::Observer;
pub use self::purpose::Purpose;
#[cfg(feature = "metrics")]
pub use self::record_metrics::RecordMetrics;
pub(crate) use self::spans::{FitSpan, SummarySpan};
#[cfg(feature = "tracing")]
pub use self::trace_events::TraceEvents;
