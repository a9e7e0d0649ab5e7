//! Bedrock Converse, by the API reference (docs.aws.amazon.com/bedrock, `Converse`,
//! `ContentBlock`) and the guide to prompt caching.

use super::node::{Findings, Node, Speaker, Tie, is_plain_id};
use super::{Rule, WireCheck};

/// What a block of the user may be, of which exactly one is there: the block is a union.
const OF_USER: [&str; 9] = [
    "text",
    "image",
    "document",
    "video",
    "audio",
    "guardContent",
    "searchResult",
    "toolResult",
    "cachePoint",
];

/// What a block of the model may be.
const OF_MODEL: [&str; 7] = [
    "text",
    "toolUse",
    "toolResult",
    "reasoningContent",
    "citationsContent",
    "cachePoint",
    "image",
];

pub(super) fn check(body: &Node<'_>, _: WireCheck, found: &mut Findings) {
    let messages = found.messages(body, "messages");
    let mut open: Vec<Tie<'_>> = Vec::new();
    for message in &messages {
        form(message, found);
        // "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_…", and
        // "The number of toolResult blocks at messages.2.content exceeds the number of toolUse
        // blocks of previous turn." No call stays open. (langgenius/dify-official-plugins#765.)
        let results = ties(message, "toolResult");
        found.settle(&open, &results);
        open = ties(message, "toolUse");
        // Ids may be used again in a later turn, but not within one.
        found.unique(&open);
    }
    found.settle(&open, &[]);
    // "A conversation must start with a user message", and "A conversation must alternate between
    // user and assistant roles". (langchain-ai/langchain-aws#192, langchain-ai/langchainjs#6724.)
    let speakers: Vec<_> = messages.iter().map(speaker).collect();
    found.alternate(&speakers);
    system(body, found);
    marks(body, &messages, found);
    tools(body, &messages, found);
}

fn speaker(message: &Node<'_>) -> (String, Option<Speaker>) {
    let speaker = match message.str("role") {
        Some("user") => Some(Speaker::User),
        Some("assistant") => Some(Speaker::Model),
        _ => None,
    };
    (message.place.clone(), speaker)
}

fn blocks<'a>(message: &Node<'a>, kind: &str) -> Vec<Node<'a>> {
    let blocks = message.items("content");
    blocks
        .iter()
        .filter_map(|block| block.field(kind))
        .collect()
}

fn ties<'a>(message: &Node<'a>, kind: &str) -> Vec<Tie<'a>> {
    let tie = |block: Node<'a>| {
        let id = block.str("toolUseId")?;
        let place = block.place;
        Some(Tie { id, place })
    };
    blocks(message, kind).into_iter().filter_map(tie).collect()
}

/// - "The content field in the Message object at messages.0 is empty. Add a ContentBlock object to
///   the content field and try again."
/// - "The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the
///   text field, and try again."
fn form(message: &Node<'_>, found: &mut Findings) {
    let kinds: &[&str] = match message.str("role") {
        Some("user") => &OF_USER,
        Some("assistant") => &OF_MODEL,
        _ => return found.add(message.inside("role"), Rule::Role),
    };
    let Some(blocks) = message.field("content").and_then(|it| it.list()) else {
        return found.add(message.inside("content"), Rule::Form);
    };
    found.demand(!blocks.is_empty(), message.inside("content"), Rule::Empty);
    for block in &blocks {
        let all = OF_USER.iter().chain(&OF_MODEL);
        let held: Vec<_> = all.filter(|kind| block.has(kind)).collect();
        let [kind, rest @ ..] = &held[..] else {
            found.add(&*block.place, Rule::Form);
            continue;
        };
        found.demand(
            rest.iter().all(|one| one == kind),
            &*block.place,
            Rule::Form,
        );
        found.demand(kinds.contains(kind), &*block.place, Rule::Kind);
        match block.field(kind) {
            Some(_) if **kind == "text" => found.text(block, "text"),
            Some(call) if **kind == "toolUse" => form_of_call(&call, found),
            Some(result) if **kind == "toolResult" => form_of_result(&result, found),
            Some(thought) if **kind == "reasoningContent" => reasoning(&thought, found),
            _ => {}
        }
    }
}

/// `toolUseId` is 1 to 64 characters of `[a-zA-Z0-9_-]` (reference, `ToolUseBlock`).
fn id(node: &Node<'_>, found: &mut Findings) {
    if let Some(id) = found.name(node, "toolUseId") {
        let plain = is_plain_id(id) && id.len() <= 64;
        found.demand(plain, node.inside("toolUseId"), Rule::IdCharacters);
    }
}

fn form_of_call(call: &Node<'_>, found: &mut Findings) {
    id(call, found);
    found.name(call, "name");
    let object = call.field("input").is_some_and(|it| it.value.is_object());
    found.demand(object, call.inside("input"), Rule::Form);
}

