//! Anthropic Messages, by the API reference and the guides to tool use, extended thinking and
//! prompt caching (platform.claude.com/docs).

use super::node::{Findings, Node, Speaker, Tie, is_plain_id};
use super::{Rule, WireCheck};

pub(super) fn check(body: &Node<'_>, options: WireCheck, found: &mut Findings) {
    output_limit(body, found);
    system(body, found);
    marks(body, found);
    let messages = found.messages(body, "messages");
    let last = messages.len().saturating_sub(1);
    let mut open: Vec<Tie<'_>> = Vec::new();
    let mut all_calls = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        form(message, at == last, found);
        order(message, found);
        results_first(message, found);
        // "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_… Each
        // `tool_use` block must have a corresponding `tool_result` block in the next message", and
        // "unexpected `tool_use_id` found in `tool_result` blocks: toolu_… Each `tool_result` block
        // must have a corresponding `tool_use` block in the previous message." No call stays open,
        // the last one neither. (anthropics/claude-code#5060, decocms/studio#1803.)
        let results: Vec<_> = ties(message, "tool_result", "tool_use_id");
        found.settle(&open, &results);
        open = ties(message, "tool_use", "id");
        all_calls.extend(open.iter().cloned());
    }
    found.settle(&open, &[]);
    // "`tool_use` ids must be unique", over the whole conversation (anthropics/claude-code#28515).
    found.unique(&all_calls);
    // "messages: first message must use the "user" role".
    if let Some(first) = messages.first() {
        let of_model = first.str("role") == Some("assistant");
        found.demand(!of_model, &*first.place, Rule::FirstRole);
    }
    thinking(body, &messages, found);
    trailing_space(messages.last(), found);
    if options.alternating {
        // Anthropic itself takes neighbours of one role: "consecutive user or assistant turns in
        // your request will be combined into a single turn" (API reference, `messages`).
        let speakers: Vec<_> = messages.iter().map(speaker).collect();
        found.alternate(&speakers);
    }
}

fn speaker(message: &Node<'_>) -> (String, Option<Speaker>) {
    let speaker = match message.str("role") {
        Some("user") => Some(Speaker::User),
        Some("assistant") => Some(Speaker::Model),
        _ => None,
    };
    (message.place.clone(), speaker)
}

fn is(block: &Node<'_>, name: &str) -> bool {
    block.str("type") == Some(name)
}

fn is_thinking(block: &Node<'_>) -> bool {
    is(block, "thinking") || is(block, "redacted_thinking")
}

fn ties<'a>(message: &Node<'a>, kind: &str, field: &str) -> Vec<Tie<'a>> {
    let blocks = message.items("content").into_iter();
    let blocks = blocks.filter(|block| is(block, kind));
    let tie = |block: Node<'a>| {
        let id = block.str(field)?;
        let place = block.place;
        Some(Tie { id, place })
    };
    blocks.filter_map(tie).collect()
}

/// `max_tokens` is required, and "`max_tokens` must be greater than `thinking.budget_tokens`"
/// (guide to extended thinking).
fn output_limit(body: &Node<'_>, found: &mut Findings) {
    let limit = body.value["max_tokens"].as_u64().unwrap_or(0);
    let thought = body.value["thinking"]["budget_tokens"]
        .as_u64()
        .unwrap_or(0);
    found.demand(limit > thought, "max_tokens", Rule::OutputLimit);
}

/// A string, or text blocks: "system: text content blocks must be non-empty".
fn system(body: &Node<'_>, found: &mut Findings) {
    let Some(system) = body.field("system") else {
        return;
    };
    let Some(blocks) = system.list() else {
        return found.demand(system.value.is_string(), "system", Rule::Form);
    };
    for block in blocks {
        found.demand(is(&block, "text"), block.inside("type"), Rule::Kind);
        found.text(&block, "text");
    }
}

