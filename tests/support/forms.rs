use contextfit_core::chat::ChatRequest;
use serde_json::{Value, json};

use super::text;

/// A chat of so many turns with every form that a message may have: content as one text, in
/// parts, empty or absent; images, sounds, files; thoughts with their signatures; calls of
/// functions, of custom tools, and in the way older than tools. Each longer text has so many
/// tokens, and no two are alike.
///
/// # Panics
///
/// It is written here in a way that isn't a chat.
#[must_use]
pub fn forms(turns: usize, tokens: usize) -> ChatRequest {
    let schema = |name: &str| json!({"name": name, "parameters": {"type": "object"}});
    let system = part("text", "text", text("The system:", tokens));
    let mut messages = vec![
        json!({"role": "system", "content": [marked(system)]}),
        json!({"role": "developer", "content": text("The developer:", tokens)}),
    ];
    messages.extend((0..turns).flat_map(|turn| forms_of_turn(turn, tokens)));
    let request = json!({
        "model": "a-model",
        "messages": messages,
        "tools": [{"type": "function", "function": schema("read")}],
        "functions": [schema("look")],
        "response_format": {"type": "json_schema", "json_schema": schema("answer")},
        "temperature": 0.5,
        "metadata": {"tenant": "a"},
    });
    serde_json::from_str(&request.to_string()).expect("a chat")
}

fn forms_of_turn(turn: usize, tokens: usize) -> [Value; 14] {
    let text = |label: &str| text(&format!("{label} {turn}:"), tokens);
    let said = |label: &str| part("text", "text", text(label));
    let (read, shell) = (format!("read_{turn}"), format!("shell_{turn}"));
    let signed = json!({
        "type": "thinking", "thinking": text("A thought"), "signature": "EqQB/+9z==",
    });
    [
        json!({"role": "user", "content": [
            said("A question with an image"),
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            {"type": "file", "file": {"file_id": "file-1"}},
        ]}),
        json!({"role": "assistant", "content": null, "reasoning_content": text("Reasoning"),
        "extra_content": {"google": {"thought_signature": "CpcB/+=="}},
        "tool_calls": [
            {"id": read, "type": "function", "function": {
                "name": "read", "arguments": json!({"path": text("A path")}).to_string(),
            }, "extra_content": {"google": {"thought_signature": "Ep0B/+=="}}},
            {"id": shell, "type": "custom", "custom": {"name": "shell", "input": "ls -l"}},
        ]}),
        json!({"role": "tool", "tool_call_id": read, "content": [
            said("A result"), said("More of a result"),
        ]}),
        json!({"role": "tool", "tool_call_id": shell, "name": "shell",
            "content": text("Another result")}),
        json!({"role": "assistant", "content": [
            signed, part("redacted_thinking", "data", format!("EmwK/{turn}+==")),
            said("A plan"),
        ]}),
        json!({"role": "user", "name": "ann", "content": [
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            part("unheard_of", "text", text("Unheard of")),
        ]}),
        json!({"role": "assistant", "content": "", "refusal": text("A refusal")}),
        marked(json!({"role": "user", "content": text("A text")})),
        json!({"role": "assistant", "content": null, "function_call": {
            "name": "look", "arguments": json!({"at": text("A place")}).to_string(),
        }}),
        json!({"role": "function", "name": "look", "content": text("What was seen")}),
        json!({"role": "assistant", "content": [], "audio": {"id": format!("audio_{turn}")}}),
        json!({"role": "user", "content": [], "id": format!("empty_{turn}")}),
        json!({"role": "assistant", "content": text("An answer")}),
        json!({"role": "user", "content": text("And a question")}),
    ]
}

fn part(kind: &str, field: &str, text: String) -> Value {
    json!({"type": kind, field: text})
}

/// Marks something for the provider's cache.
fn marked(mut something: Value) -> Value {
    something["cache_control"] = json!({"type": "ephemeral"});
    something
}
