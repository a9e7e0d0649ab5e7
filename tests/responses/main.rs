//! Responses of HTTP services: looked into, handed on as they came, and judged.

mod early;
mod late;
mod peeking;
mod recorded;
mod script;
mod stack;
mod summarizer;
mod summarizer_streams;
mod whole;
