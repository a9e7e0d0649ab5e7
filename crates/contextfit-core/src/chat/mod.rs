//! A small chat request and response, for callers who have no provider type of their own.
//!
//! The shape is OpenAI's Chat Completions, because most servers speak it. Unknown fields are
//! kept and sent along. Text is shared, so a clone costs little however long the conversation.

mod apply_clips;
mod content;
mod conversation;
mod media;
mod merge;
mod message;
mod pieces;
mod request;
mod response;

pub use self::content::{Content, ContentPart};
pub use self::message::{ChatMessage, ChatRole, FunctionCall, ToolCall};
pub use self::request::ChatRequest;
pub use self::response::{ChatChoice, ChatResponse, ChatUsage};

/// Fields this crate doesn't know, by name.
pub type Extra = serde_json::Map<String, serde_json::Value>;
