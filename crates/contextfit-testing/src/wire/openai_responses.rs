//! OpenAI Responses, by the API reference (platform.openai.com, "Create a model response").

use super::node::{Findings, Node, Tie};
use super::{Rule, WireCheck};

/// What the model asks the client to run, and what answers it.
const ANSWERED: [(&str, &str); 6] = [
    ("function_call", "function_call_output"),
    ("custom_tool_call", "custom_tool_call_output"),
    ("local_shell_call", "local_shell_call_output"),
    ("shell_call", "shell_call_output"),
    ("apply_patch_call", "apply_patch_call_output"),
    ("computer_call", "computer_call_output"),
];

/// What the model wrote that needs no answer: tools that the provider runs have their result
/// within them.
const WRITTEN: [&str; 11] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_list_tools",
    "mcp_call",
    "mcp_approval_request",
    "tool_search_call",
    "tool_search_output",
    "compaction",
    "item_reference",
];

pub(super) fn check(body: &Node<'_>, _: WireCheck, found: &mut Findings) {
    // Earlier items may be on the server, where nothing can be said of them from here.
    let on_server = ["previous_response_id", "conversation", "prompt"]
        .iter()
        .any(|name| body.has(name));
    match body.field("input") {
        Some(input) if input.value.is_string() => return,
        None if on_server => return,
        _ => {}
    }
    let items = found.messages(body, "input");
    for (at, item) in items.iter().enumerate() {
        form(item, found);
        if kind(item) == Some("reasoning") {
            reasoning(item, &items[at + 1..], found);
        }
    }
    // "Duplicate item found with id rs_… Remove duplicate items from your input and try again."
    // (vercel/ai#7883, earendil-works/pi#5151.)
    let with_id = items.iter().filter(|item| !is(item, "item_reference"));
    let ids = with_id.filter_map(|item| tie(item, "id"));
    found.unique(&ids.collect::<Vec<_>>());
    calls(&items, on_server, found);
    approvals(&items, on_server, found);
}

fn kind<'a>(item: &Node<'a>) -> Option<&'a str> {
    // A message may leave its type out.
    item.str("type").or(item.str("role").map(|_| "message"))
}

fn is(item: &Node<'_>, name: &str) -> bool {
    kind(item) == Some(name)
}

fn tie<'a>(item: &Node<'a>, field: &str) -> Option<Tie<'a>> {
    let place = item.place.clone();
    item.str(field).map(|id| Tie { id, place })
}

/// Each kind of item with the fields it can't do without.
fn form(item: &Node<'_>, found: &mut Findings) {
    match kind(item) {
        Some("message") => message(item, found),
        Some("function_call") => {
            found.name(item, "call_id");
            found.name(item, "name");
            let written = item.str("arguments").is_some();
            found.demand(written, item.inside("arguments"), Rule::Form);
        }
        Some("custom_tool_call") => {
            found.name(item, "call_id");
            found.name(item, "name");
            let written = item.str("input").is_some();
            found.demand(written, item.inside("input"), Rule::Form);
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            found.name(item, "call_id");
            match item.field("output") {
                Some(output) if output.value.is_string() => {}
                Some(output) if output.value.is_array() => {
                    parts(&output, &["input_text", "input_image", "input_file"], found);
                }
                _ => found.add(item.inside("output"), Rule::Form),
            }
        }
        Some("local_shell_call_output") => {
            // The reference says `id`, the server takes `call_id`
            // (openai/openai-agents-python#1855).
            let named = item.has("call_id") || item.has("id");
            found.demand(named, item.inside("call_id"), Rule::Form);
            found.demand(item.has("output"), item.inside("output"), Rule::Form);
        }
        Some("reasoning") => {
            // "Missing required parameter: 'input[1].summary'." The id may be left out where the
            // reasoning itself is sent along, encrypted.
            let summary = item.field("summary");
            let listed = summary.is_some_and(|summary| summary.value.is_array());
            found.demand(listed, item.inside("summary"), Rule::Form);
            let known = item.has("id") || item.has("encrypted_content");
            found.demand(known, item.inside("id"), Rule::Form);
        }
        Some("mcp_approval_response") => {
            found.name(item, "approval_request_id");
        }
        Some("item_reference") => {
            found.name(item, "id");
        }
        Some(kind) if WRITTEN.contains(&kind) => {}
        Some(kind) if ANSWERED.iter().any(|pair| pair.0 == kind) => {
            found.name(item, "call_id");
        }
        Some(kind) if ANSWERED.iter().any(|pair| pair.1 == kind) => {
            found.name(item, "call_id");
            found.demand(item.has("output"), item.inside("output"), Rule::Form);
        }
        // "Invalid value: 'foo'. Supported values are: …".
        Some(_) => found.add(item.inside("type"), Rule::Kind),
        None => found.add(item.inside("type"), Rule::Form),
    }
}

