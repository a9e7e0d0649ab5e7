//! What breaks a body of each format.

use serde_json::{Value, json};

use super::WireRules;
use super::breaks::{Break, drop_one, edit, made, put_after, put_first, repeat, swap, within};

pub(super) fn breaks_of(rules: WireRules) -> Vec<(&'static str, Break)> {
    match rules {
        WireRules::OpenAiChat => openai_chat(),
        WireRules::OpenAiResponses => openai_responses(),
        WireRules::AnthropicMessages => anthropic_messages(),
        WireRules::Gemini => gemini(),
        WireRules::BedrockConverse => bedrock_converse(),
        WireRules::OllamaChat => ollama_chat(),
    }
}

fn is(role: &'static str) -> impl Fn(&Value) -> bool + Clone {
    move |message| message["role"] == role
}

fn calls(message: &Value) -> bool {
    message["tool_calls"].is_array()
}

fn has_parts(message: &Value) -> bool {
    message["content"].is_array()
}

fn unset(object: &mut Value, name: &str) {
    object.as_object_mut().expect("an object").remove(name);
}

fn openai_chat() -> Vec<(&'static str, Break)> {
    let says = json!({"role": "user", "content": "Wait."});
    vec![
        ("a call is dropped", drop_one("messages", calls)),
        ("a result is dropped", drop_one("messages", is("tool"))),
        (
            "one of the calls is dropped",
            within("messages", "tool_calls", Value::is_object, |calls, at| {
                drop(calls.remove(at));
            }),
        ),
        (
            "a call is there twice",
            within("messages", "tool_calls", Value::is_object, |calls, at| {
                calls.push(calls[at].clone());
            }),
        ),
        ("a result is there twice", repeat("messages", is("tool"))),
        ("a call comes after its result", swap("messages", calls)),
        (
            "somebody speaks before the result",
            put_after("messages", calls, says),
        ),
        (
            "a result answers nobody",
            edit("messages", is("tool"), |it, _| {
                it["tool_call_id"] = json!("call_none");
            }),
        ),
        (
            "a result names no call",
            edit("messages", is("tool"), |it, _| unset(it, "tool_call_id")),
        ),
        (
            "a call without a name",
            edit("messages", calls, |it, _| {
                it["tool_calls"][0] = json!({"id": "call_0", "type": "function", "function": {}});
            }),
        ),
        (
            "a stray result at the start",
            put_first(
                "messages",
                json!({"role": "tool", "tool_call_id": "call_0", "content": ""}),
            ),
        ),
        (
            "no content",
            edit("messages", is("user"), |it, _| unset(it, "content")),
        ),
        (
            "content is null",
            edit("messages", is("user"), |it, _| it["content"] = json!(null)),
        ),
        (
            "an empty list of parts",
            edit("messages", has_parts, |it, _| it["content"] = json!([])),
        ),
        (
            "a part of no kind",
            edit("messages", has_parts, |it, _| {
                it["content"][0]["type"] = json!("smell");
            }),
        ),
        (
            "a picture by the system",
            edit("messages", is("system"), |it, _| {
                it["content"] = json!([{"type": "image_url", "image_url": {"url": "u"}}]);
            }),
        ),
        (
            "an empty list of calls",
            edit("messages", is("assistant"), |it, _| {
                it["tool_calls"] = json!([]);
            }),
        ),
    ]
}

fn of_type(kinds: &'static [&'static str]) -> impl Fn(&Value) -> bool + Clone {
    move |item| {
        item["type"]
            .as_str()
            .is_some_and(|kind| kinds.contains(&kind))
    }
}

const CALLS: &[&str] = &[
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "computer_call",
];
const OUTPUTS: &[&str] = &[
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "computer_call_output",
];

