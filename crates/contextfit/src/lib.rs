//! Tower middleware that keeps every LLM request inside the model's context window.
//!
//! A long conversation outgrows the model's window. Then the provider refuses the request, or
//! silently cuts it, deep into work that is paid for. Contextfit wraps any provider service:
//!
//! - [`ContextFit`] measures each request before it is sent. One that fits goes through untouched.
//!   Of one that doesn't, old tool results are clipped, or older turns are dropped or replaced by a
//!   bounded summary, as a policy says; by default the task and a recent suffix stay verbatim.
//! - [`OverflowRetry`] recognises a provider saying "too long", uses the numbers your client has of it, fits
//!   harder, and resends once.
//! - [`Fitter::fit`] does the first without Tower, and [`Fitter::explain`] says what it would do.
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
//! use contextfit::{ContextFitLayer, Fitter, ExtractiveSummarizer, TextOverflow};
//! use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let fitter = Fitter::builder().window(128_000).summarizer(ExtractiveSummarizer).build()?;
//!
//! let provider = service_fn(|request: ChatRequest| async move {
//!     let reply = ChatMessage::assistant("Hello!");
//!     Ok::<_, std::io::Error>(ChatResponse::new(request.model, reply, "stop"))
//! });
//! let mut service = ServiceBuilder::new()
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(TextOverflow::new()))
//!     .service(provider);
//!
//! let request = ChatRequest::new("a-model", [ChatMessage::user("Hi.")]);
//! assert_eq!(service.ready().await?.call(request).await?.text(), "Hello!");
//! # Ok(()) }
//! ```
//!
//! What decides is a trait, most of them with a closure form: an
//! [`Estimator`](estimate::Estimator) counts tokens, a [`CutPolicy`](cut::CutPolicy) gives each
//! message its [`Fate`](cut::Fate), a [`Summarizer`] writes what stands for those that go, [`Models`]
//! knows the windows (a [`Catalogue`] those of the large providers), an [`OverflowClassifier`] recognises overflows ([`TextOverflow`] by what
//! providers say, [`UsageOverflow`] by what they counted), an [`Observer`] hears of every decision,
//! and a [`RequestAdapter`](request::RequestAdapter) teaches all of them a request type of your own.
//! A [`Trigger`](trigger::Trigger) says when to compact below the limit, and the settings of
//! [`FitterBuilder`] what to do where nothing helps.
//!
//! Exact counts come with the features `tiktoken` (`TiktokenEstimator`, for OpenAI's models) and
//! `huggingface` (`HuggingFaceEstimator`, for any `tokenizer.json`). Put a [`Memo`] around them.
//!
//! The features `tracing` and `metrics` have traces and metrics tell what is done, see
//! [`observing`](guide::observing).
//!
//! The features `async-openai` and `genai` have the layers take the requests of these
//! [clients] as they are.
//!
//! Requests in the format of a provider are fitted as the bytes they are: see [`wire`], and the layer
//! `http::HttpFitLayer` for a service of HTTP requests, of any client.
//!
//! The [`guide`] explains all of it, step by step, in code that is run.

pub mod guide;

pub use contextfit_core::{budget, chat, cut, estimate, plan, request, summary, table, trigger};
#[cfg(feature = "http")]
pub use contextfit_providers::http;
pub use contextfit_providers::{
    Catalogue, TextOverflow, catalogue, clients, overflow, usage, wire,
};
#[cfg(feature = "tiktoken")]
pub use contextfit_tokenizers::{Encoding, TiktokenEstimator};
#[cfg(feature = "huggingface")]
pub use contextfit_tokenizers::{HuggingFaceEstimator, LoadTokenizerError};
pub use contextfit_tower::*;

// The code in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
