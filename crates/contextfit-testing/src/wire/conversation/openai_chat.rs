use serde_json::{Value, json};

use super::super::WireCheck;
use super::super::choices::Choices;
use super::media::{PDF, PICTURE_URL, SOUND, pixel_url};
use super::talk::{Call, Outcome, Round, Said, Talk};
use super::tools::{Again, Ids, TOOLS, are_used, arguments, as_text, schema};

pub(super) fn write(talk: &Talk, _: WireCheck, choices: &mut Choices) -> Value {
    let mut messages = Vec::new();
    for system in &talk.system {
        let role = choices.pick(&["system", "developer"]);
        messages.push(spoken(role, system, choices));
    }
    let again = choices.pick(&[Again::Never, Again::EveryTurn, Again::EveryRound]);
    let mut ids = Ids::new("call_", again);
    for turn in &talk.turns {
        ids.turn();
        let note = turn.note.iter().map(|note| spoken("system", note, choices));
        messages.extend(note.collect::<Vec<_>>());
        messages.push(user(&turn.said, choices));
        if let Some(again) = &turn.again {
            messages.push(spoken("user", again, choices));
        }
        for round in &turn.rounds {
            write_round(&mut messages, round, &mut ids, choices);
        }
        if let Some(answer) = &turn.answer {
            let mut message = spoken("assistant", &answer.text, choices);
            if let Some(thought) = &answer.thought {
                // As DeepSeek, vLLM and llama.cpp have it.
                choices.maybe(2, &mut message, "reasoning_content", json!(thought));
            }
            for name in ["tool_calls", "function_call", "refusal", "audio"] {
                choices.maybe(6, &mut message, name, json!(null));
            }
            messages.push(message);
        }
    }
    let mut body = json!({"model": "gpt-5", "messages": messages});
    if are_used(talk) || choices.one_in(3) {
        let tool = |name| {
            json!({"type": "function",
                "function": {"name": name, "description": "Does it.", "parameters": schema()}})
        };
        body["tools"] = TOOLS.map(tool).into();
        choices.maybe(3, &mut body, "tool_choice", json!("auto"));
    }
    let limit = choices.pick(&["max_completion_tokens", "max_tokens"]);
    choices.maybe(2, &mut body, limit, json!(1_024));
    choices.maybe(2, &mut body, "stream", json!(true));
    choices.maybe(
        3,
        &mut body,
        "stream_options",
        json!({"include_usage": true}),
    );
    choices.maybe(3, &mut body, "temperature", json!(0.5));
    choices.maybe(
        4,
        &mut body,
        "response_format",
        json!({"type": "json_schema",
        "json_schema": {"name": "reply", "strict": true, "schema": schema()}}),
    );
    choices.maybe(4, &mut body, "stop", json!(null));
    choices.extra(body)
}

/// A message of text, as a string or in parts.
fn spoken(role: &str, text: &str, choices: &mut Choices) -> Value {
    let content = match choices.below(3) {
        0 | 1 => json!(text),
        _ => json!([choices.extra(marked(json!({"type": "text", "text": text})))]),
    };
    let mut message = json!({"role": role, "content": content});
    choices.maybe(6, &mut message, "name", json!("Ann-1"));
    choices.extra(message)
}

/// The mark that servers in front of Anthropic take.
fn marked(mut part: Value) -> Value {
    part["cache_control"] = json!({"type": "ephemeral"});
    part
}

fn user(said: &[Said], choices: &mut Choices) -> Value {
    if let ([Said::Text(text)], false) = (said, choices.one_in(2)) {
        return spoken("user", text, choices);
    }
    let parts = said.iter().map(|said| {
        let part = match said {
            Said::Text(text) => json!({"type": "text", "text": text}),
            Said::Image => {
                let url = choices.pick(&[pixel_url(), PICTURE_URL.to_owned()]);
                json!({"type": "image_url", "image_url": {"url": url, "detail": "low"}})
            }
            Said::File => json!({"type": "file",
                "file": {"filename": "a.pdf", "file_data": format!("data:application/pdf;base64,{PDF}")}}),
            Said::Audio => json!({"type": "input_audio",
                "input_audio": {"data": SOUND, "format": "wav"}}),
        };
        choices.extra(part)
    });
    let content: Vec<_> = parts.collect();
    choices.extra(json!({"role": "user", "content": content}))
}

fn write_round(messages: &mut Vec<Value>, round: &Round, ids: &mut Ids, choices: &mut Choices) {
    let first = ids.round(round.calls.len());
    let calls = Call::in_order(&round.calls);
    let calls = calls.iter().map(|call| {
        let id = ids.id(first + call.number);
        let written = if call.tool == "run_command" && choices.one_in(3) {
            json!({"id": id, "type": "custom",
                "custom": {"name": call.tool, "input": call.argument}})
        } else {
            let arguments = arguments(&call.argument).to_string();
            json!({"id": id, "type": "function",
                "function": choices.extra(json!({"name": call.tool, "arguments": arguments}))})
        };
        choices.extra(written)
    });
    let calls: Vec<_> = calls.collect();
    let mut message = json!({"role": "assistant", "tool_calls": calls});
    match &round.says {
        Some(text) => message["content"] = json!(text),
        None => choices.maybe(2, &mut message, "content", json!(null)),
    }
    if let Some(thought) = &round.thought {
        message["reasoning_content"] = json!(thought);
    }
    messages.push(choices.extra(message));
    for call in &round.calls {
        let content = match &call.outcome {
            Outcome::Texts(texts) => texts
                .iter()
                .map(|text| choices.extra(json!({"type": "text", "text": text})))
                .collect(),
            outcome => json!(as_text(outcome)),
        };
        let mut result = json!({"role": "tool", "content": content});
        result["tool_call_id"] = json!(ids.id(first + call.number));
        choices.maybe(5, &mut result, "name", json!(call.tool));
        messages.push(choices.extra(result));
    }
}
