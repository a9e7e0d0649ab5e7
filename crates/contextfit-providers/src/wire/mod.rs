//! Requests as they are on the wire, whoever wrote them.
//!
//! A [`WireRequest`] is the body of a request to one of the large providers, or to a server that
//! speaks like one: its [`WireFormat`]. It is read in one pass, fitted as any other conversation,
//! and what is kept of it stays the bytes that came.
//!
//! What has to hold for a provider to take a request holds after a fit too: a call and its
//! results stay together, reasoning stays with what it led to, and cache marks stay where they
//! stand.

mod blocks;
mod calls;
mod conversation;
mod edit;
mod error;
mod fixed;
mod format;
mod formats;
mod index;
mod json;
mod leaves;
mod media;
mod merge;
mod request;
mod results;
mod system_messages;
#[cfg(test)]
mod told;

pub use self::error::WireError;
pub use self::format::WireFormat;
pub use self::request::WireRequest;
