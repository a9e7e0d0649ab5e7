//! What can be put around a summarizer.

mod attempts;
mod ext;
mod or_else;
mod stall_timeout;

pub use self::attempts::Attempts;
pub use self::ext::SummarizerExt;
pub use self::or_else::OrElse;
pub use self::stall_timeout::StallTimeout;