fn openai_responses() -> Vec<(&'static str, Break)> {
    let thought = json!({"type": "reasoning", "id": "rs_more", "summary": []});
    let later = thought.clone();
    vec![
        ("a call is dropped", drop_one("input", of_type(CALLS))),
        ("an output is dropped", drop_one("input", of_type(OUTPUTS))),
        (
            "an output is there twice",
            repeat("input", of_type(OUTPUTS)),
        ),
        ("a call is there twice", repeat("input", of_type(CALLS))),
        (
            "an output of another kind",
            edit("input", of_type(&["function_call_output"]), |it, _| {
                it["type"] = json!("custom_tool_call_output");
            }),
        ),
        (
            "an output answers nobody",
            edit("input", of_type(OUTPUTS), |it, _| {
                it["call_id"] = json!("call_none");
            }),
        ),
        (
            "an output comes first",
            made(|body, choices| {
                let Some(items) = body["input"].as_array_mut() else {
                    return false;
                };
                let outputs = items
                    .iter()
                    .enumerate()
                    .filter(|(_, it)| of_type(OUTPUTS)(it));
                let outputs: Vec<_> = outputs.map(|(at, _)| at).collect();
                if outputs.is_empty() {
                    return false;
                }
                let output = items.remove(choices.pick(&outputs));
                items.insert(0, output);
                true
            }),
        ),
        (
            "reasoning at the end",
            made(move |body, _| {
                let Some(items) = body["input"].as_array_mut() else {
                    return false;
                };
                items.push(thought.clone());
                true
            }),
        ),
        (
            "reasoning before the user",
            made(move |body, _| {
                let Some(items) = body["input"].as_array_mut() else {
                    return false;
                };
                let Some(at) = items.iter().position(|it| it["role"] == "user") else {
                    return false;
                };
                items.insert(at, later.clone());
                true
            }),
        ),
        (
            "what followed reasoning is dropped",
            made(|body, _| {
                let Some(items) = body["input"].as_array_mut() else {
                    return false;
                };
                let Some(at) = items.iter().position(of_type(&["reasoning"])) else {
                    return false;
                };
                let end = items[at..].iter().position(|it| it["role"] == "user");
                let end = end.map_or(items.len(), |end| at + end);
                items.drain(at + 1..end);
                true
            }),
        ),
        (
            "an id is there twice",
            made(|body, _| {
                let Some(items) = body["input"].as_array_mut() else {
                    return false;
                };
                let Some(id) = items.iter().find_map(|it| it["id"].as_str()) else {
                    return false;
                };
                let again =
                    json!({"type": "message", "role": "assistant", "id": id, "content": "a"});
                items.push(again);
                true
            }),
        ),
        (
            "an item of no kind",
            edit("input", |_| true, |it, _| it["type"] = json!("dream")),
        ),
        (
            "no summary",
            edit("input", of_type(&["reasoning"]), |it, _| {
                unset(it, "summary");
            }),
        ),
        (
            "no arguments",
            edit("input", of_type(&["function_call"]), |it, _| {
                unset(it, "arguments");
            }),
        ),
        (
            "no call id",
            edit("input", of_type(&["function_call"]), |it, _| {
                unset(it, "call_id");
            }),
        ),
        (
            "no output",
            edit("input", of_type(OUTPUTS), |it, _| unset(it, "output")),
        ),
        (
            "an empty list of parts",
            edit("input", has_parts, |it, _| it["content"] = json!([])),
        ),
        (
            "the model speaks as the user does",
            edit("input", is("assistant"), |it, _| {
                it["content"] = json!([{"type": "input_text", "text": "a"}]);
            }),
        ),
    ]
}

fn a(kind: &'static str) -> impl Fn(&Value) -> bool {
    let of_kind = move |block: &Value| block["type"] == kind;
    move |message| {
        let blocks = message["content"].as_array();
        blocks.is_some_and(|blocks| blocks.iter().any(of_kind))
    }
}

fn is_call(block: &Value) -> bool {
    block["type"] == "tool_use"
}

fn is_result(block: &Value) -> bool {
    block["type"] == "tool_result"
}

fn is_text(block: &Value) -> bool {
    block["type"] == "text"
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking"
}

