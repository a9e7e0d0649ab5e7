//! What is left of a conversation after compactions: the share of its facts.
//!
//! Facts are found by expressions of this module's own, which know nothing of how a summary is
//! written.

mod facts;
mod play;
mod synthetic;
mod way;

pub use self::facts::{Fact, FactKind, facts_of};
pub use self::play::{Moment, Share, play};
pub use self::synthetic::synthetic;
pub use self::way::Way;
