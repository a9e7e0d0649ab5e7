use serde_json::{Value, json};

use super::super::WireCheck;
use super::super::choices::Choices;
use super::media::{PDF, PICTURE_URL, SIGNATURE, SOUND, pixel_url};
use super::talk::{Call, Outcome, Round, Said, Talk};
use super::tools::{Again, Ids, TOOLS, are_used, arguments, as_text, schema};

pub(super) fn write(talk: &Talk, _: WireCheck, choices: &mut Choices) -> Value {
    let mut items = Items(Vec::new());
    let again = choices.pick(&[Again::Never, Again::EveryTurn, Again::EveryRound]);
    let mut ids = Ids::new("call_", again);
    let mut body = json!({"model": "gpt-5"});
    for (at, system) in talk.system.iter().enumerate() {
        if at == 0 && !choices.one_in(2) {
            body["instructions"] = json!(system);
        } else {
            let role = choices.pick(&["developer", "system"]);
            items.spoken(role, system, choices);
        }
    }
    for turn in &talk.turns {
        ids.turn();
        if let Some(note) = &turn.note {
            items.spoken("developer", note, choices);
        }
        items.user(&turn.said, choices);
        if let Some(again) = &turn.again {
            items.spoken("user", again, choices);
        }
        for round in &turn.rounds {
            items.round(round, &mut ids, choices);
        }
        if let Some(answer) = &turn.answer {
            items.thought(answer.thought.as_deref(), choices);
            if choices.one_in(5) {
                items.push(
                    json!({"type": "web_search_call", "status": "completed",
                    "action": {"type": "search", "query": "ports"}}),
                    "ws",
                    choices,
                );
            }
            items.answer(&answer.text, choices);
        }
    }
    body["input"] = match &items.0[..] {
        [only] if only["role"] == "user" && only["content"].is_string() && choices.one_in(3) => {
            only["content"].clone()
        }
        _ => items.0.into(),
    };
    if are_used(talk) || choices.one_in(3) {
        let tool = |name| json!({"type": "function", "name": name, "strict": null, "parameters": schema()});
        body["tools"] = TOOLS.map(tool).into();
    }
    choices.maybe(2, &mut body, "max_output_tokens", json!(2_048));
    choices.maybe(2, &mut body, "stream", json!(true));
    choices.maybe(3, &mut body, "store", json!(false));
    choices.maybe(
        3,
        &mut body,
        "reasoning",
        json!({"effort": "low", "summary": null}),
    );
    choices.maybe(
        3,
        &mut body,
        "include",
        json!(["reasoning.encrypted_content"]),
    );
    choices.maybe(4, &mut body, "previous_response_id", json!(null));
    choices.maybe(
        4,
        &mut body,
        "text",
        json!({"format": {"type": "json_schema",
        "name": "reply", "schema": schema()}}),
    );
    choices.extra(body)
}

struct Items(Vec<Value>);

impl Items {
    /// Adds an item, with an id of its own where clients send one.
    fn push(&mut self, mut item: Value, prefix: &str, choices: &mut Choices) {
        if prefix == "rs" || choices.one_in(2) {
            item["id"] = json!(format!("{prefix}_{:08x}", self.0.len()));
        }
        choices.maybe(5, &mut item, "status", json!("completed"));
        self.0.push(choices.extra(item));
    }

    fn spoken(&mut self, role: &str, text: &str, choices: &mut Choices) {
        let content = match choices.below(2) {
            0 => json!(text),
            _ => json!([choices.extra(json!({"type": "input_text", "text": text}))]),
        };
        let mut item = json!({"role": role, "content": content});
        choices.maybe(2, &mut item, "type", json!("message"));
        self.0.push(choices.extra(item));
    }

    fn user(&mut self, said: &[Said], choices: &mut Choices) {
        if let [Said::Text(text)] = said {
            return self.spoken("user", text, choices);
        }
        let parts = said.iter().map(|said| {
            let part = match said {
                Said::Text(text) => json!({"type": "input_text", "text": text}),
                Said::Image => {
                    let url = choices.pick(&[pixel_url(), PICTURE_URL.to_owned()]);
                    json!({"type": "input_image", "image_url": url, "detail": "auto"})
                }
                Said::File => json!({"type": "input_file", "filename": "a.pdf",
                    "file_data": format!("data:application/pdf;base64,{PDF}")}),
                Said::Audio => json!({"type": "input_audio",
                    "input_audio": {"data": SOUND, "format": "wav"}}),
            };
            choices.extra(part)
        });
        let content: Vec<_> = parts.collect();
        self.0
            .push(choices.extra(json!({"type": "message", "role": "user", "content": content})));
    }

