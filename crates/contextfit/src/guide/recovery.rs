//! Recognising an overflow, recovering from it once, and what a retry layer must know.
//!
//! An estimate may be wrong, and so may the window that somebody advertises. Then the provider says
//! that a request is too long. A classifier recognises that; the layer fits the caller's request
//! again, smaller, and sends it **once** more.
//!
//! # A classifier for your provider
//!
//! It sees the whole [`Result`], and says [`Overflow`] or `None`. Three rules:
//!
//! - What it doesn't know for certain is `None`. A rate limit is no overflow, although it may speak
//!   of "too many tokens".
//! - A number is given if the provider gave it, and never guessed.
//! - An overflow may come as a success: [`UsageOverflow`] reads it from usage and stop reason.
//!
//! ```
//! use contextfit::chat::ChatResponse;
//! use contextfit::{
//!     ChatUsageReader, ContextFitLayer, Fitter, Overflow, OverflowClassifier, Scope,
//!     UsageOverflow, classifier_fn,
//! };
//!
//! /// What the client that you use makes of an error.
//! struct ApiError {
//!     code: &'static str,
//!     prompt_tokens: Option<u64>,
//!     limit: Option<u64>,
//! }
//!
//! let says_so = classifier_fn(|_, result: &Result<ChatResponse, ApiError>| {
//!     let error = result.as_ref().err()?;
//!     if error.code != "context_length_exceeded" {
//!         return None;
//!     }
//!     let mut overflow = Overflow::new();
//!     if let Some(tokens) = error.prompt_tokens {
//!         overflow = overflow.input(tokens);
//!     }
//!     if let Some(tokens) = error.limit {
//!         overflow = overflow.limit(tokens, Scope::Total); // input and output together
//!     }
//!     Some(overflow)
//! });
//! let too_long = says_so.or(UsageOverflow::new(ChatUsageReader));
//!
//! let fitter = Fitter::builder().window(128_000).build()?;
//! let layer = ContextFitLayer::new(fitter).overflow_retry(too_long);
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! # What follows
//!
//! - With its numbers, the second attempt is sized so that a constant which the provider adds is
//!   left room, as well as tokens that are smaller than estimated. Without any, half of what may be
//!   cut is cut.
//! - A limit below the configured window is remembered for its model. It never raises a window.
//! - What can't be made smaller isn't sent again. The first result stands.
//! - A second overflow is the end. It comes as [`FitError::StillTooLong`], with the provider's
//!   error in it.
//! - For a resend, a copy of each request is kept. [`Replay`] says when. For a [`ChatRequest`] it
//!   shares all texts.
//! - [`OverflowRetry`] is the recovery alone, for requests that aren't to be touched before the
//!   provider complains. It returns a second overflow unchanged.
//!
//! # Retries of something else
//!
//! A retry for what is transient (a reset connection, a rate limit) stands best **inside**: it
//! repeats one call, and not the summary before it. Wherever it stands, it must not repeat an
//! overflow. Outside, [`is_final_overflow`] tells:
//!
//! ```
//! use std::future::{Ready, ready};
//!
//! use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
//! use contextfit::{BoxError, ContextFitLayer, Fitter, HeadSummarizer, is_final_overflow};
//! use contextfit_testing::provider::{SimulatedOverflow, SimulatedProvider};
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
//! let fitter = Fitter::builder().window(4_000).summarizer(HeadSummarizer).build()?;
//! let stack = ServiceBuilder::new()
//!     .layer(RetryLayer::new(Transient(3)))
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(SimulatedOverflow))
//!     .service(provider.clone());
//!
//! let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 50]);
//! let error = stack.oneshot(long).await.unwrap_err();
//! assert!(is_final_overflow(&*error));
//! // The request, and its one recovery.
//! assert_eq!(provider.calls(), 2);
//! # Ok(()) }
//! ```
//!
//! [`Overflow`]: crate::Overflow
//! [`UsageOverflow`]: crate::UsageOverflow
//! [`FitError::StillTooLong`]: crate::FitError::StillTooLong
//! [`Replay`]: crate::Replay
//! [`ChatRequest`]: crate::chat::ChatRequest
//! [`OverflowRetry`]: crate::OverflowRetry
//! [`is_final_overflow`]: crate::is_final_overflow
