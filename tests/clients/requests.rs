//! Random chat requests, as JSON that `async-openai` can read: every role, and every kind of part.

use contextfit_testing::strategies::{huge_texts, texts};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// An image of one pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// The header of a sound with 1 000 bytes a second.
pub(crate) const WAV: &str = "UklGRgAAAABXQVZFZm10IBAAAAABAAEA6AMAAOgDAAABAAgAZGF0YQAAAAA=";

pub(crate) fn requests() -> impl Strategy<Value = Value> {
    let instructions = vec(instructions(), 0..3);
    let turns = vec(turns(), 1..5).prop_map(|turns| turns.concat());
    (instructions, turns, others()).prop_map(|(instructions, turns, others)| {
        let mut request = others;
        request.insert("messages".into(), [instructions, turns].concat().into());
        Value::Object(request)
    })
}

/// All but the messages.
fn others() -> impl Strategy<Value = Map<String, Value>> {
    let format = prop_oneof![
        Just(json!({"type": "text"})),
        Just(json!({"type": "json_object"})),
        texts().prop_map(|text| json!({"type": "json_schema", "json_schema": {
            "name": "answer", "schema": {"type": "object", "description": text}, "strict": true,
        }})),
    ];
    let tool = prop_oneof![
        texts().prop_map(|text| json!({"type": "function", "function": {
            "name": "read", "description": text, "parameters": {"z": 1, "a": [null, 0.5]},
        }})),
        texts().prop_map(|text| json!({"type": "custom", "custom": {
            "name": "shell", "description": text, "format": {"type": "text"},
        }})),
    ];
    let function = texts().prop_map(
        |text| json!({"name": "look", "description": text, "parameters": {"type": "object"}}),
    );
    (
        prop_oneof![Just(""), Just("a-model")],
        of(vec(tool, 0..3)),
        of(vec(function, 0..2)),
        of(format),
        of(1_u32..100),
        of(1_u32..100),
        any::<bool>(),
    )
        .prop_map(|(model, tools, functions, format, newer, older, rest)| {
            let fields = json!({
                "model": model, "tools": tools, "functions": functions, "response_format": format,
                "max_completion_tokens": newer, "max_tokens": older,
                "temperature": rest.then_some(0.5), "seed": rest.then_some(7),
                "stop": rest.then_some(["END"]), "user": rest.then_some("ann"),
                "metadata": rest.then(|| json!({"tenant": "a"})),
                "tool_choice": rest.then_some("auto"), "stream": rest.then_some(true),
            });
            without_nulls(fields)
        })
}

fn instructions() -> impl Strategy<Value = Value> {
    let role = prop_oneof![Just("system"), Just("developer")];
    let content = prop_oneof![texts().prop_map(Value::from), text_parts()];
    (role, content, names()).prop_map(|(role, content, name)| {
        without_nulls(json!({"role": role, "content": content, "name": name})).into()
    })
}

/// A message of the user, what the model and its tools make of it, and an answer or none.
fn turns() -> impl Strategy<Value = Vec<Value>> {
    let rounds = vec(prop_oneof![4 => rounds(), 1 => old_rounds()], 0..3);
    (users(), rounds, weighted(0.8, answers())).prop_map(|(user, rounds, answer)| {
        [vec![user], rounds.concat(), answer.into_iter().collect()].concat()
    })
}

fn users() -> impl Strategy<Value = Value> {
    let url = prop_oneof![
        Just("https://example.org/a.png".to_owned()),
        Just(format!("data:image/png;base64,{PNG}")),
        Just("data:image/png;base64,!".to_owned()),
        Just("data:application/pdf;base64,AAAA".to_owned()),
        Just(String::new()),
    ];
    let detail = of(prop_oneof![
        Just("auto"),
        Just("low"),
        Just("high"),
        Just("original")
    ]);
    let image = (url, detail).prop_map(|(url, detail)| {
        let image = without_nulls(json!({"url": url, "detail": detail}));
        json!({"type": "image_url", "image_url": image})
    });
    let sound = prop_oneof![Just((WAV, "wav")), Just(("SUQzBAAA", "mp3")), Just(("", "mp3"))]
        .prop_map(|(data, format)| {
            json!({"type": "input_audio", "input_audio": {"data": data, "format": format}})
        });
    let file = prop_oneof![
        Just(json!({"file_id": "file-1"})),
        Just(json!({"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAAAAAA"})),
        Just(json!({"filename": "a.txt", "file_data": "no data"})),
        Just(json!({})),
    ]
    .prop_map(|file| json!({"type": "file", "file": file}));
    let part = prop_oneof![3 => text_part(), 1 => image, 1 => sound, 1 => file];
    let content = prop_oneof![
        4 => texts().prop_map(Value::from),
        1 => huge_texts().prop_map(Value::from),
        4 => vec(part, 0..4).prop_map(Value::from),
    ];
    (content, names()).prop_map(|(content, name)| {
        without_nulls(json!({"role": "user", "content": content, "name": name})).into()
    })
}

