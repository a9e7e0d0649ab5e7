//! What a request cost, as its provider counted.

mod chat;
mod reader;
mod reported;
#[allow(clippy::module_inception)]
mod usage;

pub use self::chat::ChatUsageReader;
pub use self::reader::UsageReader;
pub use self::reported::{CacheTokens, ReportedCount, ReportedUsage};
pub use self::usage::{Stop, Usage};
