//! The wire formats, one a file.

pub(super) mod anthropic_messages;
pub(super) mod bedrock_converse;
pub(super) mod open_ai_chat;