/// What may stand in a message of each role. "messages: Unexpected role "system". The Messages API
/// accepts a top-level `system` parameter" (aaronrussell/anthropix#2).
fn form(message: &Node<'_>, is_last: bool, found: &mut Findings) {
    let role = message.str("role");
    if !matches!(role, Some("user" | "assistant")) {
        found.add(message.inside("role"), Rule::Role);
    }
    let of_model = role == Some("assistant");
    // "all messages must have non-empty content except for the optional final assistant message"
    // (anthropics/claude-code#6774).
    let may_be_empty = is_last && of_model;
    let Some(content) = message.field("content") else {
        return found.add(message.inside("content"), Rule::Form);
    };
    if let Some(text) = content.value.as_str() {
        if text.is_empty() {
            found.demand(may_be_empty, content.place, Rule::Empty);
        } else {
            found.not_blank(text, content.place);
        }
        return;
    }
    let Some(blocks) = content.list() else {
        return found.add(content.place, Rule::Form);
    };
    found.demand(
        may_be_empty || !blocks.is_empty(),
        content.place,
        Rule::Empty,
    );
    for block in &blocks {
        form_of_block(block, of_model, found);
    }
}

fn form_of_block(block: &Node<'_>, of_model: bool, found: &mut Findings) {
    match block.str("type") {
        // "text content blocks must be non-empty", "must contain non-whitespace text"
        // (aliasrobotics/cai#182).
        Some("text") => found.text(block, "text"),
        Some("image" | "document") if !of_model => {
            found.demand(block.has("source"), block.inside("source"), Rule::Form);
        }
        Some("search_result" | "container_upload") if !of_model => {}
        Some("tool_result") if !of_model => result(block, found),
        Some("tool_use") if of_model => {
            // "String should match pattern '^[a-zA-Z0-9_-]+$'".
            if let Some(id) = found.name(block, "id") {
                found.demand(is_plain_id(id), block.inside("id"), Rule::IdCharacters);
            }
            found.name(block, "name");
            let object = block.field("input").is_some_and(|it| it.value.is_object());
            found.demand(object, block.inside("input"), Rule::Form);
        }
        // "thinking.signature: Field required": blocks come back as they were received.
        Some("thinking") if of_model => {
            let written = block.str("thinking").is_some();
            found.demand(written, block.inside("thinking"), Rule::Form);
            let signed = block.str("signature").is_some_and(|it| !it.is_empty());
            found.demand(signed, block.inside("signature"), Rule::Signature);
        }
        Some("redacted_thinking") if of_model => {
            let kept = block.str("data").is_some_and(|it| !it.is_empty());
            found.demand(kept, block.inside("data"), Rule::Signature);
        }
        // Tools that the provider runs: their results stand in the same message.
        Some("server_tool_use" | "mcp_tool_use") if of_model => {}
        Some(kind) if of_model && kind.ends_with("_tool_result") => {}
        Some(_) => found.add(block.inside("type"), Rule::Kind),
        None => found.add(block.inside("type"), Rule::Form),
    }
}

/// A string or blocks, or nothing. "content cannot be empty if `is_error` is true".
fn result(block: &Node<'_>, found: &mut Findings) {
    found.name(block, "tool_use_id");
    let failed = block.value["is_error"].as_bool() == Some(true);
    let content = block.field("content");
    let inner = content.as_ref().and_then(Node::list);
    let length = match &content {
        Some(Node { value, .. }) if value.is_string() => value.as_str().map_or(0, str::len),
        Some(_) if inner.is_none() => {
            return found.add(block.inside("content"), Rule::Form);
        }
        _ => inner.as_ref().map_or(0, Vec::len),
    };
    found.demand(!failed || length > 0, block.inside("content"), Rule::Empty);
    for part in inner.unwrap_or_default() {
        match part.str("type") {
            Some("text") => found.text(&part, "text"),
            Some("image" | "document" | "search_result" | "tool_reference") => {}
            _ => found.add(part.inside("type"), Rule::Kind),
        }
    }
}

