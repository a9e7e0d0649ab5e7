use serde_json::{Value, json};

use super::super::WireCheck;
use super::super::choices::Choices;
use super::media::PIXEL;
use super::talk::{Call, Round, Said, Talk};
use super::tools::{Again, Ids, TOOLS, are_used, arguments, as_text, schema};

pub(super) fn write(talk: &Talk, _: WireCheck, choices: &mut Choices) -> Value {
    let mut messages = Vec::new();
    for system in &talk.system {
        messages.push(choices.extra(json!({"role": "system", "content": system})));
    }
    // Older servers know no ids of calls, and none know names before 0.9.
    let naming = choices.pick(&["tool_name", "name", "tool_call_id", "nothing"]);
    let mut ids = Ids::new("call_", Again::EveryTurn);
    for turn in &talk.turns {
        ids.turn();
        if let Some(note) = &turn.note {
            messages.push(choices.extra(json!({"role": "system", "content": note})));
        }
        messages.push(user(&turn.said, choices));
        if let Some(again) = &turn.again {
            messages.push(json!({"role": "user", "content": again}));
        }
        for round in &turn.rounds {
            write_round(&mut messages, round, &mut ids, naming, choices);
        }
        if let Some(answer) = &turn.answer {
            let mut message = json!({"role": "assistant", "content": answer.text});
            if let Some(thought) = &answer.thought {
                message["thinking"] = json!(thought);
            }
            choices.maybe(5, &mut message, "tool_calls", json!(null));
            choices.maybe(5, &mut message, "images", json!(null));
            messages.push(choices.extra(message));
        }
    }
    let mut body = json!({"model": "llama3.2", "messages": messages});
    if are_used(talk) || choices.one_in(3) {
        let tool = |name| {
            json!({"type": "function",
                "function": {"name": name, "description": "Does it.", "parameters": schema()}})
        };
        body["tools"] = TOOLS.map(tool).into();
    }
    choices.maybe(2, &mut body, "stream", json!(false));
    choices.maybe(
        2,
        &mut body,
        "options",
        json!({"num_ctx": 8_192, "num_predict": 256,
        "temperature": 0.5}),
    );
    choices.maybe(3, &mut body, "think", json!(true));
    choices.maybe(3, &mut body, "keep_alive", json!("5m"));
    choices.maybe(4, &mut body, "format", schema());
    choices.extra(body)
}

/// Text is a string; whatever isn't text is a picture beside it.
fn user(said: &[Said], choices: &mut Choices) -> Value {
    let texts = said.iter().filter_map(|said| match said {
        Said::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let texts: Vec<_> = texts.collect();
    let images = said.len() - texts.len();
    let mut message = json!({"role": "user", "content": texts.join("\n")});
    if images > 0 {
        message["images"] = json!(vec![PIXEL; images]);
    }
    choices.extra(message)
}

fn write_round(
    messages: &mut Vec<Value>,
    round: &Round,
    ids: &mut Ids,
    naming: &str,
    choices: &mut Choices,
) {
    let first = ids.round(round.calls.len());
    let ordered = Call::in_order(&round.calls);
    let calls = ordered.iter().map(|call| {
        let called = json!({"name": call.tool, "arguments": arguments(&call.argument)});
        let mut written = json!({"function": choices.extra(called)});
        if naming == "tool_call_id" {
            written["id"] = json!(ids.id(first + call.number));
        }
        choices.extra(written)
    });
    let calls: Vec<_> = calls.collect();
    let says = round.says.as_deref().unwrap_or("");
    let mut message = json!({"role": "assistant", "content": says, "tool_calls": calls});
    if let Some(thought) = &round.thought {
        message["thinking"] = json!(thought);
    }
    messages.push(choices.extra(message));
    // Without names the order says which call is meant.
    let answers: Vec<_> = if naming == "nothing" {
        ordered
    } else {
        round.calls.iter().collect()
    };
    for call in answers {
        let mut result = json!({"role": "tool", "content": as_text(&call.outcome)});
        match naming {
            "tool_call_id" => result[naming] = json!(ids.id(first + call.number)),
            "nothing" => {}
            _ => result[naming] = json!(call.tool),
        }
        messages.push(choices.extra(result));
    }
}