fn anthropic_messages() -> Vec<(&'static str, Break)> {
    let list = "messages";
    let says = json!({"role": "user", "content": "Wait."});
    let model = json!({"role": "assistant", "content": "Hello."});
    vec![
        (
            "a call is dropped",
            within(list, "content", is_call, |it, at| drop(it.remove(at))),
        ),
        (
            "a result is dropped",
            within(list, "content", is_result, |it, at| drop(it.remove(at))),
        ),
        (
            "a message of calls is dropped",
            drop_one(list, a("tool_use")),
        ),
        (
            "a message of results is dropped",
            drop_one(list, a("tool_result")),
        ),
        (
            "a result is there twice",
            within(list, "content", is_result, |it, at| {
                it.insert(at, it[at].clone());
            }),
        ),
        (
            "a call is there twice",
            within(list, "content", is_call, |it, at| {
                it.insert(at, it[at].clone());
            }),
        ),
        ("results come before calls", swap(list, a("tool_use"))),
        (
            "somebody speaks before the results",
            put_after(list, a("tool_use"), says),
        ),
        (
            "text comes before a result",
            within(list, "content", is_result, |it, at| {
                it.insert(at, json!({"type": "text", "text": "Here:"}));
            }),
        ),
        (
            "text comes after a call",
            within(list, "content", is_call, |it, at| {
                it.insert(at + 1, json!({"type": "text", "text": "So."}));
            }),
        ),
        ("the model speaks first", put_first(list, model)),
        (
            "a message of the system",
            put_first(list, json!({"role": "system", "content": "s"})),
        ),
        (
            "a signature is dropped",
            within(list, "content", is_thinking, |it, at| {
                unset(&mut it[at], "signature");
            }),
        ),
        (
            "a signature is empty",
            within(list, "content", is_thinking, |it, at| {
                it[at]["signature"] = json!("");
            }),
        ),
        (
            "thinking comes last",
            within(list, "content", is_thinking, |it, at| {
                let thought = it.remove(at);
                it.push(thought);
            }),
        ),
        (
            "thinking comes second",
            within(list, "content", is_thinking, |it, at| {
                it.insert(at, json!({"type": "text", "text": "Hm."}));
            }),
        ),
        (
            "a call without the thinking before it",
            made(|body, _| {
                let enabled = body["thinking"]["type"] == "enabled";
                let Some(last) = body["messages"].as_array_mut().and_then(|messages| {
                    messages
                        .iter_mut()
                        .rev()
                        .find(|it| it["role"] == "assistant")
                }) else {
                    return false;
                };
                if !enabled || !a("tool_use")(last) {
                    return false;
                }
                last["content"]
                    .as_array_mut()
                    .expect("blocks")
                    .retain(|block| {
                        !matches!(
                            block["type"].as_str(),
                            Some("thinking" | "redacted_thinking")
                        )
                    });
                true
            }),
        ),
        (
            "empty text",
            within(list, "content", is_text, |it, at| {
                it[at]["text"] = json!("");
            }),
        ),
        (
            "blank text",
            within(list, "content", is_text, |it, at| {
                it[at]["text"] = json!(" \n");
            }),
        ),
        (
            "an empty string",
            edit(list, is("user"), |it, _| it["content"] = json!("")),
        ),
        (
            "no blocks",
            edit(list, is("user"), |it, _| it["content"] = json!([])),
        ),
        (
            "a block of no kind",
            edit(list, has_parts, |it, _| {
                it["content"][0]["type"] = json!("smell");
            }),
        ),
        (
            "five marks",
            made(|body, _| {
                let mark = json!({"type": "ephemeral"});
                let block = json!({"type": "text", "text": "s", "cache_control": mark});
                body["system"] = json!([block, block, block, block, block]);
                true
            }),
        ),
        (
            "a mark on thinking",
            within(list, "content", is_thinking, |it, at| {
                it[at]["cache_control"] = json!({"type": "ephemeral"});
            }),
        ),
        (
            "an hour after five minutes",
            made(|body, _| {
                let block = |ttl| {
                    json!({"type": "text", "text": "s",
                    "cache_control": {"type": "ephemeral", "ttl": ttl}})
                };
                body["system"] = json!([block("5m"), block("1h")]);
                true
            }),
        ),
        (
            "white space at the end",
            put_last(json!({"role": "assistant", "content": "The "})),
        ),
        (
            "no output limit",
            made(|body, _| {
                unset(body, "max_tokens");
                true
            }),
        ),
        (
            "less output than may be thought",
            made(|body, _| {
                body["thinking"] = json!({"type": "enabled", "budget_tokens": 4_096});
                true
            }),
        ),
    ]
}

