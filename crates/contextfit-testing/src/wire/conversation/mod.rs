//! Bodies that a provider takes: a talk in neutral terms, written in the format of a provider.

mod anthropic_messages;
mod bedrock_converse;
mod gemini;
mod media;
mod ollama_chat;
mod openai_chat;
mod openai_responses;
mod talk;
mod tools;

use proptest::collection::SizeRange;
use proptest::prelude::*;
use serde_json::Value;

use self::talk::talks;
use super::choices::Choices;
use super::{WireCheck, WireRules};

/// Request bodies that pass `check`, with as many turns as `turns` says.
///
/// A turn is up to eight messages long, and may be one: with `1..9` turns, bodies have from 1 to
/// about 60 messages. They hold what users send: system prompts in every form and, where it's
/// allowed, in the middle; text as strings and parts; images, files and audio; thinking with
/// signatures; parallel calls, whose ids come again in later turns where they may; results as text,
/// JSON, lists, errors, images and nothing; cache marks; tools and schemas; output limits; nulls,
/// and fields that no provider knows, at every level.
///
/// ```
/// use contextfit_testing::wire::{WireRules, conversations};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(8), |(body in conversations(WireRules::Gemini, 1..5))| {
///     prop_assert_eq!(WireRules::Gemini.check(&body), Ok(()));
/// });
/// ```
pub fn conversations(
    check: impl Into<WireCheck>,
    turns: impl Into<SizeRange>,
) -> impl Strategy<Value = Value> {
    let check = check.into();
    (talks(turns), any::<u64>()).prop_map(move |(talk, seed)| {
        let mut choices = Choices::new(seed);
        let write = match check.rules {
            WireRules::OpenAiChat => openai_chat::write,
            WireRules::OpenAiResponses => openai_responses::write,
            WireRules::AnthropicMessages => anthropic_messages::write,
            WireRules::Gemini => gemini::write,
            WireRules::BedrockConverse => bedrock_converse::write,
            WireRules::OllamaChat => ollama_chat::write,
        };
        let talk = if check.alternating {
            talk.taking_turns()
        } else {
            talk
        };
        write(&talk, check, &mut choices)
    })
}
