use serde_json::{Value, json};

use super::super::WireCheck;
use super::super::choices::Choices;
use super::media::{PDF, PIXEL, SIGNATURE};
use super::talk::{Call, Outcome, Round, Said, Talk, shown};
use super::tools::{Again, Ids, TOOLS, are_used, arguments, as_text, schema};

pub(super) fn write(talk: &Talk, _: WireCheck, choices: &mut Choices) -> Value {
    let mut writer = Writer {
        marks: choices.below(5),
        messages: Vec::new(),
    };
    let mut body = json!({});
    if are_used(talk) || choices.one_in(3) {
        let tool = |name| {
            json!({"toolSpec": {"name": name, "description": "Does it.",
                "inputSchema": {"json": schema()}}})
        };
        let mut tools = TOOLS.map(tool).to_vec();
        writer.mark(&mut tools, 4, choices);
        body["toolConfig"] = json!({"tools": tools, "toolChoice": {"auto": {}}});
    }
    if !talk.system.is_empty() {
        let blocks = talk
            .system
            .iter()
            .map(|text| choices.extra(json!({"text": shown(text)})));
        let mut blocks: Vec<_> = blocks.collect();
        writer.mark(&mut blocks, 3, choices);
        body["system"] = blocks.into();
    }
    let again = choices.pick(&[Again::Never, Again::EveryTurn, Again::EveryRound]);
    let mut ids = Ids::new("tooluse_", again);
    for turn in &talk.turns {
        ids.turn();
        let mut said: Vec<_> = turn
            .said
            .iter()
            .map(|said| block_of(said, choices))
            .collect();
        writer.mark(&mut said, 6, choices);
        writer.say("user", said, choices);
        if let Some(again) = &turn.again {
            writer.say("user", vec![json!({"text": shown(again)})], choices);
        }
        for round in &turn.rounds {
            writer.round(round, &mut ids, choices);
        }
        if let Some(answer) = &turn.answer {
            let mut blocks = thought(answer.thought.as_deref(), choices);
            blocks.push(choices.extra(json!({"text": shown(answer.text.trim_end())})));
            writer.say("assistant", blocks, choices);
        }
    }
    body["messages"] = writer.messages.into();
    choices.maybe(
        2,
        &mut body,
        "inferenceConfig",
        json!({"maxTokens": 1_024, "temperature": 0.5, "stopSequences": []}),
    );
    choices.maybe(
        3,
        &mut body,
        "additionalModelRequestFields",
        json!({"thinking": {"type": "enabled", "budget_tokens": 1_024}}),
    );
    choices.maybe(4, &mut body, "guardrailConfig", json!(null));
    choices.extra(body)
}

fn block_of(said: &Said, choices: &mut Choices) -> Value {
    let block = match said {
        Said::Text(text) => json!({"text": shown(text)}),
        Said::Image | Said::Audio => {
            let source = choices.pick(&[
                json!({"bytes": PIXEL}),
                json!({"s3Location": {"uri": "s3://bucket/a.png"}}),
            ]);
            json!({"image": {"format": "png", "source": source}})
        }
        Said::File => json!({"document": {"format": "pdf", "name": "a", "source": {"bytes": PDF}}}),
    };
    choices.extra(block)
}

fn thought(thought: Option<&str>, choices: &mut Choices) -> Vec<Value> {
    let blocks = thought.map(|thought| {
        let content = if choices.one_in(4) {
            json!({"redactedContent": SIGNATURE})
        } else {
            json!({"reasoningText": {"text": thought, "signature": SIGNATURE}})
        };
        choices.extra(json!({"reasoningContent": content}))
    });
    blocks.into_iter().collect()
}

struct Writer {
    /// How many cache points may still be set.
    marks: usize,
    messages: Vec<Value>,
}

impl Writer {
    /// Ends a list with a cache point, one time in `times`, while there are marks.
    fn mark(&mut self, list: &mut Vec<Value>, times: usize, choices: &mut Choices) {
        if self.marks > 0 && choices.one_in(times) {
            self.marks -= 1;
            list.push(json!({"cachePoint": {"type": "default"}}));
        }
    }

    /// Adds a message, or goes on with the one before it if that is of the same role.
    fn say(&mut self, role: &str, blocks: Vec<Value>, choices: &mut Choices) {
        let last = self.messages.last_mut().filter(|last| last["role"] == role);
        match last.and_then(|last| last["content"].as_array_mut()) {
            Some(before) => before.extend(blocks),
            None => {
                let message = json!({"role": role, "content": blocks});
                self.messages.push(choices.extra(message));
            }
        }
    }

    fn round(&mut self, round: &Round, ids: &mut Ids, choices: &mut Choices) {
        let first = ids.round(round.calls.len());
        let mut blocks = thought(round.thought.as_deref(), choices);
        let says = round.says.iter();
        blocks.extend(says.map(|text| json!({"text": shown(text)})));
        for call in Call::in_order(&round.calls) {
            let id = ids.id(first + call.number);
            let call = json!({"toolUseId": id, "name": call.tool,
                "input": arguments(&call.argument)});
            blocks.push(choices.extra(json!({"toolUse": call})));
        }
        self.say("assistant", blocks, choices);
        let mut results = Vec::new();
        for call in &round.calls {
            let mut result = json!({"toolUseId": ids.id(first + call.number)});
            result["content"] = content(&call.outcome);
            let status = match call.outcome {
                Outcome::Error(_) => "error",
                _ => "success",
            };
            choices.maybe(2, &mut result, "status", json!(status));
            results.push(choices.extra(json!({"toolResult": result})));
        }
        self.mark(&mut results, 6, choices);
        self.say("user", results, choices);
    }
}

fn content(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Nothing => json!([]),
        Outcome::Json(text) => json!([{"json": {"path": text, "size": 2.5, "next": null}}]),
        Outcome::Texts(texts) => texts
            .iter()
            .map(|text| json!({"text": shown(text)}))
            .collect(),
        Outcome::Image(text) => json!([
            {"text": shown(text)},
            {"image": {"format": "png", "source": {"bytes": PIXEL}}},
        ]),
        outcome => json!([{"text": shown(&as_text(outcome))}]),
    }
}