/// Content is a list (reference, `ToolResultBlock`), and text in it isn't empty: "text content
/// blocks must be non-empty" (NousResearch/hermes-agent#55092).
fn form_of_result(result: &Node<'_>, found: &mut Findings) {
    id(result, found);
    let Some(blocks) = result.field("content").and_then(|it| it.list()) else {
        return found.add(result.inside("content"), Rule::Form);
    };
    for block in blocks {
        let kinds = ["text", "json", "image", "document", "video", "searchResult"];
        let held = kinds.iter().filter(|kind| block.has(kind)).count();
        found.demand(held == 1, &*block.place, Rule::Form);
        if block.has("text") {
            found.text(&block, "text");
        }
    }
}

/// Reasoning comes back as it was received, with its signature (reference,
/// `ReasoningTextBlock`: "If you pass a reasoning block back to the API in a multi-turn
/// conversation, include the text and its signature unmodified").
fn reasoning(thought: &Node<'_>, found: &mut Findings) {
    if let Some(text) = thought.field("reasoningText") {
        let written = text.str("text").is_some();
        found.demand(written, text.inside("text"), Rule::Form);
        let signed = text.str("signature").is_some_and(|it| !it.is_empty());
        found.demand(signed, text.inside("signature"), Rule::Signature);
    } else {
        let kept = thought
            .str("redactedContent")
            .is_some_and(|it| !it.is_empty());
        found.demand(kept, &*thought.place, Rule::Signature);
    }
}

/// Blocks of text, of a guardrail, and cache points. Blank text is refused here too.
fn system(body: &Node<'_>, found: &mut Findings) {
    for block in body.items("system") {
        if block.has("text") {
            found.text(&block, "text");
        } else {
            let known = block.has("cachePoint") || block.has("guardContent");
            found.demand(known, block.place, Rule::Kind);
        }
    }
}

/// Four cache points at most, over tools, system and messages (guide to prompt caching).
fn marks(body: &Node<'_>, messages: &[Node<'_>], found: &mut Findings) {
    let mut places = body.items("system");
    places.extend(
        body.field("toolConfig")
            .iter()
            .flat_map(|it| it.items("tools")),
    );
    places.extend(messages.iter().flat_map(|message| message.items("content")));
    let marks = places.iter().filter(|place| place.has("cachePoint"));
    found.demand(marks.count() <= 4, "cachePoint", Rule::TooManyMarks);
}

