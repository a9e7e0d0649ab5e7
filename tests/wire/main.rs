//! Bodies as they are on the wire, fitted: what their providers demand holds after any cut.

mod cuts;
mod gemini;
mod ollama_chat;
