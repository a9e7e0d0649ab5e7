//! Hearing what the layers do: events, reports beside responses, traces, and metrics.
//!
//! # Events
//!
//! An [`Observer`] is set with `.observer(…)`, and hears [`FitEvent`]s. A closure is one, by
//! [`observer_fn`], and so is a pair, by [`Observer::and`]. Of each request that goes through
//! [`ContextFit`] or [`Fitter::fit`] it is told exactly one **decision**:
//!
//! | event | the request |
//! |---|---|
//! | `Passed` | is within its limit, and is sent as it is |
//! | `Fitted` | was changed: the [`FitReport`] says why and how |
//! | `Stuck` | is over its limit, and is sent as it is, because nothing helps |
//! | `Refused` | is not sent |
//! | `SwitchedOff`, `HistoryElsewhere`, `Unreadable`, `UnknownModel` | is left alone |
//!
//! What a summary takes is told before: by `SummaryRun`, and by a `SummaryRefused` for each call that
//! came to nothing, also where the next one in a [chain](super::summarizer#more-than-one-call) made up
//! for it. A run and the report name who wrote the summary in the end, and the report counts the calls
//! that came to nothing (`summarizer_failures`): a summary by a stand-in isn't degraded, but a model
//! that is down shows there. What follows from an overflow is told after: `Overflow`, then `Fitted` or
//! `NotRecovered`, then `Recovered`, if the second attempt was answered. `Usage` says what an answer
//! cost.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{ContextFitLayer, Fitter, Observer, TextOverflow, observer_fn};
//! use contextfit_testing::provider::SimulatedProvider;
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let names = Arc::new(Mutex::new(Vec::new()));
//! let hears = Arc::clone(&names);
//! let logs = observer_fn(|event| eprintln!("{event:?}"));
//! let keeps = observer_fn(move |event| hears.lock().unwrap().push(event.name()));
//!
//! let fitter = Fitter::builder().window(4_000).observer(logs.and(keeps)).build()?;
//! let service = ServiceBuilder::new()
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(TextOverflow::new()))
//!     .service(SimulatedProvider::new(4_000).overflow_calls(1)); // its first answer is "too long"
//! let request = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 50]);
//! service.oneshot(request).await?;
//!
//! assert_eq!(*names.lock().unwrap(), ["passed", "overflow", "fitted", "recovered"]);
//! # Ok(()) }
//! ```
//!
//! An observer runs on the task of the request, so it must be quick. What an event prints has no text
//! of the conversation in it, unless a client's error quotes it: what that says is printed with a
//! `SummaryRefused` or a `Refused`. A request that is given up tells nothing more. [`OverflowRetry`] by
//! itself decides nothing before sending, and tells only what comes after.
//!
//! # Beside the response
//!
//! With [`reporting`], each response is a [`FittedResponse`]: the response itself, the report, whose
//! plan can be applied to a history of your own, and what the answer cost, if that is read. Over HTTP
//! no setting is needed: the report is among the extensions of the response.
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::request::EditConversation;
//! use contextfit::{ContextFitLayer, Fitter, HeadSummarizer};
//! use contextfit_testing::provider::SimulatedProvider;
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let fitter = Fitter::builder().window(4_000).summarizer(HeadSummarizer).build()?;
//! let service = ServiceBuilder::new()
//!     .layer(ContextFitLayer::new(fitter).reporting())
//!     .service(SimulatedProvider::new(128_000));
//! let mut history = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 400]);
//!
//! let fitted = service.clone().oneshot(history.clone()).await?;
//! let report = fitted.report.expect("it was too long");
//! println!("{}: {} -> {} tokens", report.reason, report.tokens_before, report.tokens_after);
//! history.apply(&report.plan)?;
//! history.messages.push(ChatMessage::assistant(fitted.response.text()));
//! history.messages.push(ChatMessage::user("And then?"));
//!
//! // It starts as the provider has read it, and fits.
//! assert!(service.oneshot(history).await?.report.is_none());
//! # Ok(()) }
//! ```
//!
//! # What a summary costs
//!
//! The calls of the summarizer are told apart from the answers: [`FitEvent::usage`] says what a call
//! cost, and for which [`Purpose`]. It is told of each run, whatever becomes of the summary. Those of
//! one fit together are in its report, as `summarizer_usage`.
//!
//! # Traces
//!
//! With the feature `tracing`, the crate `tracing` gets a span around each fit, `contextfit.fit`, and
//! in it one around each run of the summarizer, `contextfit.summarize`; what your client traces of its
//! calls is inside of that. A request that fits as it is has no span. The observer `TraceEvents` writes
//! the events, too. All of it has the target `contextfit`.
#![cfg_attr(all(feature = "metrics", feature = "tracing"), doc = "```")]
#![cfg_attr(not(all(feature = "metrics", feature = "tracing")), doc = "```ignore")]
//! use contextfit::{Fitter, Observer, RecordMetrics, TraceEvents};
//!
//! let observer = TraceEvents::new().and(RecordMetrics::new());
//! let fitter = Fitter::builder().window(128_000).observer(observer).build()?;
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! | field | on | says |
//! |---|---|---|
//! | `gen_ai.request.model` | all | the model that the request names; on a run, that of the summarizer |
//! | `gen_ai.conversation.compacted` | a fit | `true`, if messages were cut |
//! | `gen_ai.operation.name` | a run | `summarize` |
//! | `gen_ai.usage.input_tokens`, `gen_ai.usage.output_tokens`, `gen_ai.usage.cache_read.input_tokens`, `gen_ai.usage.cache_write.input_tokens` | a run, usage | what was counted |
//! | `gen_ai.response.finish_reasons` | a run, usage | why the model stopped, as a JSON array |
//! | `error.type` | all | what went wrong, by [its kind](crate::FitError::kind) |
//! | `contextfit.purpose` | a fit, a run, usage | `compaction`, or `answer` |
//! | `contextfit.reason` | a fit | why it was made |
//! | `contextfit.tokens.before`, `.after`, `.limit` | a fit | tokens of the whole prompt, as estimated |
//! | `contextfit.messages.summarized`, `.archived`, `.omitted`, `.clipped`, `.kept` | a fit | messages, as in the report |
//! | `contextfit.degraded`, `.split_turn`, `.summarizer.calls` | a fit | as in the report |
//! | `contextfit.messages.read`, `.unread`, `contextfit.summary.kind`, `.max_tokens` | a run | what was asked for |
//!
//! Those that begin with `gen_ai` are OpenTelemetry's, from its
//! [conventions for generative AI](https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/client-inference.md),
//! which are in development. A run of the summarizer is an operation of its own and no `chat`, because
//! it may be some calls of a model, or none: a client that traces its own calls tells each of them as
//! what it is, and none is counted twice.
//!
//! No field has a word of the conversation. What errors say isn't written either, because a provider
//! may quote in its error what it was sent; `TraceEvents::error_texts` turns that on.
//!
//! # Metrics
//!
//! With the feature `metrics`, the observer `RecordMetrics` counts by the crate `metrics`: requests by
//! what was decided, fits by reason with their tokens before and after, messages that were cut,
//! overflows and what came of them, runs of the summarizer, tokens by purpose, and how far the
//! estimates are off. Its documentation has all of them with their units. Labels have a few values
//! that are known beforehand; there is one for the model only if you list the models.
//!
//! [`Observer`]: crate::Observer
//! [`Observer::and`]: crate::Observer::and
//! [`observer_fn`]: crate::observer_fn
//! [`FitEvent`]: crate::FitEvent
//! [`FitEvent::usage`]: crate::FitEvent::usage
//! [`FitReport`]: crate::FitReport
//! [`FittedResponse`]: crate::FittedResponse
//! [`Purpose`]: crate::Purpose
//! [`ContextFit`]: crate::ContextFit
//! [`Fitter::fit`]: crate::Fitter::fit
//! [`OverflowRetry`]: crate::OverflowRetry
//! [`reporting`]: crate::ContextFitLayer::reporting