/// The order within a message of the model.
///
/// - "If an assistant message contains any thinking blocks, the first block must be thinking or
///   redacted_thinking. Found text." (anthropics/claude-code#20705.)
/// - "The final block in an assistant message cannot be `thinking`." (tailcallhq/forgecode#2107.)
/// - Text after a call is refused as a call without its result: the recorded exchange
///   `rejects-malformed-assistant-tool-order-without-patch` of anomalyco/opencode.
fn order(message: &Node<'_>, found: &mut Findings) {
    let blocks = message.items("content");
    if blocks.iter().any(is_thinking) {
        found.demand(
            is_thinking(&blocks[0]),
            &*blocks[0].place,
            Rule::ThinkingFirst,
        );
    }
    if let Some(last) = blocks.last() {
        found.demand(!is_thinking(last), &*last.place, Rule::ThinkingLast);
    }
    let first_call = blocks.iter().position(|block| is(block, "tool_use"));
    for block in blocks.iter().skip(first_call.unwrap_or(blocks.len())) {
        found.demand(!is(block, "text"), &*block.place, Rule::TextAfterCall);
    }
}

/// "In the user message containing tool results, the tool_result blocks must come first in the
/// content array. Any text must come after all tool results." (Guide to tool use.)
fn results_first(message: &Node<'_>, found: &mut Findings) {
    let blocks = message.items("content");
    let other = blocks.iter().position(|block| !is(block, "tool_result"));
    for block in blocks.iter().skip(other.unwrap_or(blocks.len())) {
        found.demand(!is(block, "tool_result"), &*block.place, Rule::ResultsFirst);
    }
}

/// What thinking demands of the last messages.
///
/// - "When `thinking` is enabled, a final `assistant` message must start with a thinking block
///   (preceeding the lastmost set of `tool_use` and `tool_result` blocks)". With `adaptive` that
///   isn't demanded. (pydantic/pydantic-ai#2040, anomalyco/opencode#3077.)
/// - "When thinking is disabled, an `assistant` message in the final position cannot contain
///   `thinking`." (tailcallhq/forgecode#1195.)
fn thinking(body: &Node<'_>, messages: &[Node<'_>], found: &mut Findings) {
    let mode = body.field("thinking").and_then(|it| it.str("type"));
    let by_model = |message: &&Node<'_>| message.str("role") == Some("assistant");
    let last = messages.iter().rev().find(by_model);
    let blocks = last.map(|it| it.items("content")).unwrap_or_default();
    if mode == Some("enabled") && blocks.iter().any(|block| is(block, "tool_use")) {
        found.demand(
            is_thinking(&blocks[0]),
            &*blocks[0].place,
            Rule::ThinkingFirst,
        );
    }
    let ends_with_model = messages.last().is_some_and(|last| by_model(&last));
    if ends_with_model && !matches!(mode, Some("enabled" | "adaptive")) {
        for block in blocks.iter().filter(|block| is_thinking(block)) {
            found.add(&*block.place, Rule::ThinkingOff);
        }
    }
}

/// "final assistant content cannot end with trailing whitespace" (API reference, `messages`).
fn trailing_space(last: Option<&Node<'_>>, found: &mut Findings) {
    let Some(last) = last.filter(|last| last.str("role") == Some("assistant")) else {
        return;
    };
    let blocks = last.items("content");
    let text = match blocks.last() {
        Some(block) => block.str("text"),
        None => last.str("content"),
    };
    let clean = text.is_none_or(|text| text.trim_end() == text);
    found.demand(clean, last.inside("content"), Rule::TrailingSpace);
}

