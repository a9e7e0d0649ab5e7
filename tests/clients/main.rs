//! Adapters for the types of client crates: what they show, what they change, what they recognise,
//! and the faults of group A for each of them.

mod async_openai;
mod faults;
mod genai;
mod kind;
mod laws;
mod middleware;
mod requests;
mod shown;