fn answers() -> impl Strategy<Value = Value> {
    let part = prop_oneof![
        text_part(),
        texts().prop_map(|text| json!({"type": "refusal", "refusal": text})),
    ];
    let content = of(prop_oneof![
        texts().prop_map(Value::from),
        vec(part, 0..3).prop_map(Value::from)
    ]);
    let audio = weighted(0.2, Just(json!({"id": "audio_1"})));
    (content, weighted(0.2, texts()), names(), audio).prop_map(|(content, refusal, name, audio)| {
        let rest = json!({"role": "assistant", "refusal": refusal, "name": name, "audio": audio});
        let mut answer = without_nulls(rest);
        answer.insert("content".into(), content.into());
        answer.into()
    })
}

/// Calls, with their results in any order.
fn rounds() -> impl Strategy<Value = Vec<Value>> {
    let content = prop_oneof![
        3 => texts().prop_map(Value::from),
        1 => huge_texts().prop_map(Value::from),
        2 => text_parts(),
    ];
    let results = vec((any::<bool>(), texts(), content), 1..4)
        .prop_map(|calls| calls.into_iter().enumerate().collect::<Vec<_>>())
        .prop_shuffle();
    (of(texts()), results, 0..1_000_u32).prop_map(|(says, results, round)| {
        let id = |call: usize| format!("call_{round}_{call}");
        let mut calls: Vec<_> = results.iter().collect();
        calls.sort_by_key(|(call, _)| *call);
        let calls: Vec<_> = calls
            .into_iter()
            .map(|(call, (custom, input, _))| match custom {
                true => json!({"id": id(*call), "type": "custom",
                    "custom_tool": {"name": "shell", "input": input}}),
                false => json!({"id": id(*call), "type": "function",
                    "function": {"name": "read", "arguments": json!({"path": input}).to_string()}}),
            })
            .collect();
        let asks = json!({"role": "assistant", "content": says, "tool_calls": calls});
        let results = results.into_iter().map(
            |(call, (_, _, content))| json!({"role": "tool", "tool_call_id": id(call), "content": content}),
        );
        [asks].into_iter().chain(results).collect()
    })
}

/// The way older than tools.
fn old_rounds() -> impl Strategy<Value = Vec<Value>> {
    (texts(), of(texts())).prop_map(|(input, result)| {
        let call = json!({"name": "look", "arguments": input});
        vec![
            json!({"role": "assistant", "content": null, "function_call": call}),
            json!({"role": "function", "name": "look", "content": result}),
        ]
    })
}

fn names() -> impl Strategy<Value = Option<&'static str>> {
    weighted(0.2, prop_oneof![Just(""), Just("ann")])
}

fn text_parts() -> impl Strategy<Value = Value> {
    vec(text_part(), 0..3).prop_map(Value::from)
}

fn text_part() -> impl Strategy<Value = Value> {
    let text = prop_oneof![8 => texts(), 1 => huge_texts()];
    (text, any::<bool>()).prop_map(|(text, marked)| {
        let mark = marked.then(|| json!({"mode": "explicit"}));
        without_nulls(json!({"type": "text", "text": text, "prompt_cache_breakpoint": mark})).into()
    })
}

fn without_nulls(fields: Value) -> Map<String, Value> {
    match fields {
        Value::Object(fields) => fields.into_iter().filter(|(_, it)| !it.is_null()).collect(),
        other => panic!("an object, not {other}"),
    }
}
