//! What a trace shows of a fit: a span around it, and one around each run of the summarizer.
//!
//! Without the feature `tracing` they are nothing, in the same form, so that the engine needn't know.

#[cfg(feature = "tracing")]
mod traced;
#[cfg(not(feature = "tracing"))]
mod untraced;

#[cfg(feature = "tracing")]
pub(crate) use self::traced::{FitSpan, SummarySpan};
#[cfg(not(feature = "tracing"))]
pub(crate) use self::untraced::{FitSpan, SummarySpan};
