//! Adapters for the request types of client crates, each behind a feature.
//!
//! A client is a service once it is called in a `tower::service_fn`. What a layer has to know beside
//! that is here: what shows its requests as conversations, a reader of the usage in its responses, and
//! a classifier of its errors.
//!
//! | client | feature | module |
//! |---|---|---|
//! | `async-openai` 0.43 | `async-openai` | `async_openai` |
//! | … its own middleware | `async-openai-middleware` | `async_openai::middleware` |
//! | … its types without the client | `async-openai-types` | `async_openai` |
//! | `genai` 0.7 | `genai` | `genai` |
//!
//! Types of another version of a client are other types. So each module re-exports the crate in the
//! version that it is written for; a new version of the client is a breaking change of this crate
//! alone.
//!
//! There is none for `rig-core`. Since 0.43 it asks for Rust 1.95 and, as of 0.46, for 1.97, and this
//! crate is for 1.90; the last that builds there, 0.42, has types that users of a newer one don't.
//!
//! Any other client takes a [`RequestAdapter`](contextfit_core::request::RequestAdapter) of yours:
//! the guide of the `contextfit` crate shows how one is written, and tried.

#[cfg(feature = "async-openai-types")]
pub mod async_openai;
#[cfg(feature = "genai")]
pub mod genai;
