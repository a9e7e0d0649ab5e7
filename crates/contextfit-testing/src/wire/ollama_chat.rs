//! Ollama `/api/chat`, by `docs/api.md` of ollama/ollama and by what its server decodes.
//!
//! The server itself checks roles and types only: what it gets goes through the template of a
//! model. So the rules for tools are lenient, and those for the rest are about types.

use super::node::{Findings, Node, Speaker};
use super::{Rule, WireCheck};

pub(super) fn check(body: &Node<'_>, options: WireCheck, found: &mut Findings) {
    // "If the messages array is empty, the model will be loaded into memory": nobody answers.
    let messages = found.messages(body, "messages");
    let mut open: Vec<Node<'_>> = Vec::new();
    for message in &messages {
        form(message, found);
        if message.str("role") == Some("tool") {
            result(message, &mut open, found);
            continue;
        }
        left_open(&open, found);
        open = if message.str("role") == Some("assistant") {
            message.items("tool_calls")
        } else {
            Vec::new()
        };
    }
    // Calls at the end may be open: the server doesn't mind, and no template does.
    if options.alternating {
        let speakers: Vec<_> = messages.iter().map(speaker).collect();
        found.alternate(&speakers);
    }
}

/// A result comes after the calls, one for each call, in any order. It names the tool
/// (`tool_name`, before that `name`) or, in newer versions, the call (`tool_call_id`), or nothing.
/// Then it answers the next call.
fn result(message: &Node<'_>, open: &mut Vec<Node<'_>>, found: &mut Findings) {
    let name = message.str("tool_name").or(message.str("name"));
    let id = message.str("tool_call_id");
    let answers = |call: &Node<'_>| {
        let by_id = id.is_none() || call.str("id").is_none() || call.str("id") == id;
        let called = call.field("function").and_then(|it| it.str("name"));
        by_id && (name.is_none() || called == name)
    };
    match open.iter().position(answers) {
        Some(call) => drop(open.remove(call)),
        None => found.add(&*message.place, Rule::StrayResult),
    }
}

fn left_open(open: &[Node<'_>], found: &mut Findings) {
    for call in open {
        found.add(&*call.place, Rule::OpenCall);
    }
}

/// - `role` is "either `system`, `user`, `assistant`, or `tool`".
/// - `content` is a string: "cannot unmarshal array into Go struct field … of type string".
/// - `images` are a list of base64 strings.
/// - The arguments of a call are an object, not a string.
fn form(message: &Node<'_>, found: &mut Findings) {
    let roles = ["system", "user", "assistant", "tool"];
    let known = message
        .str("role")
        .is_some_and(|role| roles.contains(&role));
    found.demand(known, message.inside("role"), Rule::Role);
    for name in ["content", "thinking"] {
        let string = message.field(name).is_none_or(|it| it.value.is_string());
        found.demand(string, message.inside(name), Rule::Form);
    }
    let holds = ["content", "tool_calls", "images", "thinking"];
    let holds = holds.iter().any(|name| message.has(name));
    found.demand(holds, &*message.place, Rule::Empty);
    for image in message.items("images") {
        let string = image.value.is_string();
        found.demand(string, image.place, Rule::Form);
    }
    for call in message.items("tool_calls") {
        let Some(called) = call.field("function") else {
            found.add(call.inside("function"), Rule::Form);
            continue;
        };
        found.name(&called, "name");
        let arguments = called.field("arguments");
        let object = arguments.is_some_and(|it| it.value.is_object());
        found.demand(object, called.inside("arguments"), Rule::Form);
    }
}

/// As for OpenAI: some templates demand it ("Conversation roles must alternate").
fn speaker(message: &Node<'_>) -> (String, Option<Speaker>) {
    let speaker = match message.str("role") {
        Some("user") => Some(Speaker::User),
        Some("assistant") if !message.has("tool_calls") => Some(Speaker::Model),
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
        json!({"model": "m", "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "q", "images": ["aGk="]},
            {"role": "assistant", "content": "", "tool_calls": [
                {"function": {"name": "read", "arguments": {}}},
                {"function": {"name": "run", "arguments": {}}},
            ]},
            {"role": "tool", "tool_name": "run", "content": "r"},
            {"role": "tool", "tool_name": "read", "content": "r"},
            {"role": "assistant", "content": "answer", "thinking": "t"},
        ]})
    }

    const BAD: &[Bad] = &[
        ("messages", Rule::NoMessages, |b| b["messages"] = json!([])),
        ("messages[0].role", Rule::Role, |b| {
            b["messages"][0]["role"] = json!("developer");
        }),
        ("messages[1].content", Rule::Form, |b| {
            b["messages"][1]["content"] = json!([{"type": "text", "text": "q"}]);
        }),
        ("messages[5].thinking", Rule::Form, |b| {
            b["messages"][5]["thinking"] = json!({});
        }),
        ("messages[0]", Rule::Empty, |b| {
            strip(&mut b["messages"][0], "content");
        }),
        ("messages[1].images[0]", Rule::Form, |b| {
            b["messages"][1]["images"][0] = json!({"url": "u"});
        }),
        ("messages[2].tool_calls[0].function", Rule::Form, |b| {
            b["messages"][2]["tool_calls"][0] = json!({"name": "read"});
        }),
        ("messages[2].tool_calls[0].function.name", Rule::Form, |b| {
            strip(&mut b["messages"][2]["tool_calls"][0]["function"], "name");
        }),
        (
            "messages[2].tool_calls[0].function.arguments",
            Rule::Form,
            |b| {
                b["messages"][2]["tool_calls"][0]["function"]["arguments"] = json!("{}");
            },
        ),
        ("messages[2].tool_calls[1]", Rule::OpenCall, |b| {
            remove(&mut b["messages"], 3);
        }),
        ("messages[2]", Rule::StrayResult, |b| {
            remove(&mut b["messages"], 2);
        }),
        ("messages[3]", Rule::StrayResult, |b| {
            b["messages"][3]["tool_name"] = json!("other");
        }),
        ("messages[4]", Rule::StrayResult, |b| {
            b["messages"][4]["tool_name"] = json!("run");
        }),
        ("messages[4]", Rule::StrayResult, |b| {
            b["messages"][2]["tool_calls"][0]["id"] = json!("1");
            b["messages"][4]["tool_call_id"] = json!("2");
        }),
    ];

    #[test]
    fn what_ollama_has_no_use_for_is_refused() {
        refuses(WireRules::OllamaChat, &good(), BAD);
    }

    #[test]
    fn what_ollama_takes_is_taken() {
        takes(
            WireRules::OllamaChat,
            &good(),
            &[
                |b| {
                    insert(
                        &mut b["messages"],
                        1,
                        json!({"role": "user", "content": ""}),
                    );
                },
                // Calls at the end may be open.
                |b| b["messages"].as_array_mut().expect("a list").truncate(3),
                |b| b["messages"].as_array_mut().expect("a list").truncate(4),
                // Without names, results are in the order of the calls.
                |b| {
                    strip(&mut b["messages"][3], "tool_name");
                    strip(&mut b["messages"][4], "tool_name");
                },
            ],
        );
    }

    #[test]
    fn taking_turns_is_demanded_where_it_is_asked_for() {
        let check = WireCheck::from(WireRules::OllamaChat).alternating();
        refuses(
            check,
            &good(),
            &[("messages[2]", Rule::Alternation, |b| {
                insert(
                    &mut b["messages"],
                    1,
                    json!({"role": "user", "content": "a"}),
                );
            })],
        );
    }
}
