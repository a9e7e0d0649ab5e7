//! What providers demand of a request, format by format, and requests that meet it.
//!
//! [`WireRules`] says whether a provider would take a body, by its documentation and by what it
//! answers to broken ones. It knows nothing of the adapters of this workspace, so it can judge
//! them: a conversation that was valid must stay so, whatever is cut.
//!
//! ```
//! use contextfit_testing::wire::{Rule, WireRules};
//! use serde_json::json;
//!
//! let cut_in_two = json!({"model": "m", "messages": [
//!     {"role": "user", "content": "Go on."},
//!     {"role": "tool", "tool_call_id": "call_1", "content": "done"},
//! ]});
//! let broken = WireRules::OpenAiChat.check(&cut_in_two).unwrap_err();
//! assert_eq!(broken[0].rule, Rule::StrayResult);
//! assert_eq!(broken[0].place, "messages[1]");
//! ```
//!
//! Behind the feature `proptest`, `conversations` makes bodies with everything that users have,
//! `written` writes one down in ways that other clients do, and `wire_bytes` does both.

mod anthropic_messages;
mod bedrock_converse;
#[cfg(all(test, feature = "proptest"))]
mod breaks;
#[cfg(all(test, feature = "proptest"))]
mod breaks_by_format;
#[cfg(feature = "proptest")]
mod choices;
#[cfg(feature = "proptest")]
mod conversation;
mod gemini;
mod node;
mod ollama_chat;
mod openai_chat;
mod openai_responses;
mod rules;
#[cfg(test)]
mod tests;
mod violation;
#[cfg(feature = "proptest")]
mod written;

#[cfg(feature = "proptest")]
pub use self::conversation::conversations;
pub use self::rules::{WireCheck, WireRules};
pub use self::violation::{Rule, Violation};
#[cfg(feature = "proptest")]
pub use self::written::{wire_bytes, written, written_as};
