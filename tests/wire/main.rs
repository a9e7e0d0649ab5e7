//! Bodies as they are on the wire, fitted: what their providers demand holds after any cut.

mod anthropic_messages;
mod bedrock_converse;
mod cuts;
mod gemini;
mod ollama_chat;
mod open_ai_chat;
mod open_ai_responses;
mod talk;