/// The parts of a user are `input_…`, those of the model `output_text` and `refusal`: "Invalid
/// value: 'input_text'. Supported values are: 'output_text' and 'refusal'."
fn message(item: &Node<'_>, found: &mut Findings) {
    let kinds: &[&str] = match item.str("role") {
        Some("user" | "system" | "developer") => {
            &["input_text", "input_image", "input_file", "input_audio"]
        }
        Some("assistant") => &["output_text", "refusal"],
        _ => return found.add(item.inside("role"), Rule::Role),
    };
    match item.field("content") {
        Some(content) if content.value.is_string() => {}
        Some(content) if content.value.is_array() => parts(&content, kinds, found),
        _ => found.add(item.inside("content"), Rule::Form),
    }
}

fn parts(content: &Node<'_>, kinds: &[&str], found: &mut Findings) {
    let parts = content.list().unwrap_or_default();
    found.demand(!parts.is_empty(), &*content.place, Rule::Empty);
    for part in parts {
        let text = match part.str("type") {
            Some(kind) if !kinds.contains(&kind) => {
                found.add(part.inside("type"), Rule::Kind);
                continue;
            }
            Some("input_text" | "output_text") => "text",
            Some("refusal") => "refusal",
            Some(_) => continue,
            None => {
                found.add(part.inside("type"), Rule::Form);
                continue;
            }
        };
        let written = part.str(text).is_some();
        found.demand(written, part.inside(text), Rule::Form);
    }
}

/// "Item 'rs_…' of type 'reasoning' was provided without its required following item." What
/// follows is of the model: a message, a call. Several items of reasoning may come before it.
/// (openai/codex#20774, vercel/ai#7099, continuedev/continue#8933.)
///
/// The other direction, "'fc_…' of type 'function_call' was provided without its required
/// 'reasoning' item", can't be seen in a body: only the server knows what belonged together.
fn reasoning(item: &Node<'_>, after: &[Node<'_>], found: &mut Findings) {
    let next = after.iter().find(|next| !is(next, "reasoning"));
    let of_model = next.is_some_and(|next| match kind(next) {
        Some("message") => next.str("role") == Some("assistant"),
        Some(kind) => WRITTEN.contains(&kind) || ANSWERED.iter().any(|pair| pair.0 == kind),
        None => false,
    });
    found.demand(of_model, &*item.place, Rule::ReasoningAlone);
}

