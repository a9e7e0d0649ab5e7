//! The wire formats, one a file.

pub(super) mod gemini;
pub(super) mod ollama_chat;
pub(super) mod open_ai_chat;
pub(super) mod open_ai_responses;
#[cfg(test)]
mod told;
