//! Summarizers that need no model.

mod archive;
mod extractive;
mod head;

pub use self::archive::Archive;
pub(crate) use self::archive::archived;
pub use self::extractive::ExtractiveSummarizer;
pub use self::head::HeadSummarizer;