fn put_last(message: Value) -> Break {
    made(move |body, _| {
        let messages = body["messages"].as_array_mut().expect("messages");
        messages.push(message.clone());
        true
    })
}

fn part(camel: &str, snake: &str, part: &Value) -> bool {
    part[camel].is_object() || part[snake].is_object()
}

fn gemini_call(one: &Value) -> bool {
    part("functionCall", "function_call", one)
}

fn gemini_response(one: &Value) -> bool {
    part("functionResponse", "function_response", one)
}

fn with(which: fn(&Value) -> bool) -> impl Fn(&Value) -> bool + Clone {
    move |content| {
        let lists = [&content["parts"], &content["content"]];
        let mut items = lists.into_iter().filter_map(Value::as_array).flatten();
        items.any(which)
    }
}

fn gemini() -> Vec<(&'static str, Break)> {
    let list = "contents";
    let says = json!({"role": "user", "parts": [{"text": "Wait."}]});
    let model = json!({"role": "model", "parts": [{"text": "Hello."}]});
    let before = model.clone();
    vec![
        (
            "a call is dropped",
            within(list, "parts", gemini_call, |it, at| drop(it.remove(at))),
        ),
        (
            "a response is dropped",
            within(list, "parts", gemini_response, |it, at| drop(it.remove(at))),
        ),
        (
            "a turn of calls is dropped",
            drop_one(list, with(gemini_call)),
        ),
        (
            "a turn of responses is dropped",
            drop_one(list, with(gemini_response)),
        ),
        (
            "a call is there twice",
            within(list, "parts", gemini_call, |it, at| it.push(it[at].clone())),
        ),
        (
            "a response is there twice",
            within(list, "parts", gemini_response, |it, at| {
                it.push(it[at].clone());
            }),
        ),
        ("responses come before calls", swap(list, with(gemini_call))),
        (
            "somebody speaks before the responses",
            put_after(list, with(gemini_call), says),
        ),
        (
            "the model speaks before it calls",
            made(move |body, _| {
                let contents = body["contents"].as_array_mut().expect("contents");
                let Some(at) = contents.iter().position(with(gemini_call)) else {
                    return false;
                };
                contents.insert(at, before.clone());
                true
            }),
        ),
        ("the model speaks first", put_first(list, model)),
        (
            "a response by another name",
            within(list, "parts", gemini_response, |it, at| {
                let part = it[at].as_object_mut().expect("a part");
                for (name, value) in part.iter_mut() {
                    if name.starts_with("function") {
                        value["name"] = json!("another");
                    }
                }
            }),
        ),
        (
            "a response by the model",
            edit(list, with(gemini_response), |it, _| {
                it["role"] = json!("model");
            }),
        ),
        (
            "no parts",
            edit(list, |_| true, |it, _| it["parts"] = json!([])),
        ),
        (
            "a part without data",
            edit(list, |_| true, |it, _| it["parts"][0] = json!({})),
        ),
        (
            "a part with two data",
            edit(
                list,
                |_| true,
                |it, _| {
                    it["parts"][0] = json!({"text": "a", "inlineData": {}});
                },
            ),
        ),
        (
            "the signature of the current turn is dropped",
            made(|body, _| {
                let contents = body["contents"].as_array_mut().expect("contents");
                let said = |it: &Value| it["role"] != "model" && !with(gemini_response)(it);
                let current = contents.iter().rposition(said).unwrap_or(0);
                let Some(step) = contents[current..]
                    .iter_mut()
                    .find(|it| with(gemini_call)(it))
                else {
                    return false;
                };
                for part in step["parts"].as_array_mut().expect("parts") {
                    unset(part, "thoughtSignature");
                    unset(part, "thought_signature");
                }
                true
            }),
        ),
    ]
}

fn bedrock_call(block: &Value) -> bool {
    block["toolUse"].is_object()
}

