//! Recognising an overflow, recovering from it once, and what a retry layer must know.
//!
//! An estimate may be wrong, and so may the window that somebody advertises. Then the provider says
//! that a request is too long. A classifier recognises that; the layer fits the caller's request
//! again, smaller, and sends it **once** more.
//!
//! # Recognising it
//!
//! [`TextOverflow`] knows what providers say. It reads errors of any type, typed or boxed, and those
//! they came from; it tells a rate limit apart, although that speaks of "too many tokens"; and what
//! it doesn't know for certain is no overflow. The error type of the service implements
//! [`std::error::Error`], or is a box of such a one: a [`BoxError`], an `anyhow::Error`.
//!
//! The numbers of the error size the second attempt, and a limit is learned, wherever it tells them
//! in words that are known: a number is never guessed. Where your client knows better, say so with
//! [`.verdict`](crate::TextOverflow::verdict). Tell it what else it can't know by itself, too:
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
//! use contextfit::overflow::{Class, OverflowTemplates, Template, Verdict};
//! use contextfit::{
//!     ChatUsageReader, ContextFitLayer, Fitter, Overflow, Scope, TextOverflow, UsageOverflow,
//! };
//! use tower::{Layer, ServiceExt, service_fn};
//!
//! /// What the client that you use makes of an error.
//! #[derive(Clone, Debug)]
//! enum ApiError {
//!     TooLong { tokens: u64, limit: u64 },
//!     Status(u16, &'static str),
//! }
//!
//! impl std::fmt::Display for ApiError {
//!     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{self:?}") }
//! }
//!
//! impl std::error::Error for ApiError {}
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let too_long = TextOverflow::new()
//!     // Some texts mean an overflow only with status 400 or 413.
//!     .status(|error: &ApiError| match *error {
//!         ApiError::Status(status, _) => Some(status),
//!         ApiError::TooLong { .. } => None,
//!     })
//!     // What your client knows of the error, with its numbers.
//!     .verdict(|error: &ApiError| match *error {
//!         ApiError::TooLong { tokens, limit } => {
//!             Verdict::Overflow(Overflow::new().input(tokens).limit(limit, Scope::Input))
//!         }
//!         ApiError::Status(..) => Verdict::Unknown, // its text decides
//!     })
//!     // What your gateway says, with its number.
//!     .templates(
//!         OverflowTemplates::builder()
//!             .template(Template::new("ours", Class::InputTooLong, "our gateway takes {limit} tokens"))
//!             .build()?,
//!     )
//!     // A success may be one, too: by its usage and stop reason.
//!     .or(UsageOverflow::new(ChatUsageReader));
//!
//! let fitter = Fitter::builder().window(128_000).build()?;
//! let layer = ContextFitLayer::new(fitter).overflow_retry(too_long);
//! for (error, recovers) in [
//!     (ApiError::TooLong { tokens: 9_000, limit: 8_000 }, true),
//!     (ApiError::Status(400, "see the docs on the context window"), true),
//!     (ApiError::Status(500, "our gateway takes 8000 tokens"), true),
//!     (ApiError::Status(429, "too many tokens"), false),
//! ] {
//!     let provider = service_fn(move |request: ChatRequest| {
//!         let reply = ChatResponse::new(request.model, ChatMessage::assistant("Done."), "stop");
//!         let is_short = request.messages.len() < 50;
//!         std::future::ready(if is_short { Ok(reply) } else { Err(error.clone()) })
//!     });
//!     let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(400)); 50]);
//!     assert_eq!(layer.layer(provider).oneshot(long).await.is_ok(), recovers);
//! }
//! # Ok(()) }
//! ```
//!
//! [`is_overflow_text`] asks of a single text, and [`OverflowTemplates::classify`] what it says: which
//! [`Class`] of error it is, with its numbers. `contextfit classify` does so for a file of errors.
//! Whatever else recognises an overflow is an
//! [`OverflowClassifier`], or a closure with [`classifier_fn`]: it sees the whole [`Result`] and says
//! [`Overflow`] or `None`. A number is given if the provider gave it, and never guessed.
//!
//! # What follows
//!
//! - With its numbers, the second attempt is sized so that a constant which the provider adds is
//!   left room, as well as tokens that are smaller than estimated. The further over the limit, the
//!   more of the difference may be such a constant, and the less is sent.
//! - Without any, half of the messages' tokens that were sent is the limit of the second attempt. A
//!   compaction aims at its usual share of that, half unless set: about a quarter of them is sent.
//!   [`WithoutNumbers::AsUsual`] compacts as if the request were over its usual limit.
//! - A limit below the configured window is remembered for its model. It never raises a window.
//! - Where only the prompt and the output together are too long, less output may be asked for
//!   instead, with all messages: [`lower_output_first`]. Off unless set, because what a caller asks
//!   for is meant.
//! - What can't be made smaller isn't sent again, unless [`resend_unchanged`] is set. The first
//!   result stands.
//! - A second overflow is the end. It comes as [`FitError::StillTooLong`], with the provider's
//!   error in it.
//! - For a resend, a copy of each request is kept. [`Replay`] says when. For a [`ChatRequest`] it
//!   shares all texts.
//! - [`OverflowRetry`] is the recovery alone, for requests that aren't to be touched before the
//!   provider complains. [`FitterBuilder::enabled`] switches the same off in a layer that has both. It returns a second overflow unchanged.
//!
//! # A success that is an overflow
//!
//! Some providers answer what is too long as if nothing had happened. [`UsageOverflow`] finds that out
//! by what they counted: a prompt above the window, a stop reason that says so, nothing generated at
//! the end of the window, an output that the window cut off. Two shapes can't be told from something
//! harmless without knowing the provider, and are taken for an overflow only where that is set:
//!
//! - An output that is full below what was asked for, [`trust_short_stops`]: where the provider
//!   doesn't cap it by itself.
//! - A prompt that was counted far too low, [`trust_truncation`]: the provider cut it. Unless set, the
//!   observer hears [`FitEvent::Truncated`] and the answer is passed on.
//!
//! # Streams
//!
//! A provider that streams may say "too long" when the response is there already. `PeekFirst`, with the
//! feature `stream`, holds the stream back until its first content: an error before that is one of
//! the service, and recovered from. It stands directly below what recovers. After content nothing is
//! sent again: `StreamOverflow` reports the overflow, and the usage at the end of the stream. A
//! response of another kind does that with what its classifier gets from
//! [`OverflowClassifier::report_later`].
//!
//! # A budget
//!
//! One more call for each request is the most, but where many requests overflow at the same time that
//! is twice the load. [`retry_budget`] of either layer takes a [`RetryBudget`], which may be shared with
//! other retries of the stack: with the feature `retry-budget`, a `TowerBudget` around Tower's own. What
//! it refuses is passed on as it is, and no summary is paid for.
//!
//! # Retries of something else
//!
//! A retry for what is transient (a reset connection, a rate limit) stands best **inside**: it
//! repeats one call, and not the summary before it. Wherever it stands, it must not repeat an
//! overflow. Outside, [`is_final_overflow`] tells; inside, [`is_overflow_text`] does.
//!
//! ```
//! use std::future::{Ready, ready};
//! use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
//! use contextfit::{BoxError, ContextFitLayer, Fitter, ExtractiveSummarizer, TextOverflow};
//! use contextfit_testing::provider::SimulatedProvider;
//! use contextfit::is_final_overflow;
//! use tower::retry::{Policy, RetryLayer};
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! /// Tries again so many times, but not what can't help.
//! #[derive(Clone)]
//! struct Transient(usize);
//!
//! impl Policy<ChatRequest, ChatResponse, BoxError> for Transient {
//!     type Future = Ready<()>;
//!
//!     fn retry(
//!         &mut self,
//!         _: &mut ChatRequest,
//!         result: &mut Result<ChatResponse, BoxError>,
//!     ) -> Option<Ready<()>> {
//!         let error = result.as_ref().err()?;
//!         if is_final_overflow(&**error) {
//!             return None;
//!         }
//!         self.0 = self.0.checked_sub(1)?;
//!         Some(ready(()))
//!     }
//!
//!     fn clone_request(&mut self, request: &ChatRequest) -> Option<ChatRequest> {
//!         Some(request.clone())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! // It finds everything too long.
//! let provider = SimulatedProvider::new(4_000).overflow_calls(usize::MAX);
//! let fitter = Fitter::builder().window(4_000).summarizer(ExtractiveSummarizer).build()?;
//! let stack = ServiceBuilder::new()
//!     .layer(RetryLayer::new(Transient(3)))
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(TextOverflow::new()))
//!     .service(provider.clone());
//!
//! let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 50]);
//! let error = stack.oneshot(long).await.unwrap_err();
//! assert!(is_final_overflow(&*error));
//! assert_eq!(provider.calls(), 2, "the request, and its one recovery");
//! # Ok(()) }
//! ```
//!
//! [`TextOverflow`]: crate::TextOverflow
//! [`is_overflow_text`]: crate::overflow::is_overflow_text
//! [`OverflowTemplates::classify`]: crate::overflow::OverflowTemplates::classify
//! [`Class`]: crate::overflow::Class
//! [`OverflowClassifier`]: crate::OverflowClassifier
//! [`classifier_fn`]: crate::classifier_fn
//! [`Overflow`]: crate::Overflow
//! [`BoxError`]: crate::BoxError
//! [`WithoutNumbers::AsUsual`]: crate::WithoutNumbers::AsUsual
//! [`UsageOverflow`]: crate::UsageOverflow
//! [`trust_short_stops`]: crate::UsageOverflow::trust_short_stops
//! [`trust_truncation`]: crate::UsageOverflow::trust_truncation
//! [`FitEvent::Truncated`]: crate::FitEvent::Truncated
//! [`OverflowClassifier::report_later`]: crate::OverflowClassifier::report_later
//! [`retry_budget`]: crate::ContextFitLayer::retry_budget
//! [`RetryBudget`]: crate::RetryBudget
//! [`lower_output_first`]: crate::FitterBuilder::lower_output_first
//! [`resend_unchanged`]: crate::FitterBuilder::resend_unchanged
//! [`FitError::StillTooLong`]: crate::FitError::StillTooLong
//! [`Replay`]: crate::Replay
//! [`ChatRequest`]: crate::chat::ChatRequest
//! [`OverflowRetry`]: crate::OverflowRetry
//! [`is_final_overflow`]: crate::is_final_overflow
//! [`FitterBuilder::enabled`]: crate::FitterBuilder::enabled
