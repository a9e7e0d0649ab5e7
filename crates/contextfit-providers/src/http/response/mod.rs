//! What comes back: looked into, and handed on byte for byte.

mod answer;
mod document;
mod documents;
mod events;
mod http_overflow;
mod http_usage;
mod items;
mod peek_body;
mod peeked;

pub(super) use self::document::Meaning;
pub(super) use self::documents::{Documents, Heard, LONGEST};
pub use self::http_overflow::HttpOverflow;
pub use self::http_usage::HttpUsage;
pub use self::peek_body::{PeekBody, PeekBodyFuture, PeekBodyLayer};
pub use self::peeked::Peeked;