/// Cache marks over tools, system and messages, and within results.
///
/// - "A maximum of 4 blocks with cache_control may be provided. Found 5." One at the top of the
///   body is one of them. (tghamm/Anthropic.SDK#50.)
/// - Thinking can't be marked, nor empty text; and a mark stands on a block, not on a message
///   (guide to prompt caching; ax-llm/ax#479).
/// - "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block", in the
///   order tools, system, messages.
fn marks(body: &Node<'_>, found: &mut Findings) {
    let mut marked: Vec<Node<'_>> = body.items("tools");
    marked.extend(body.items("system"));
    for message in body.items("messages") {
        found.demand(
            !message.has("cache_control"),
            message.inside("cache_control"),
            Rule::MarkPlace,
        );
        for block in message.items("content") {
            marked.extend(block.items("content"));
            marked.push(block);
        }
    }
    marked.push(body.clone());
    marked.retain(|block| block.has("cache_control"));
    found.demand(marked.len() <= 4, "cache_control", Rule::TooManyMarks);
    let mut short = false;
    for block in marked {
        let place = block.inside("cache_control");
        found.demand(!is_thinking(&block), &*place, Rule::MarkPlace);
        let hour = block.value["cache_control"]["ttl"] == "1h";
        found.demand(!(hour && short), place, Rule::MarkOrder);
        short |= !hour;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::{Bad, insert, refuses, remove, strip, takes};
    use super::super::{Rule, WireCheck, WireRules};

    fn good() -> Value {
        json!({"model": "m", "max_tokens": 2_048,
        "thinking": {"type": "enabled", "budget_tokens": 1_024},
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "read", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "", "signature": "x"},
                {"type": "text", "text": "so"},
                {"type": "tool_use", "id": "a", "name": "read", "input": {}},
                {"type": "tool_use", "id": "b", "name": "read", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": "no"},
                {"type": "tool_result", "tool_use_id": "a",
                    "content": [{"type": "text", "text": "r"}]},
                {"type": "text", "text": "go on", "cache_control": {"type": "ephemeral"}},
            ]},
            {"role": "assistant", "content": "answer"},
            {"role": "user", "content": [{"type": "image", "source": {}}]},
            {"role": "assistant", "content": [
                {"type": "redacted_thinking", "data": "x"},
                {"type": "tool_use", "id": "c", "name": "read", "input": {}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
        ]})
    }

    const BAD: &[Bad] = &[
        ("messages[1].content[2].id", Rule::Form, |b| {
            strip(&mut b["messages"][1]["content"][2], "id");
        }),
        ("messages", Rule::NoMessages, |b| b["messages"] = json!([])),
        ("max_tokens", Rule::OutputLimit, |b| strip(b, "max_tokens")),
        ("max_tokens", Rule::OutputLimit, |b| {
            b["max_tokens"] = json!(1_024);
        }),
        ("system", Rule::Form, |b| b["system"] = json!({})),
        ("system[0].text", Rule::Blank, |b| {
            b["system"][0]["text"] = json!("");
        }),
        ("system[0].type", Rule::Kind, |b| {
            b["system"][0]["type"] = json!("image");
        }),
        ("messages[0].role", Rule::Role, |b| {
            b["messages"][0]["role"] = json!("system");
        }),
        ("messages[0]", Rule::FirstRole, |b| {
            remove(&mut b["messages"], 0);
        }),
        ("messages[0].content", Rule::Form, |b| {
            strip(&mut b["messages"][0], "content");
        }),
        ("messages[0].content", Rule::Form, |b| {
            b["messages"][0]["content"] = json!(1);
        }),
        ("messages[0].content", Rule::Empty, |b| {
            b["messages"][0]["content"] = json!("");
        }),
        ("messages[0].content", Rule::Blank, |b| {
            b["messages"][0]["content"] = json!(" ");
        }),
        ("messages[4].content", Rule::Empty, |b| {
            b["messages"][4]["content"] = json!([]);
        }),
        ("messages[2].content[2].text", Rule::Blank, |b| {
            b["messages"][2]["content"][2]["text"] = json!(" ");
        }),
        ("messages[2].content[2].text", Rule::Form, |b| {
            strip(&mut b["messages"][2]["content"][2], "text");
        }),
        ("messages[4].content[0].source", Rule::Form, |b| {
            strip(&mut b["messages"][4]["content"][0], "source");
        }),
        ("messages[4].content[0].type", Rule::Kind, |b| {
            b["messages"][4]["content"][0]["type"] = json!("image_url");
        }),
        ("messages[4].content[0].type", Rule::Form, |b| {
            strip(&mut b["messages"][4]["content"][0], "type");
        }),
        // What the model writes is the model's, and results are the user's.
        ("messages[0].content[0].type", Rule::Kind, |b| {
            b["messages"][0]["content"] =
                json!([{"type": "tool_use", "id": "z", "name": "n", "input": {}}]);
        }),
        ("messages[5].content[0].type", Rule::Kind, |b| {
            insert(
                &mut b["messages"][5]["content"],
                0,
                json!({"type": "tool_result", "tool_use_id": "a"}),
            );
        }),
        ("messages[1].content[2].id", Rule::IdCharacters, |b| {
            b["messages"][1]["content"][2]["id"] = json!("a:b");
        }),
        ("messages[1].content[2].name", Rule::Form, |b| {
            strip(&mut b["messages"][1]["content"][2], "name");
        }),
        ("messages[1].content[2].input", Rule::Form, |b| {
            b["messages"][1]["content"][2]["input"] = json!("{}");
        }),
        ("messages[1].content[0].signature", Rule::Signature, |b| {
            strip(&mut b["messages"][1]["content"][0], "signature");
        }),
        ("messages[1].content[0].thinking", Rule::Form, |b| {
            strip(&mut b["messages"][1]["content"][0], "thinking");
        }),
        ("messages[5].content[0].data", Rule::Signature, |b| {
            b["messages"][5]["content"][0]["data"] = json!("");
        }),
        ("messages[2].content[0].tool_use_id", Rule::Form, |b| {
            strip(&mut b["messages"][2]["content"][0], "tool_use_id");
        }),
        ("messages[2].content[0].content", Rule::Empty, |b| {
            b["messages"][2]["content"][0]["content"] = json!("");
        }),
        ("messages[2].content[0].content", Rule::Form, |b| {
            b["messages"][2]["content"][0]["content"] = json!({});
        }),
        ("messages[2].content[1].content[0].text", Rule::Blank, |b| {
            b["messages"][2]["content"][1]["content"][0]["text"] = json!("");
        }),
        ("messages[2].content[1].content[0].type", Rule::Kind, |b| {
            b["messages"][2]["content"][1]["content"][0]["type"] = json!("tool_use");
        }),
        ("messages[1].content[2]", Rule::OpenCall, |b| {
            remove(&mut b["messages"][2]["content"], 1);
        }),
        ("messages[2].content[1]", Rule::StrayResult, |b| {
            remove(&mut b["messages"][1]["content"], 2);
        }),
        ("messages[2].content[1]", Rule::SecondResult, |b| {
            b["messages"][2]["content"][1]["tool_use_id"] = json!("b");
        }),
        ("messages[1].content[2]", Rule::OpenCall, |b| {
            insert(
                &mut b["messages"],
                2,
                json!({"role": "user", "content": "wait"}),
            );
        }),
        // The last call isn't open either.
        ("messages[5].content[1]", Rule::OpenCall, |b| {
            remove(&mut b["messages"], 6);
        }),
        ("messages[5].content[1]", Rule::RepeatedId, |b| {
            b["messages"][5]["content"][1]["id"] = json!("a");
        }),
        ("messages[2].content[1]", Rule::ResultsFirst, |b| {
            insert(
                &mut b["messages"][2]["content"],
                1,
                json!({"type": "text", "text": "t"}),
            );
            remove(&mut b["messages"][2]["content"], 2);
            let result = json!({"type": "tool_result", "tool_use_id": "a"});
            insert(
                &mut b["messages"][2]["content"],
                1,
                json!({"type": "text", "text": "t"}),
            );
            remove(&mut b["messages"][2]["content"], 0);
            insert(&mut b["messages"][2]["content"], 1, result);
        }),
        ("messages[1].content[3]", Rule::TextAfterCall, |b| {
            insert(
                &mut b["messages"][1]["content"],
                3,
                json!({"type": "text", "text": "t"}),
            );
        }),
        ("messages[1].content[0]", Rule::ThinkingFirst, |b| {
            insert(
                &mut b["messages"][1]["content"],
                0,
                json!({"type": "text", "text": "t"}),
            );
        }),
        ("messages[5].content[0]", Rule::ThinkingFirst, |b| {
            remove(&mut b["messages"][5]["content"], 0);
        }),
        ("messages[3].content[1]", Rule::ThinkingLast, |b| {
            let thought = json!({"type": "thinking", "thinking": "t", "signature": "x"});
            b["messages"][3]["content"] = json!([thought, thought]);
        }),
        ("messages[7].content[0]", Rule::ThinkingOff, |b| {
            b["thinking"] = json!({"type": "disabled"});
            insert(
                &mut b["messages"],
                7,
                json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": "t", "signature": "x"},
                {"type": "text", "text": "t"}]}),
            );
        }),
        ("messages[7].content", Rule::TrailingSpace, |b| {
            insert(
                &mut b["messages"],
                7,
                json!({"role": "assistant", "content": "The "}),
            );
        }),
        ("messages[7].content", Rule::TrailingSpace, |b| {
            insert(
                &mut b["messages"],
                7,
                json!({"role": "assistant",
                "content": [{"type": "text", "text": "The\n"}]}),
            );
        }),
        ("cache_control", Rule::TooManyMarks, |b| {
            let mark = json!({"type": "ephemeral"});
            b["messages"][4]["content"][0]["cache_control"] = mark.clone();
            b["messages"][2]["content"][1]["content"][0]["cache_control"] = mark;
        }),
        ("cache_control", Rule::TooManyMarks, |b| {
            let mark = json!({"type": "ephemeral"});
            b["messages"][4]["content"][0]["cache_control"] = mark.clone();
            b["cache_control"] = mark;
        }),
        (
            "messages[1].content[0].cache_control",
            Rule::MarkPlace,
            |b| {
                b["messages"][1]["content"][0]["cache_control"] = json!({"type": "ephemeral"});
            },
        ),
        ("messages[0].cache_control", Rule::MarkPlace, |b| {
            b["messages"][0]["cache_control"] = json!({"type": "ephemeral"});
        }),
        ("system[0].cache_control", Rule::MarkOrder, |b| {
            b["system"][0]["cache_control"]["ttl"] = json!("1h");
        }),
    ];

    #[test]
    fn what_anthropic_refuses_is_refused() {
        refuses(WireRules::AnthropicMessages, &good(), BAD);
    }

    #[test]
    fn what_anthropic_takes_is_taken() {
        takes(
            WireRules::AnthropicMessages,
            &good(),
            &[
                |b| {
                    insert(
                        &mut b["messages"],
                        0,
                        json!({"role": "user", "content": "a"}),
                    );
                },
                |b| {
                    insert(
                        &mut b["messages"],
                        7,
                        json!({"role": "assistant", "content": ""}),
                    );
                },
                |b| {
                    insert(
                        &mut b["messages"],
                        7,
                        json!({"role": "assistant", "content": []}),
                    );
                },
                |b| b["system"] = json!("s"),
                |b| b["messages"][4]["content"][0]["cache_control"] = json!({"type": "ephemeral"}),
                |b| b["tools"][0]["cache_control"]["ttl"] = json!("1h"),
                // Only the last message with calls must begin with thinking.
                |b| remove(&mut b["messages"][1]["content"], 0),
                |b| {
                    b["thinking"] = json!({"type": "adaptive"});
                    remove(&mut b["messages"][5]["content"], 0);
                },
                |b| b["messages"][1]["anything"] = json!({"cache_control": {}}),
            ],
        );
    }

    #[test]
    fn taking_turns_is_demanded_where_it_is_asked_for() {
        let check = WireCheck::from(WireRules::AnthropicMessages).alternating();
        refuses(
            check,
            &good(),
            &[("messages[1]", Rule::Alternation, |b| {
                insert(
                    &mut b["messages"],
                    0,
                    json!({"role": "user", "content": "a"}),
                );
            })],
        );
    }
}
