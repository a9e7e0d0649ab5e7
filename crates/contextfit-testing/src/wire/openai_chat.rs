//! OpenAI Chat Completions, by the API reference (platform.openai.com, "Create chat completion").

use super::node::{Findings, Node, Speaker, Tie};
use super::{Rule, WireCheck};

pub(super) fn check(body: &Node<'_>, options: WireCheck, found: &mut Findings) {
    // "Invalid 'messages': empty array. Expected an array with minimum length 1".
    let messages = found.messages(body, "messages");
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for message in &messages {
        form(message, found);
        if message.str("role") == Some("tool") {
            // "Missing required parameter: 'messages[2].tool_call_id'".
            let place = message.place.clone();
            let id = found.name(message, "tool_call_id");
            results.extend(id.map(|id| Tie { id, place }));
            continue;
        }
        answered(&calls, &results, found);
        results.clear();
        calls = if message.str("role") == Some("assistant") {
            calls_of(message, found)
        } else {
            Vec::new()
        };
    }
    answered(&calls, &results, found);
    if options.alternating {
        let speakers: Vec<_> = messages.iter().map(speaker).collect();
        found.alternate(&speakers);
    }
}

/// "An assistant message with 'tool_calls' must be followed by tool messages responding to each
/// 'tool_call_id'", and "messages with role 'tool' must be a response to a preceeding message with
/// 'tool_calls'": the results stand right after the calls, in any order, and a call at the end
/// must be answered too. An id may be used again in a later message. (langchain-ai/langchain#38352,
/// miurla/morphic#136.)
fn answered(calls: &[Tie<'_>], results: &[Tie<'_>], found: &mut Findings) {
    found.settle(calls, results);
}

/// What a message of each role holds, by the reference: system and tool messages hold text only.
fn form(message: &Node<'_>, found: &mut Findings) {
    match message.str("role") {
        Some("system" | "developer" | "tool") => content(message, &["text"], found),
        Some("user") => content(
            message,
            &["text", "image_url", "input_audio", "file"],
            found,
        ),
        Some("assistant") => {
            // "content: required unless tool_calls or function_call is specified".
            let instead = ["tool_calls", "function_call", "refusal", "audio"];
            let may_be_null = instead.iter().any(|name| message.has(name));
            if message.has("content") || !may_be_null {
                content(message, &["text", "refusal"], found);
            }
        }
        // Deprecated, and still taken.
        Some("function") => {
            found.name(message, "name");
            found.demand(
                message.value.get("content").is_some(),
                message.inside("content"),
                Rule::Form,
            );
        }
        _ => found.add(message.inside("role"), Rule::Role),
    }
}

/// A string, or a list of parts that isn't empty, each with the field that its type names.
fn content(message: &Node<'_>, kinds: &[&str], found: &mut Findings) {
    let Some(content) = message.field("content") else {
        return found.add(message.inside("content"), Rule::Form);
    };
    let Some(parts) = content.list() else {
        return found.demand(content.value.is_string(), content.place, Rule::Form);
    };
    // "Invalid 'messages[0].content': empty array."
    found.demand(!parts.is_empty(), content.place, Rule::Empty);
    for part in parts {
        match part.str("type") {
            Some(kind) if kinds.contains(&kind) => {
                let is_text = matches!(kind, "text" | "refusal");
                let held = part.field(kind);
                let right = held.is_some_and(|held| held.value.is_string() == is_text);
                found.demand(right, part.inside(kind), Rule::Form);
            }
            // "Invalid value: 'foo'. Supported values are: 'text', 'image_url' …".
            Some(_) => found.add(part.inside("type"), Rule::Kind),
            None => found.add(part.inside("type"), Rule::Form),
        }
    }
}