/// "The toolConfig field must be defined when using toolUse and toolResult content blocks."
/// (aws-samples/bedrock-access-gateway#239.)
fn tools(body: &Node<'_>, messages: &[Node<'_>], found: &mut Findings) {
    let of = |kind| {
        messages
            .iter()
            .any(|message| !blocks(message, kind).is_empty())
    };
    let used = of("toolUse") || of("toolResult");
    found.demand(!used || body.has("toolConfig"), "toolConfig", Rule::NoTools);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::{Bad, insert, refuses, remove, strip, takes};
    use super::super::{Rule, WireRules};

    fn good() -> Value {
        let point = json!({"cachePoint": {"type": "default"}});
        json!({"system": [{"text": "s"}, point], "toolConfig": {"tools": [{"toolSpec": {}}, point]},
        "messages": [
            {"role": "user", "content": [{"text": "q"}, {"image": {}}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "t", "signature": "x"}}},
                {"text": "so"},
                {"toolUse": {"toolUseId": "a", "name": "read", "input": {}}},
                {"toolUse": {"toolUseId": "b", "name": "read", "input": {}}},
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "b", "content": []}},
                {"toolResult": {"toolUseId": "a", "content": [{"text": "r"}, {"json": {}}]}},
                {"text": "go on"},
                point,
            ]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"redactedContent": "x"}},
                {"toolUse": {"toolUseId": "a", "name": "read", "input": {}}},
            ]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": []}}, point]},
        ]})
    }

    const BAD: &[Bad] = &[
        (
            "messages[1].content[2].toolUse.toolUseId",
            Rule::Form,
            |b| strip(&mut b["messages"][1]["content"][2]["toolUse"], "toolUseId"),
        ),
        ("messages", Rule::NoMessages, |b| b["messages"] = json!([])),
        ("messages[0].role", Rule::Role, |b| {
            b["messages"][0]["role"] = json!("system");
        }),
        ("messages[0]", Rule::FirstRole, |b| {
            remove(&mut b["messages"], 0);
        }),
        ("messages[1]", Rule::Alternation, |b| {
            insert(
                &mut b["messages"],
                0,
                json!({"role": "user", "content": [{"text": "q"}]}),
            );
        }),
        ("messages[2]", Rule::Alternation, |b| {
            insert(
                &mut b["messages"],
                1,
                json!({"role": "assistant", "content": [{"text": "q"}]}),
            );
        }),
        ("messages[0].content", Rule::Form, |b| {
            b["messages"][0]["content"] = json!("q");
        }),
        ("messages[0].content", Rule::Empty, |b| {
            b["messages"][0]["content"] = json!([]);
        }),
        ("messages[0].content[0].text", Rule::Blank, |b| {
            b["messages"][0]["content"][0]["text"] = json!(" ");
        }),
        ("messages[0].content[0]", Rule::Form, |b| {
            b["messages"][0]["content"][0] = json!({});
        }),
        ("messages[0].content[1]", Rule::Form, |b| {
            b["messages"][0]["content"][1]["text"] = json!("t");
        }),
        ("messages[0].content[0]", Rule::Kind, |b| {
            b["messages"][0]["content"][0] = json!({"reasoningContent": {"redactedContent": "x"}});
        }),
        ("messages[1].content[1]", Rule::Kind, |b| {
            b["messages"][1]["content"][1] = json!({"document": {}});
        }),
        (
            "messages[1].content[2].toolUse.toolUseId",
            Rule::IdCharacters,
            |b| {
                b["messages"][1]["content"][2]["toolUse"]["toolUseId"] = json!("a".repeat(65));
            },
        ),
        ("messages[1].content[2].toolUse.name", Rule::Form, |b| {
            strip(&mut b["messages"][1]["content"][2]["toolUse"], "name");
        }),
        ("messages[1].content[2].toolUse.input", Rule::Form, |b| {
            b["messages"][1]["content"][2]["toolUse"]["input"] = json!("{}");
        }),
        ("messages[1].content[3].toolUse", Rule::RepeatedId, |b| {
            b["messages"][1]["content"][3]["toolUse"]["toolUseId"] = json!("a");
        }),
        (
            "messages[2].content[0].toolResult.content",
            Rule::Form,
            |b| {
                b["messages"][2]["content"][0]["toolResult"]["content"] = json!("r");
            },
        ),
        (
            "messages[2].content[1].toolResult.content[0].text",
            Rule::Blank,
            |b| {
                b["messages"][2]["content"][1]["toolResult"]["content"][0]["text"] = json!("");
            },
        ),
        (
            "messages[2].content[1].toolResult.content[0]",
            Rule::Form,
            |b| {
                b["messages"][2]["content"][1]["toolResult"]["content"][0] = json!({});
            },
        ),
        (
            "messages[1].content[0].reasoningContent.reasoningText.signature",
            Rule::Signature,
            |b| {
                let thought =
                    &mut b["messages"][1]["content"][0]["reasoningContent"]["reasoningText"];
                strip(thought, "signature");
            },
        ),
        (
            "messages[1].content[0].reasoningContent.reasoningText.text",
            Rule::Form,
            |b| {
                let thought =
                    &mut b["messages"][1]["content"][0]["reasoningContent"]["reasoningText"];
                strip(thought, "text");
            },
        ),
        (
            "messages[3].content[0].reasoningContent",
            Rule::Signature,
            |b| {
                b["messages"][3]["content"][0]["reasoningContent"]["redactedContent"] = json!("");
            },
        ),
        ("messages[1].content[2].toolUse", Rule::OpenCall, |b| {
            remove(&mut b["messages"][2]["content"], 1);
        }),
        (
            "messages[2].content[1].toolResult",
            Rule::StrayResult,
            |b| {
                remove(&mut b["messages"][1]["content"], 2);
            },
        ),
        (
            "messages[2].content[1].toolResult",
            Rule::SecondResult,
            |b| {
                b["messages"][2]["content"][1]["toolResult"]["toolUseId"] = json!("b");
            },
        ),
        ("messages[3].content[1].toolUse", Rule::OpenCall, |b| {
            remove(&mut b["messages"], 4);
        }),
        ("system[0].text", Rule::Blank, |b| {
            b["system"][0]["text"] = json!("");
        }),
        ("system[0]", Rule::Kind, |b| {
            b["system"][0] = json!({"image": {}});
        }),
        ("cachePoint", Rule::TooManyMarks, |b| {
            insert(
                &mut b["messages"][0]["content"],
                2,
                json!({"cachePoint": {"type": "default"}}),
            );
        }),
        ("toolConfig", Rule::NoTools, |b| strip(b, "toolConfig")),
    ];

    #[test]
    fn what_bedrock_refuses_is_refused() {
        refuses(WireRules::BedrockConverse, &good(), BAD);
    }

    #[test]
    fn what_bedrock_takes_is_taken() {
        takes(
            WireRules::BedrockConverse,
            &good(),
            &[
                |b| {
                    insert(
                        &mut b["messages"],
                        5,
                        json!({"role": "assistant", "content": [{"text": "a"}]}),
                    );
                },
                |b| strip(b, "system"),
                |b| b["messages"][1]["content"][1]["anything"] = json!("x"),
            ],
        );
    }
}
