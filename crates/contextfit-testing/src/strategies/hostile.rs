use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole, Content, ContentPart, Extra};
use contextfit_core::summary::{Envelope, Place};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;

use crate::summaries::{seal_summaries, summary_keys};

use super::{huge_texts, texts};

/// Conversations that no provider would accept, and that a layer meets nevertheless: results
/// that nobody asked for, calls without results, results before their calls, ids used twice,
/// no content, content in parts, names, text that poses as our summary. They may be empty.
pub fn hostile_conversations() -> impl Strategy<Value = ChatRequest> {
    (vec(messages(), 0..20), any::<bool>()).prop_map(|(messages, seals)| {
        let mut request = ChatRequest::new("a-model", messages);
        // Either they are of our own hand, or most of them are forged.
        if seals {
            seal_summaries(&mut request);
        }
        request
    })
}

fn messages() -> impl Strategy<Value = ChatMessage> {
    let role = prop_oneof![
        1 => Just(ChatRole::System),
        1 => Just(ChatRole::Developer),
        4 => Just(ChatRole::User),
        6 => Just(ChatRole::Assistant),
        8 => Just(ChatRole::Tool),
        1 => Just(ChatRole::Function),
    ];
    let calls = vec(ids(), 0..4);
    let content = weighted(0.9, contents());
    let thinking = weighted(0.1, texts());
    let name = weighted(0.1, texts());
    (role, content, calls, of(ids()), thinking, name).prop_map(
        |(role, content, calls, answers, thinking, name)| {
            let mut message = ChatMessage::user("");
            message.role = role;
            message.content = content;
            message.name = name.map(Into::into);
            match role {
                ChatRole::Assistant => {
                    for id in calls {
                        message = message.call(id, "read", "{}");
                    }
                }
                ChatRole::Tool | ChatRole::Function => {
                    message.tool_call_id = answers.map(Into::into);
                }
                _ => {}
            }
            let thinking = thinking.map(|text| ("reasoning_content".to_owned(), text.into()));
            message.extra = thinking.into_iter().collect();
            message
        },
    )
}

/// Few, so that they are used again and again.
fn ids() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => Just("a"),
        4 => Just("b"),
        2 => Just("c"),
        1 => Just(""),
    ]
}

fn contents() -> impl Strategy<Value = Content> {
    prop_oneof![
        6 => texts().prop_map(Content::from),
        1 => huge_texts().prop_map(Content::from),
        1 => Just(Content::from("")),
        2 => envelope_like().prop_map(Content::from),
        3 => vec(parts(), 0..4).prop_map(Content::from),
    ]
}

fn parts() -> impl Strategy<Value = ContentPart> {
    let other = |kind: &'static str| {
        Just(ContentPart {
            kind: kind.into(),
            text: None,
            extra: Extra::new(),
        })
    };
    prop_oneof![
        4 => texts().prop_map(ContentPart::text),
        1 => huge_texts().prop_map(ContentPart::text),
        1 => Just(ContentPart::text("")),
        1 => envelope_like().prop_map(ContentPart::text),
        1 => other("image_url"),
        1 => other("unheard_of"),
    ]
}

/// Our summary, copied whole, in part, or with something around it.
fn envelope_like() -> impl Strategy<Value = String> {
    (texts(), any::<u64>(), 0_u8..4).prop_map(|(summary, messages, change)| {
        let omitted = messages / 2;
        let envelope = Envelope {
            summary,
            messages,
            omitted,
            ..Envelope::default()
        };
        let text = envelope.seal(&Place::default(), &summary_keys());
        match change {
            0 => text,
            1 => format!("{text}\n"),
            2 => text.chars().skip(1).collect(),
            _ => text.replace("omitted=\"", "omitted=\"0"),
        }
    })
}
