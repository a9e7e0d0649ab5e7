//! For `genai`: chats with any of its providers.
//!
//! In `genai`, a model, a chat and its options are three arguments of a call. A [`GenaiRequest`] is
//! the three as one request, which the layers can measure and change.
//!
//! ```
//! use contextfit_providers::clients::genai::{self, GenaiRequest};
//! use contextfit_providers::clients::genai::genai::Client;
//! use contextfit_tower::{ConfigError, ContextFitLayer, Fitter};
//! use tower::{ServiceBuilder, service_fn};
//!
//! # fn stack(client: Client) -> Result<(), ConfigError> {
//! let fitter = Fitter::builder().window(128_000).build()?;
//! let service = ServiceBuilder::new()
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(genai::overflow()))
//!     .service(service_fn(move |request: GenaiRequest| {
//!         let client = client.clone();
//!         async move {
//!             let GenaiRequest { model, chat, options } = request;
//!             client.exec_chat(model, chat, options.as_ref()).await
//!         }
//!     }));
//! # fn is_one<S: tower::Service<GenaiRequest>>(_: S) {}
//! # is_one(service);
//! # Ok(()) }
//! ```
//!
//! The service of a stream is the same with `exec_chat_stream`, and [`errors`] in the place of
//! [`overflow`].
//!
//! # What is counted
//!
//! Each provider is sent something else. Texts count as they stand; the arguments of calls and
//! schemas as JSON. Options that are set on a client aren't seen: ask for output in the request.
//!
//! A request with a `previous_response_id` continues a history that is on the server. Nothing of
//! that can be cut, so it is left alone.

mod clip;
mod edit;
mod overflow;
mod pieces;
mod request;
mod usage;

pub use ::genai;

pub use self::overflow::{errors, overflow};
pub use self::request::GenaiRequest;
pub use self::usage::GenaiUsage;
