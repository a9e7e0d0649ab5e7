//! What is known of LLM providers, for the layers of `contextfit-tower`.
//!
//! Providers change more often than anything else here; what has to follow them is in this crate.
//!
//! - [`overflow`] recognises errors that say that a request is too long: [`TextOverflow`].
//! - [`catalogue`] knows models by their names, with their windows and prices: [`Catalogue`].
//! - [`clients`] has adapters for the types of client crates, each behind a feature.

pub mod catalogue;
pub mod clients;
pub mod overflow;

pub use self::catalogue::Catalogue;
pub use self::overflow::TextOverflow;
