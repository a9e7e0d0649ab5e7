//! What of a conversation is left after compactions: the share of its facts.

mod facts;
mod play;
mod synthetic;
mod way;

pub use self::facts::{Fact, FactKind, facts_of, files_of, is_word_of};
pub use self::play::{Moment, Share, play};
pub use self::synthetic::synthetic;
pub use self::way::Way;
