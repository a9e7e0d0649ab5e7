//! What the tests that span the crates have in common: conversations, and the parts of a stack
//! that a test can watch.

mod attempts;
mod careless;
mod chats;
mod estimators;
mod fixed_part;
mod forms;
mod in_format;
mod items;
mod log;
mod scribe;
mod script;
mod shipped;
mod stack;
mod too_long;
mod traced;
mod transient;
mod waiting;
mod writing;

pub use self::attempts::attempts;
pub use self::careless::policies;
pub use self::chats::{
    agent, chat, compacted_chat, content, estimate, ptr, ptrs, questions, sized, text, texts,
    unique,
};
pub use self::estimators::shipped_estimators;
pub use self::fixed_part::FixedPart;
pub use self::forms::forms;
pub use self::in_format::InFormat;
pub use self::items::{Item, Items};
pub use self::log::{Entry, Log};
pub use self::scribe::Scribe;
pub use self::script::{Event, Script, Step, Streaming, look};
pub use self::shipped::shipped_policies;
pub use self::stack::{Erased, Shape, bottom, provider, send};
pub use self::too_long::TooLong;
pub use self::traced::{Record, Traced};
pub use self::transient::Transient;
pub use self::waiting::{Hesitant, pending};
pub use self::writing::Writing;
