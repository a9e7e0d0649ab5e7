//! Concurrency limits, load shed, rate limits and buffers.
//!
//! # Concurrency limits
//!
//! Two requests arrive at once, and a limit admits one. **Outside**, its permit is held for all of
//! a request, so that the summaries wait for each other, too. **Inside**, it is held for a call; it
//! is given back while a summary is written.
//!
//! The provider needs two seconds for each call, the summarizer one. (Time is simulated.)
//!
//! ```
//! # use std::time::Duration;
//! # use contextfit::chat::{ChatMessage, ChatRequest};
//! # use contextfit::{BoxError, ContextFitLayer, Fitter, summarizer_fn};
//! # use contextfit_testing::provider::{Counting, SimulatedProvider};
//! use tokio::time::Instant;
//! use tower::util::BoxCloneService;
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), BoxError> {
//! # let seconds = Duration::from_secs;
//! # let provider = SimulatedProvider::new(4_000)
//! #     .counting(Counting::Estimate { factor: 1.0 })
//! #     .delay(seconds(2));
//! # let fitter = Fitter::builder()
//! #     .window(4_000)
//! #     .summarizer(summarizer_fn(move |_| async move {
//! #         tokio::time::sleep(seconds(1)).await;
//! #         Ok::<_, BoxError>("They counted.")
//! #     }))
//! #     .build()?;
//! # let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 200]);
//! let fit = ContextFitLayer::new(fitter);
//! let limited_outside =
//!     ServiceBuilder::new().concurrency_limit(1).layer(&fit).service(provider.clone());
//! let limited_inside = ServiceBuilder::new().layer(&fit).concurrency_limit(1).service(provider);
//!
//! for (stack, seconds) in [
//!     (BoxCloneService::new(limited_outside), (1 + 2) + (1 + 2)),
//!     (BoxCloneService::new(limited_inside), 1 + 2 + 2),
//! ] {
//!     let start = Instant::now();
//!     let (one, other) = (stack.clone().oneshot(long.clone()), stack.oneshot(long.clone()));
//!     tokio::try_join!(one, other)?;
//!     assert_eq!(start.elapsed().as_secs(), seconds);
//! }
//! # Ok(()) }
//! ```
//!
//! A limit inside protects the provider. One outside bounds the work that is under way, summaries
//! and long histories in memory with it.
//!
//! **A summarizer may share the inner limit, never an outer one.** A request holds nothing of the
//! inner limit while its summary is written. It holds its outer permit all the time, and the
//! summary would wait for that.
//!
//! ```
//! # use std::time::Duration;
//! # use contextfit::chat::{ChatMessage, ChatRequest};
//! # use contextfit::{BoxError, ContextFitLayer, Fitter, chat_summarizer};
//! # use contextfit_testing::provider::SimulatedProvider;
//! use tokio::time::timeout;
//! use tower::limit::GlobalConcurrencyLimitLayer;
//! use tower::{Layer, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), BoxError> {
//! # let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 200]);
//! # let provider = SimulatedProvider::new(100_000);
//! let limit = GlobalConcurrencyLimitLayer::new(1);
//! let summarizer = chat_summarizer(limit.layer(provider.clone()), "a-model");
//! let fit = ContextFitLayer::new(Fitter::builder().window(4_000).summarizer(summarizer).build()?);
//!
//! let an_hour = Duration::from_secs(3_600);
//! let shared_inside = fit.layer(limit.layer(provider.clone()));
//! assert!(timeout(an_hour, shared_inside.oneshot(long.clone())).await?.is_ok());
//!
//! let shared_outside = limit.layer(fit.layer(provider));
//! assert!(timeout(an_hour, shared_outside.oneshot(long)).await.is_err(), "a deadlock");
//! # Ok(()) }
//! ```
//!
//! # Load shed
//!
//! Load shed belongs outside, around the limit that it sheds for: whoever is refused there has cost
//! nothing. Inside, a request is refused after its summary was written.
//!
//! ```
//! # use std::time::Duration;
//! # use contextfit::chat::{ChatMessage, ChatRequest};
//! # use contextfit::{BoxError, ContextFitLayer, Fitter, chat_summarizer};
//! # use contextfit_testing::provider::SimulatedProvider;
//! # use tower::util::BoxCloneService;
//! # use tower::{ServiceBuilder, ServiceExt};
//! use tower::load_shed::error::Overloaded;
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), BoxError> {
//! # let provider = SimulatedProvider::new(4_000).delay(Duration::from_secs(2));
//! # let scribe = SimulatedProvider::new(100_000);
//! # let summarizer = chat_summarizer(scribe.clone(), "a-model");
//! # let fit = ContextFitLayer::new(Fitter::builder().window(4_000).summarizer(summarizer).build()?);
//! # let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 200]);
//! # let short = ChatRequest::new("a-model", [ChatMessage::user("Which port does it use?")]);
//! let outside = ServiceBuilder::new()
//!     .load_shed()
//!     .concurrency_limit(1)
//!     .layer(&fit)
//!     .service(provider.clone());
//! let inside =
//!     ServiceBuilder::new().layer(&fit).load_shed().concurrency_limit(1).service(provider);
//!
//! let (outside, inside) = (BoxCloneService::new(outside), BoxCloneService::new(inside));
//! for (stack, summaries) in [(outside, 0), (inside, 1)] {
//!     // The short request takes the only permit, for two seconds.
//!     let (short, long) = (stack.clone().oneshot(short.clone()), stack.oneshot(long.clone()));
//!     let (short, long) = tokio::join!(short, long);
//!     assert!(short.is_ok());
//!     assert!(long.unwrap_err().is::<Overloaded>());
//!     assert_eq!(scribe.calls(), summaries);
//! }
//! # Ok(()) }
//! ```
//!
//! # Rate limits and buffers
//!
//! A rate limit inside counts what a provider counts: calls, the resend too. Tower's isn't `Clone`,
//! which a buffer around it mends:
//!
//! ```
//! # use std::time::Duration;
//! # use contextfit::chat::{ChatMessage, ChatRequest};
//! # use contextfit::{BoxError, ContextFitLayer, Fitter};
//! # use contextfit_testing::provider::SimulatedProvider;
//! # use tower::{ServiceBuilder, ServiceExt};
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), BoxError> {
//! # let fit = ContextFitLayer::new(Fitter::builder().window(4_000).build()?);
//! # let provider = SimulatedProvider::new(4_000);
//! let stack = ServiceBuilder::new()
//!     .layer(fit)
//!     .buffer(64)
//!     .rate_limit(50, Duration::from_secs(60))
//!     .service(provider);
//! # stack.oneshot(ChatRequest::new("a-model", [ChatMessage::user("Hi.")])).await?;
//! # Ok(()) }
//! ```
//!
//! A buffer outside is a queue. Its worker hands over one request after the other, and measuring
//! and drafting are part of that. Summaries and calls run on the tasks of the callers.
