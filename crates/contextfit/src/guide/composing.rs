//! Where the layers stand in a stack, and what a time-out counts.
//!
//! One request through the layers is at most a summary, a call, and, after an overflow, another
//! summary and another call. (Where a split turn is summarized apart, a summary is two calls of the
//! summarizer.) A layer **outside** of them sees one long call. A layer **inside**
//! sees each call of the provider alone, and never a summary. The summarizer is a service too: what
//! stands in its own stack counts summaries alone.
//!
//! | layer | outside | inside |
//! |---|---|---|
//! | time-out | how long the caller waits | how long the provider may take, for each call |
//! | concurrency limit | requests, with their summaries | calls of the provider |
//! | rate limit | requests | calls, the resend too |
//! | load shed | refuses before anything is paid | refuses after a summary was paid |
//! | buffer | a queue of requests | makes a service `Clone` that isn't |
//! | retry | repeats the summary, too | repeats a call |
//!
//! This page is about time-outs, [`limits`](super::limits) about what comes next in the table, and
//! [`recovery`](super::recovery) about retries.
//!
//! # A whole stack
//!
//! From the outside in, which is from the top down:
//!
//! ```
//! use std::time::Duration;
//!
//! use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
//! use contextfit::{BoxError, ContextFitLayer, Fitter, TextOverflow};
//! use contextfit_testing::provider::SimulatedProvider;
//! use tower::util::BoxCloneSyncService;
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), BoxError> {
//! let provider = SimulatedProvider::new(128_000); // stands for your client
//! let fitter = Fitter::builder().window(128_000).build()?;
//!
//! let stack = ServiceBuilder::new()
//!     .buffer(64) // a queue
//!     .load_shed() // refuses what the limit can't take
//!     .concurrency_limit(16) // requests, with their summaries
//!     .timeout(Duration::from_secs(120)) // for all that one request comes to
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(TextOverflow::new()))
//!     .service(provider);
//! // One type that can be named, cloned and shared, whatever is inside.
//! let stack: BoxCloneSyncService<ChatRequest, ChatResponse, BoxError> =
//!     BoxCloneSyncService::new(stack);
//!
//! let request = ChatRequest::new("a-model", [ChatMessage::user("Which port does it use?")]);
//! assert_eq!(stack.oneshot(request).await?.text(), "Done.");
//! # Ok(()) }
//! ```
//!
//! What is inside has to be `Clone`: while a summary is written, the instance that was ready is
//! dropped, and a clone is driven to readiness afterwards. What a clone is limited by it must share
//! with the others, as the clones of Tower's own layers do.
//!
//! The classifier sees the error of what is right inside of the layer. With a time-out in between,
//! that is a `BoxError`. [`TextOverflow`](crate::TextOverflow) reads those, too; where its type has to
//! be named, it is a `TextOverflow<Boxed>` then. A classifier of yours would have to look into the
//! box.
//!
//! ```
//! use contextfit::overflow::Boxed;
//! use contextfit::{ContextFitLayer, Fitter, TextOverflow};
//! # use contextfit::chat::{ChatMessage, ChatRequest};
//! # use contextfit_testing::provider::SimulatedProvider;
//! # use std::time::Duration;
//! # use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), contextfit::BoxError> {
//! # let fitter = Fitter::builder().window(4_000).build()?;
//! # let provider = SimulatedProvider::new(4_000).overflow_calls(1);
//! let too_long: TextOverflow<Boxed> = TextOverflow::new();
//! let stack = ServiceBuilder::new()
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(too_long))
//!     .timeout(Duration::from_secs(30))
//!     .service(provider.clone());
//! # stack.oneshot(ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 50])).await?;
//! # assert_eq!(provider.calls(), 2);
//! # Ok(()) }
//! ```
//!
//! # Time-outs
//!
//! The provider of this example needs two seconds for each call, its summarizer three. So a request
//! that has to be cut takes five. (Time is simulated: the example takes none.)
//!
//! ```
//! use std::time::Duration;
//!
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{BoxError, ContextFitLayer, Fitter, summarizer_fn};
//! use contextfit_testing::provider::{Counting, SimulatedProvider};
//! use tower::timeout::error::Elapsed;
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), BoxError> {
//! let seconds = Duration::from_secs;
//! let provider = SimulatedProvider::new(4_000)
//!     .counting(Counting::Estimate { factor: 1.0 })
//!     .delay(seconds(2));
//! let fitter = Fitter::builder()
//!     .window(4_000)
//!     .summarizer(summarizer_fn(move |_| async move {
//!         tokio::time::sleep(seconds(3)).await;
//!         Ok::<_, BoxError>("They counted.")
//!     }))
//!     .build()?;
//! let layer = ContextFitLayer::new(fitter);
//! let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(100)); 200]);
//!
//! // Outside: four seconds for all of it are not enough.
//! let outside =
//!     ServiceBuilder::new().timeout(seconds(4)).layer(&layer).service(provider.clone());
//! let error = outside.oneshot(long.clone()).await.unwrap_err();
//! assert!(error.is::<Elapsed>());
//!
//! // Inside: four seconds for each call are.
//! let inside = ServiceBuilder::new().layer(&layer).timeout(seconds(4)).service(provider);
//! assert_eq!(inside.oneshot(long).await?.text(), "Done.");
//! # Ok(()) }
//! ```
//!
//! Most stacks want both, and a third one in the summarizer's stack. A summary that takes too long
//! is then a failed summary, and [`FailedSummary`](crate::FailedSummary) says what follows from it.
//! When a time-out outside drops a request, nothing of it stays behind: no permit, no lock, no
//! history that is half edited.
