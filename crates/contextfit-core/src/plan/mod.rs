//! What is to happen to a conversation: first on numbers, then as a list of edits.
//!
//! A [`Draft`] is made from a [`Table`](crate::table::Table) alone and says what would be cut
//! and clipped, and how long a summary may be. Once the summary is there, it becomes a
//! [`Plan`], which an adapter carries out in one go.

mod clip;
mod draft;
mod edits;

pub use self::clip::{Clip, ClippedMessage, clip_message, clip_text};
pub use self::draft::{ClipTo, Draft, DraftRules, SummaryCost, draft, draft_early};
pub use self::edits::{Plan, Step};
