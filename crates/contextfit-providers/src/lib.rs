//! What is known of LLM providers, for the layers of `contextfit-tower`.
//!
//! Providers change more often than anything else here; what has to follow them is in this crate.
//!
//! - [`overflow`] recognises errors that say that a request is too long: [`TextOverflow`].
//! - [`catalogue`] knows models by their names, with their windows and prices: [`Catalogue`].
//! - [`clients`] has adapters for the types of client crates, each behind a feature.
//! - [`wire`] reads and edits requests as they are on the wire: [`WireRequest`](wire::WireRequest).
//! - [`usage`] reads what a request cost from the JSON of its response, whoever wrote it.
//! - `http`, with the feature of that name, puts both around a service of HTTP requests.

#[cfg(feature = "http")]
#[macro_use]
mod macros;

pub mod catalogue;
pub mod clients;
#[cfg(feature = "http")]
pub mod http;
mod json;
pub mod overflow;
pub mod usage;
pub mod wire;

pub use self::catalogue::Catalogue;
pub use self::overflow::TextOverflow;
