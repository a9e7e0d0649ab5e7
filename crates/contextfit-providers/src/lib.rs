//! What is known of LLM providers, for the layers of `contextfit-tower`.
//!
//! Providers change more often than anything else here; what has to follow them is in this crate.
//!
//! - [`overflow`] recognises errors that say that a request is too long: [`TextOverflow`].
//! - [`catalogue`] knows models by their names, with their windows and prices: [`Catalogue`].
//! - [`wire`] reads and edits requests as they are on the wire: [`WireRequest`](wire::WireRequest).

pub mod catalogue;
pub mod overflow;
pub mod wire;

pub use self::catalogue::Catalogue;
pub use self::overflow::TextOverflow;
