//! The wire formats, one a file.

pub(super) mod anthropic_messages;
pub(super) mod bedrock_converse;
pub(super) mod gemini;
pub(super) mod ollama_chat;
pub(super) mod open_ai_chat;
pub(super) mod open_ai_responses;
#[cfg(test)]
mod told;