fn bedrock_result(block: &Value) -> bool {
    block["toolResult"].is_object()
}

fn bedrock_text(block: &Value) -> bool {
    block["text"].is_string()
}

fn bedrock_thought(block: &Value) -> bool {
    block["reasoningContent"]["reasoningText"].is_object()
}

fn bedrock_converse() -> Vec<(&'static str, Break)> {
    let list = "messages";
    let says = json!({"role": "user", "content": [{"text": "Wait."}]});
    let model = json!({"role": "assistant", "content": [{"text": "Hello."}]});
    vec![
        (
            "a call is dropped",
            within(list, "content", bedrock_call, |it, at| drop(it.remove(at))),
        ),
        (
            "a result is dropped",
            within(list, "content", bedrock_result, |it, at| {
                drop(it.remove(at));
            }),
        ),
        (
            "a message of calls is dropped",
            drop_one(list, with(bedrock_call)),
        ),
        (
            "a message of results is dropped",
            drop_one(list, with(bedrock_result)),
        ),
        (
            "a call is there twice",
            within(list, "content", bedrock_call, |it, at| {
                it.push(it[at].clone());
            }),
        ),
        (
            "a result is there twice",
            within(list, "content", bedrock_result, |it, at| {
                it.push(it[at].clone());
            }),
        ),
        ("two messages change places", swap(list, |_| true)),
        (
            "somebody speaks before the results",
            put_after(list, with(bedrock_call), says),
        ),
        ("a message is there twice", repeat(list, |_| true)),
        ("the model speaks first", put_first(list, model)),
        (
            "a message of the system",
            put_first(list, json!({"role": "system", "content": [{"text": "s"}]})),
        ),
        (
            "blank text",
            within(list, "content", bedrock_text, |it, at| {
                it[at]["text"] = json!("\t");
            }),
        ),
        (
            "no blocks",
            edit(list, |_| true, |it, _| it["content"] = json!([])),
        ),
        (
            "a string",
            edit(list, |_| true, |it, _| it["content"] = json!("Hello.")),
        ),
        (
            "a block of two kinds",
            within(list, "content", bedrock_text, |it, at| {
                it[at]["image"] = json!({});
            }),
        ),
        (
            "a signature is dropped",
            within(list, "content", bedrock_thought, |it, at| {
                unset(
                    &mut it[at]["reasoningContent"]["reasoningText"],
                    "signature",
                );
            }),
        ),
        (
            "five cache points",
            made(|body, _| {
                let point = json!({"cachePoint": {"type": "default"}});
                body["system"] = json!([{"text": "s"}, point, point, point, point, point]);
                true
            }),
        ),
        (
            "no tools",
            made(|body, _| {
                let messages = body["messages"].as_array().expect("messages");
                let used = messages.iter().any(with(bedrock_call));
                unset(body, if used { "toolConfig" } else { "" });
                used
            }),
        ),
    ]
}

fn ollama_chat() -> Vec<(&'static str, Break)> {
    let list = "messages";
    let says = json!({"role": "user", "content": "Wait."});
    vec![
        ("calls are dropped", drop_one(list, calls)),
        ("results come before calls", swap(list, calls)),
        ("a result is there twice", repeat(list, is("tool"))),
        (
            "a result of no tool",
            edit(list, is("tool"), |it, _| {
                it["tool_name"] = json!("another");
            }),
        ),
        (
            "somebody speaks before the results",
            put_after(list, calls, says),
        ),
        (
            "a stray result at the start",
            put_first(list, json!({"role": "tool", "content": ""})),
        ),
        (
            "parts",
            edit(list, is("user"), |it, _| {
                it["content"] = json!([{"type": "text", "text": "a"}]);
            }),
        ),
        (
            "nothing",
            edit(list, is("user"), |it, _| *it = json!({"role": "user"})),
        ),
        (
            "arguments in a string",
            edit(list, calls, |it, _| {
                it["tool_calls"][0]["function"]["arguments"] = json!("{}");
            }),
        ),
        (
            "a picture that is an object",
            edit(list, is("user"), |it, _| {
                it["images"] = json!([{"url": "u"}]);
            }),
        ),
    ]
}