/// "No tool output found for function call call_…", and "No tool call found for function call
/// output with call_id …": every call is answered, by an output of its kind that stands anywhere
/// after it, and every output answers one. (langchain-ai/langchain#34282,
/// openai/openai-agents-python#1855, agentscope-ai/AgentTeams#299.)
fn calls(items: &[Node<'_>], on_server: bool, found: &mut Findings) {
    let mut open: Vec<(&str, Tie<'_>)> = Vec::new();
    let mut answered = Vec::new();
    // What a reference stands for may be a call.
    let mut unknown = on_server;
    for item in items {
        unknown |= is(item, "item_reference");
        let Some(kind) = kind(item) else { continue };
        let Some(tie) = tie(item, "call_id").or_else(|| tie(item, "id")) else {
            continue;
        };
        if let Some((_, answer)) = ANSWERED.iter().find(|pair| pair.0 == kind) {
            open.push((answer, tie));
        } else if ANSWERED.iter().any(|pair| pair.1 == kind) {
            let same = |(answer, call): &(&str, Tie<'_>)| *answer == kind && call.id == tie.id;
            if let Some(at) = open.iter().position(same) {
                answered.push(open.remove(at));
            } else if answered.iter().any(same) {
                found.add(tie.place, Rule::SecondResult);
            } else if !unknown {
                found.add(tie.place, Rule::StrayResult);
            }
        }
    }
    for (_, call) in open {
        found.add(call.place, Rule::OpenCall);
    }
}

/// The answer to a request for approval names a request that stands before it (API reference,
/// "MCP approval response").
fn approvals(items: &[Node<'_>], on_server: bool, found: &mut Findings) {
    for (at, item) in items.iter().enumerate() {
        let Some(id) = item.str("approval_request_id") else {
            continue;
        };
        let asked =
            |before: &Node<'_>| is(before, "item_reference") || before.str("id") == Some(id);
        let known = on_server || items[..at].iter().any(asked);
        found.demand(known, &*item.place, Rule::StrayResult);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::{Bad, insert, refuses, remove, strip, takes};
    use super::super::{Rule, WireRules};

    fn good() -> Value {
        json!({"model": "m", "input": [
            {"role": "user", "content": "q"},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "read", "arguments": "{}"},
            {"type": "custom_tool_call", "call_id": "b", "name": "run", "input": "ls"},
            {"type": "custom_tool_call_output", "call_id": "b", "output": ""},
            {"type": "function_call_output", "call_id": "a",
                "output": [{"type": "input_image", "image_url": "u"}]},
            {"type": "local_shell_call", "call_id": "a", "action": {}},
            {"type": "local_shell_call_output", "call_id": "a", "output": "{}"},
            {"type": "message", "role": "assistant", "id": "msg_1",
                "content": [{"type": "output_text", "text": "answer"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]},
        ]})
    }

    const BAD: &[Bad] = &[
        ("input[3].call_id", Rule::Form, |b| {
            strip(&mut b["input"][3], "call_id");
        }),
        ("input[3].name", Rule::Form, |b| {
            strip(&mut b["input"][3], "name");
        }),
        ("input[4].call_id", Rule::Form, |b| {
            strip(&mut b["input"][4], "call_id");
        }),
        ("input[7].call_id", Rule::Form, |b| {
            strip(&mut b["input"][7], "call_id");
        }),
        ("input[6].call_id", Rule::Form, |b| {
            strip(&mut b["input"][6], "call_id");
        }),
        ("input[8].approval_request_id", Rule::Form, |b| {
            insert(
                &mut b["input"],
                8,
                json!({"type": "mcp_approval_response", "approve": true}),
            );
        }),
        ("input[8].id", Rule::Form, |b| {
            insert(&mut b["input"], 8, json!({"type": "item_reference"}));
        }),
        ("input[7].call_id", Rule::Form, |b| {
            b["input"][7] = json!({"type": "computer_call_output", "output": {}});
        }),
        ("input[7].output", Rule::Form, |b| {
            b["input"][7] = json!({"type": "computer_call_output", "call_id": "a"});
        }),
        ("input", Rule::NoMessages, |b| b["input"] = json!([])),
        ("input", Rule::NoMessages, |b| strip(b, "input")),
        ("input", Rule::Form, |b| b["input"] = json!({})),
        ("input[0].role", Rule::Role, |b| {
            b["input"][0]["role"] = json!("tool");
        }),
        ("input[0].content", Rule::Form, |b| {
            strip(&mut b["input"][0], "content");
        }),
        ("input[9].content", Rule::Empty, |b| {
            b["input"][9]["content"] = json!([]);
        }),
        ("input[9].content[0].type", Rule::Kind, |b| {
            b["input"][9]["content"][0]["type"] = json!("output_text");
        }),
        ("input[8].content[0].type", Rule::Kind, |b| {
            b["input"][8]["content"][0]["type"] = json!("input_text");
        }),
        ("input[9].content[0].type", Rule::Form, |b| {
            strip(&mut b["input"][9]["content"][0], "type");
        }),
        ("input[9].content[0].text", Rule::Form, |b| {
            strip(&mut b["input"][9]["content"][0], "text");
        }),
        ("input[0].type", Rule::Form, |b| b["input"][0] = json!({})),
        ("input[6].type", Rule::Kind, |b| {
            b["input"][6]["type"] = json!("dream");
        }),
        ("input[2].call_id", Rule::Form, |b| {
            strip(&mut b["input"][2], "call_id");
        }),
        ("input[2].name", Rule::Form, |b| {
            strip(&mut b["input"][2], "name");
        }),
        ("input[2].arguments", Rule::Form, |b| {
            b["input"][2]["arguments"] = json!({});
        }),
        ("input[3].input", Rule::Form, |b| {
            strip(&mut b["input"][3], "input");
        }),
        ("input[5].output", Rule::Form, |b| {
            b["input"][5]["output"] = json!({"ok": true});
        }),
        ("input[7].output", Rule::Form, |b| {
            strip(&mut b["input"][7], "output");
        }),
        ("input[1].summary", Rule::Form, |b| {
            strip(&mut b["input"][1], "summary");
        }),
        ("input[1].id", Rule::Form, |b| {
            strip(&mut b["input"][1], "id");
        }),
        ("input[8]", Rule::RepeatedId, |b| {
            b["input"][8]["id"] = json!("fc_1");
        }),
        ("input[2]", Rule::OpenCall, |b| remove(&mut b["input"], 5)),
        ("input[3]", Rule::OpenCall, |b| remove(&mut b["input"], 4)),
        ("input[6]", Rule::OpenCall, |b| remove(&mut b["input"], 7)),
        ("input[4]", Rule::StrayResult, |b| {
            remove(&mut b["input"], 2);
        }),
        ("input[6]", Rule::StrayResult, |b| {
            remove(&mut b["input"], 6);
        }),
        ("input[5]", Rule::StrayResult, |b| {
            b["input"][5]["type"] = json!("custom_tool_call_output");
        }),
        ("input[6]", Rule::SecondResult, |b| {
            let again = b["input"][4].clone();
            insert(&mut b["input"], 6, again);
        }),
        ("input[0]", Rule::StrayResult, |b| {
            let output = b["input"].as_array_mut().expect("a list").remove(4);
            insert(&mut b["input"], 0, output);
        }),
        ("input[10]", Rule::ReasoningAlone, |b| {
            insert(
                &mut b["input"],
                10,
                json!({"type": "reasoning", "id": "rs_2", "summary": []}),
            );
        }),
        ("input[9]", Rule::ReasoningAlone, |b| {
            insert(
                &mut b["input"],
                9,
                json!({"type": "reasoning", "id": "rs_2", "summary": []}),
            );
        }),
        ("input[4]", Rule::ReasoningAlone, |b| {
            insert(
                &mut b["input"],
                4,
                json!({"type": "reasoning", "id": "rs_2", "summary": []}),
            );
        }),
        ("input[0]", Rule::StrayResult, |b| {
            insert(
                &mut b["input"],
                0,
                json!({"type": "mcp_approval_response",
                "approval_request_id": "mcpr_1", "approve": true}),
            );
        }),
    ];

    #[test]
    fn what_openai_refuses_is_refused() {
        refuses(WireRules::OpenAiResponses, &good(), BAD);
    }

    #[test]
    fn what_openai_takes_is_taken() {
        takes(
            WireRules::OpenAiResponses,
            &good(),
            &[
                |b| b["input"] = json!("q"),
                // The call is on the server.
                |b| {
                    b["previous_response_id"] = json!("resp_1");
                    remove(&mut b["input"], 2);
                },
                |b| *b = json!({"previous_response_id": "resp_1"}),
                |b| b["input"][2] = json!({"type": "item_reference", "id": "fc_1"}),
                // Several items of reasoning, and none with an id where it is sent along.
                |b| {
                    let more =
                        json!({"type": "reasoning", "encrypted_content": "e", "summary": []});
                    insert(&mut b["input"], 1, more);
                },
                |b| {
                    insert(
                        &mut b["input"],
                        8,
                        json!({"type": "web_search_call", "id": "ws_1"}),
                    );
                },
            ],
        );
    }
}