    /// Reasoning, of which there may be two items in a row.
    fn thought(&mut self, thought: Option<&str>, choices: &mut Choices) {
        let Some(thought) = thought else { return };
        for _ in 0..1 + usize::from(choices.one_in(6)) {
            let mut item = json!({"type": "reasoning", "summary": []});
            if choices.one_in(2) {
                item["summary"] = json!([{"type": "summary_text", "text": thought}]);
            }
            choices.maybe(2, &mut item, "encrypted_content", json!(SIGNATURE));
            choices.maybe(4, &mut item, "content", json!(null));
            self.push(item, "rs", choices);
        }
    }

    fn answer(&mut self, text: &str, choices: &mut Choices) {
        if choices.one_in(3) {
            let item = json!({"role": "assistant", "content": text});
            return self.0.push(choices.extra(item));
        }
        let part = json!({"type": "output_text", "text": text, "annotations": []});
        let item = json!({"type": "message", "role": "assistant",
            "content": [choices.extra(part)]});
        self.push(item, "msg", choices);
    }

    /// Calls may be interleaved with what answers them, as clients write them that run one tool
    /// after the other.
    fn round(&mut self, round: &Round, ids: &mut Ids, choices: &mut Choices) {
        self.thought(round.thought.as_deref(), choices);
        if let Some(text) = &round.says {
            self.answer(text, choices);
        }
        let first = ids.round(round.calls.len());
        let kinds: Vec<_> = Call::in_order(&round.calls)
            .iter()
            .map(|call| match call.tool {
                "run_command" => choices.pick(&[
                    "function_call",
                    "custom_tool_call",
                    "local_shell_call",
                    "computer_call",
                ]),
                _ => "function_call",
            })
            .collect();
        let interleaved = choices.one_in(4);
        for call in Call::in_order(&round.calls) {
            let id = ids.id(first + call.number);
            self.call(call, kinds[call.number], &id, choices);
            if interleaved {
                self.output(call, kinds[call.number], &id, choices);
            }
        }
        if !interleaved {
            for call in &round.calls {
                let id = ids.id(first + call.number);
                self.output(call, kinds[call.number], &id, choices);
            }
        }
    }

    fn call(&mut self, call: &Call, kind: &str, id: &str, choices: &mut Choices) {
        let mut item = json!({"type": kind, "call_id": id});
        match kind {
            "function_call" => {
                item["name"] = json!(call.tool);
                item["arguments"] = json!(arguments(&call.argument).to_string());
            }
            "custom_tool_call" => {
                item["name"] = json!(call.tool);
                item["input"] = json!(call.argument);
            }
            "local_shell_call" => {
                item["status"] = json!("completed");
                item["action"] = json!({"type": "exec", "command": ["cat", call.argument],
                    "env": {}, "timeout_ms": null});
            }
            _ => {
                item["action"] = json!({"type": "click", "x": 1.5, "y": 0, "button": "left"});
                item["pending_safety_checks"] = json!([]);
            }
        }
        self.push(item, "fc", choices);
    }

    fn output(&mut self, call: &Call, kind: &str, id: &str, choices: &mut Choices) {
        let mut item = json!({"type": format!("{kind}_output"), "call_id": id});
        item["output"] = match (&call.outcome, kind) {
            (_, "computer_call") => {
                json!({"type": "computer_screenshot", "image_url": pixel_url()})
            }
            (Outcome::Texts(texts), "function_call" | "custom_tool_call") => texts
                .iter()
                .map(|text| choices.extra(json!({"type": "input_text", "text": text})))
                .collect(),
            (Outcome::Image(text), "function_call" | "custom_tool_call") => json!([
                {"type": "input_text", "text": text},
                choices.extra(json!({"type": "input_image", "image_url": pixel_url()})),
            ]),
            (outcome, _) => json!(as_text(outcome)),
        };
        self.push(item, "fco", choices);
    }
}
