//! The wire formats, one a file.

pub(super) mod open_ai_chat;
pub(super) mod open_ai_responses;