fn calls_of<'a>(message: &Node<'a>, found: &mut Findings) -> Vec<Tie<'a>> {
    let Some(list) = message.field("tool_calls") else {
        return Vec::new();
    };
    let calls = list.list();
    found.demand(calls.is_some(), &*list.place, Rule::Form);
    let calls = calls.unwrap_or_default();
    // "Invalid 'messages[1].tool_calls': empty array."
    found.demand(
        !calls.is_empty() || !list.value.is_array(),
        list.place,
        Rule::Empty,
    );
    let mut ties = Vec::new();
    for call in &calls {
        let id = found.name(call, "id");
        let place = call.place.clone();
        ties.extend(id.map(|id| Tie { id, place }));
        let (kind, input) = match call.str("type") {
            Some("function") => ("function", "arguments"),
            Some("custom") => ("custom", "input"),
            _ => {
                found.add(call.inside("type"), Rule::Kind);
                continue;
            }
        };
        let Some(called) = call.field(kind) else {
            found.add(call.inside(kind), Rule::Form);
            continue;
        };
        found.name(&called, "name");
        // The arguments are JSON in a string, as the model wrote it; it may be broken JSON.
        let is_string = called.str(input).is_some();
        found.demand(is_string, called.inside(input), Rule::Form);
    }
    // "Duplicate value for 'tool_call_id'" within a message.
    found.unique(&ties);
    ties
}

