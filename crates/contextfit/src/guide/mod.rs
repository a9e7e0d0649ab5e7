//! The guide: what the layers do, where they stand in a stack, and how to bring your own parts.
//!
//! It is for readers who know Rust and Tower, and nothing of this crate. There is no code in these
//! modules, only text. Each page can be read by itself, and every example on it is run as a test.
//!
//! # Read first
//!
//! - [`concepts`]: the words, when a request is compacted, and how a fit runs.
//! - [`guarantees`]: what holds whatever you configure, and what doesn't.
//!
//! # Put it to use
//!
//! - [`composing`]: time-outs, and the other layers of a stack.
//! - [`limits`]: concurrency limits, load shed, rate limits and buffers.
//! - [`recovery`]: recognising an overflow, and what a retry layer must know.
//! - [`native`]: requests as providers take them, over HTTP or by themselves.
//! - [`per_model`]: several models, with windows and estimators of their own.
//! - [`sessions`]: histories with a summary in them: keys, tenants, and the ledger of what was done.
//! - [`explain`]: what a fit would do to a request, and why.
//! - [`observing`]: what was done: events, reports, traces, metrics, and what summaries cost.
//!
//! # Bring your own
//!
//! - [`estimator`]: what counts tokens.
//! - [`policy`]: what decides which messages go. Those that are shipped, and how to compose them.
//! - [`summarizer`]: what writes the text that stands for them.
//! - [`adapter`]: what teaches the layers your request type.

pub mod adapter;
pub mod composing;
pub mod concepts;
pub mod estimator;
pub mod explain;
pub mod guarantees;
pub mod limits;
pub mod native;
pub mod observing;
pub mod per_model;
pub mod policy;
pub mod recovery;
pub mod sessions;
pub mod summarizer;
