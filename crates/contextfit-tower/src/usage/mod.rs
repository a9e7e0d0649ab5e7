//! What a request cost, as its provider counted.

mod chat;
mod counted;
mod reader;
mod reported;

pub use self::chat::ChatUsageReader;
pub use self::counted::{Stop, Usage};
pub use self::reader::UsageReader;
pub use self::reported::{CacheTokens, ReportedCount, ReportedUsage};