/// Chat templates of open models raise "Conversation roles must alternate
/// user/assistant/user/assistant/..." (Perplexity says the same: anomalyco/opencode#9416). A model
/// that goes on after results takes no new turn.
fn speaker(message: &Node<'_>) -> (String, Option<Speaker>) {
    let calls = message.has("tool_calls") || message.has("function_call");
    let speaker = match message.str("role") {
        Some("user") => Some(Speaker::User),
        Some("assistant") if !calls => Some(Speaker::Model),
        _ => None,
    };
    (message.place.clone(), speaker)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::{Bad, insert, refuses, remove, strip, takes};
    use super::super::{Rule, WireCheck, WireRules};

    fn good() -> Value {
        let call = |id| json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{"}});
        json!({"model": "m", "messages": [
            {"role": "system", "content": [{"type": "text", "text": "s"}]},
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]},
            {"role": "tool", "tool_call_id": "b", "content": ""},
            {"role": "tool", "tool_call_id": "a", "content": "r"},
            {"role": "assistant", "tool_calls": [call("a")]},
            {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "r"}]},
            {"role": "assistant", "content": "answer"},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
        ]})
    }

    const BAD: &[Bad] = &[
        ("messages[1].content", Rule::Form, |b| {
            b["messages"][1] = json!({"role": "function", "name": "read"});
        }),
        ("messages[2].tool_calls[0].function.name", Rule::Form, |b| {
            strip(&mut b["messages"][2]["tool_calls"][0]["function"], "name");
        }),
        ("messages", Rule::NoMessages, |b| b["messages"] = json!([])),
        ("messages", Rule::NoMessages, |b| strip(b, "messages")),
        ("messages", Rule::Form, |b| b["messages"] = json!("hello")),
        ("messages[0].role", Rule::Role, |b| {
            b["messages"][0]["role"] = json!("model");
        }),
        ("messages[1].content", Rule::Form, |b| {
            b["messages"][1]["content"] = json!(null);
        }),
        ("messages[1].content", Rule::Form, |b| {
            b["messages"][1]["content"] = json!({});
        }),
        ("messages[0].content", Rule::Empty, |b| {
            b["messages"][0]["content"] = json!([]);
        }),
        ("messages[0].content[0].text", Rule::Form, |b| {
            b["messages"][0]["content"][0]["text"] = json!(1);
        }),
        ("messages[0].content[0].type", Rule::Kind, |b| {
            b["messages"][0]["content"][0]["type"] = json!("image_url");
        }),
        ("messages[8].content[0].type", Rule::Form, |b| {
            strip(&mut b["messages"][8]["content"][0], "type");
        }),
        ("messages[7].content", Rule::Form, |b| {
            strip(&mut b["messages"][7], "content");
        }),
        ("messages[2].tool_calls", Rule::Empty, |b| {
            b["messages"][2]["tool_calls"] = json!([]);
        }),
        ("messages[2].tool_calls", Rule::Form, |b| {
            b["messages"][2]["tool_calls"] = json!("a");
        }),
        ("messages[2].tool_calls[0].id", Rule::Form, |b| {
            strip(&mut b["messages"][2]["tool_calls"][0], "id");
        }),
        ("messages[2].tool_calls[0].type", Rule::Kind, |b| {
            b["messages"][2]["tool_calls"][0]["type"] = json!("tool");
        }),
        ("messages[2].tool_calls[0].function", Rule::Form, |b| {
            strip(&mut b["messages"][2]["tool_calls"][0], "function");
        }),
        (
            "messages[2].tool_calls[0].function.arguments",
            Rule::Form,
            |b| {
                b["messages"][2]["tool_calls"][0]["function"]["arguments"] = json!({});
            },
        ),
        ("messages[2].tool_calls[1]", Rule::RepeatedId, |b| {
            b["messages"][2]["tool_calls"][1]["id"] = json!("a");
        }),
        ("messages[3].tool_call_id", Rule::Form, |b| {
            strip(&mut b["messages"][3], "tool_call_id");
        }),
        ("messages[2].tool_calls[0]", Rule::OpenCall, |b| {
            remove(&mut b["messages"], 4);
        }),
        ("messages[2].tool_calls[1]", Rule::OpenCall, |b| {
            remove(&mut b["messages"], 3);
        }),
        ("messages[2]", Rule::StrayResult, |b| {
            remove(&mut b["messages"], 2);
        }),
        ("messages[4]", Rule::SecondResult, |b| {
            b["messages"][4]["tool_call_id"] = json!("b");
        }),
        ("messages[4]", Rule::StrayResult, |b| {
            b["messages"][4]["tool_call_id"] = json!("c");
        }),
        ("messages[2].tool_calls[0]", Rule::OpenCall, |b| {
            insert(
                &mut b["messages"],
                4,
                json!({"role": "user", "content": "wait"}),
            );
        }),
        // A call at the end is open too.
        ("messages[5].tool_calls[0]", Rule::OpenCall, |b| {
            b["messages"].as_array_mut().expect("a list").truncate(6);
        }),
        ("messages[1].name", Rule::Form, |b| {
            b["messages"][1] = json!({"role": "function", "content": "r"});
        }),
    ];

    #[test]
    fn what_openai_refuses_is_refused() {
        refuses(WireRules::OpenAiChat, &good(), BAD);
    }

    #[test]
    fn what_openai_takes_is_taken() {
        takes(
            WireRules::OpenAiChat,
            &good(),
            &[
                |b| {
                    insert(
                        &mut b["messages"],
                        2,
                        json!({"role": "user", "content": ""}),
                    );
                },
                |b| {
                    insert(
                        &mut b["messages"],
                        0,
                        json!({"role": "assistant", "content": "hi"}),
                    );
                },
                |b| {
                    insert(
                        &mut b["messages"],
                        7,
                        json!({"role": "developer", "content": "s"}),
                    );
                },
                |b| b["messages"][7]["tool_calls"] = json!(null),
                |b| b["messages"][7]["anything"] = json!([{}]),
            ],
        );
    }

    #[test]
    fn taking_turns_is_demanded_where_it_is_asked_for() {
        let check = WireCheck::from(WireRules::OpenAiChat).alternating();
        refuses(
            check,
            &good(),
            &[
                ("messages[2]", Rule::Alternation, |b| {
                    insert(
                        &mut b["messages"],
                        1,
                        json!({"role": "user", "content": "a"}),
                    );
                }),
                ("messages[8]", Rule::Alternation, |b| {
                    insert(
                        &mut b["messages"],
                        7,
                        json!({"role": "assistant", "content": "a"}),
                    );
                }),
                ("messages[0]", Rule::FirstRole, |b| {
                    insert(
                        &mut b["messages"],
                        0,
                        json!({"role": "assistant", "content": "a"}),
                    );
                }),
            ],
        );
    }
}
