//! For `async-openai`: chat completions.
//!
//! ```
//! use contextfit_providers::clients::async_openai::{self, AsyncOpenAi};
//! use contextfit_providers::clients::async_openai::async_openai::Client;
//! use contextfit_providers::clients::async_openai::async_openai::config::OpenAIConfig;
//! use contextfit_providers::clients::async_openai::async_openai::types::chat::CreateChatCompletionRequest;
//! use contextfit_tower::{ConfigError, ContextFitLayer, Fitter};
//! use tower::{ServiceBuilder, service_fn};
//!
//! # fn stack() -> Result<(), ConfigError> {
//! let client = Client::with_config(OpenAIConfig::new());
//! let fitter = Fitter::builder().window(128_000).adapter(AsyncOpenAi).build()?;
//! let service = ServiceBuilder::new()
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(async_openai::overflow()))
//!     .service(service_fn(move |request: CreateChatCompletionRequest| {
//!         let client = client.clone();
//!         async move { client.chat().create(request).await }
//!     }));
//! # fn is_one<S: tower::Service<CreateChatCompletionRequest>>(_: S) {}
//! # is_one(service);
//! # Ok(()) }
//! ```
//!
//! The service of a stream is the same with `create_stream`, and [`errors`] in the place of
//! [`overflow`].
//!
//! # What is counted
//!
//! The texts are borrowed from the request, never copied or written as JSON. Schemas are no texts in
//! these types: tools and the response format are written as they will be sent.
//!
//! Of a text that is cut out of a message, the rest stays: the name, the other parts, the marks for
//! the cache.

mod adapter;
mod clip;
#[cfg(feature = "async-openai-middleware")]
pub mod middleware;
#[cfg(feature = "async-openai")]
mod overflow;
mod pieces;
mod usage;
mod view;

pub use ::async_openai;

pub use self::adapter::AsyncOpenAi;
#[cfg(feature = "async-openai")]
pub use self::overflow::{errors, overflow};
pub use self::usage::AsyncOpenAiUsage;
pub use self::view::ChatView;
