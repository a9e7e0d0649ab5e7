//! Tower layers that keep every LLM request inside the model's context window.
//!
//! - [`ContextFit`] measures a request before it is sent. One that fits goes through untouched; of
//!   one that doesn't, tool results are clipped, or older turns are dropped or replaced by a bounded
//!   summary.
//! - [`OverflowRetry`] recognises a provider saying "too long", makes the request smaller with the
//!   numbers it gave, and sends it once more.
//! - `PeekFirst`, with the feature `stream`, turns an error that comes early in a stream into one that
//!   can be recovered from.
//! - [`ContextFitLayer::overflow_retry`] is both in one service, the usual way.
//! - [`Fitter::fit`] does the same without Tower, for a caller who owns the history, and
//!   [`Fitter::explain`] says what it would do.
//!
//! All of them share a [`Fitter`], which holds the strategies: an
//! [`Estimator`](contextfit_core::estimate::Estimator), a
//! [`CutPolicy`](contextfit_core::cut::CutPolicy), a [`Summarizer`], the [`Models`].

#[macro_use]
mod macros;

mod calibrate;
pub mod context_fit;
mod delivery;
mod error;
mod explain;
mod fitter;
mod memo;
mod models;
mod observe;
mod overflow;
pub mod overflow_retry;
#[cfg(feature = "stream")]
pub mod peek_first;
mod prices;
mod report;
mod retry_budget;
mod summarize;
mod timer;
mod tokens;
mod usage;

pub use self::calibrate::Calibrator;
pub use self::context_fit::{
    ContextFit, ContextFitLayer, FittedResponse, Reporting, ReportingLayer,
};
pub use self::error::{FitError, FitFailure, is_final_overflow};
pub use self::explain::{ExpectedSummary, ExplainedMessage, Explanation, Outcome, Why};
pub use self::fitter::{
    ConfigError, FailedSummary, Fitted, Fitter, FitterBuilder, OversizedFixedPart, Replay, Schemas,
    SplitTurn, SummaryBound, UnknownWindow, WhenStuck, WithoutNumbers,
};
pub use self::memo::Memo;
pub use self::models::{ModelSpec, ModelTable, Models, UnknownModel};
#[cfg(feature = "metrics")]
pub use self::observe::RecordMetrics;
#[cfg(feature = "tracing")]
pub use self::observe::TraceEvents;
pub use self::observe::{FitEvent, Observer, ObserverFn, Purpose, observer_fn};
pub use self::overflow::{
    ClassifierFn, Either, LateReport, NoRetry, Overflow, OverflowClassifier, Scope, Sent,
    UsageOverflow, WithUsage, classifier_fn,
};
pub use self::overflow_retry::{OverflowRetry, OverflowRetryLayer};
#[cfg(feature = "stream")]
pub use self::peek_first::{ItemKind, PeekFirst, PeekFirstLayer, Peeked, StreamOverflow};
pub use self::prices::{LongPrompts, Prices, Rates};
pub use self::report::{FitReport, Reason};
#[cfg(feature = "retry-budget")]
pub use self::retry_budget::TowerBudget;
pub use self::retry_budget::{RetryBudget, RetryBudgetFn, retry_budget_fn};
pub use self::summarize::{
    Archive, Attempts, ChatSummarizer, Exhausted, ExtractiveSummarizer, HeadSummarizer, OrElse,
    Progress, Prompts, ServiceSummarizer, StallTimeout, SummarizeError, Summarizer, SummarizerExt,
    SummarizerFn, Summary, SummaryJob, SummaryKind, chat_summarizer, summarizer_fn,
    summarizer_service,
};
#[cfg(feature = "stream")]
pub use self::summarize::{
    StreamServiceSummarizer, StreamSummarizerFn, SummaryChunk, summarizer_stream_fn,
    summarizer_stream_service,
};
pub use self::timer::Timer;
#[cfg(feature = "tokio")]
pub use self::timer::TokioTimer;
pub use self::usage::{
    CacheTokens, ChatUsageReader, ReportedCount, ReportedUsage, Stop, Usage, UsageReader,
};

/// Any error.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
