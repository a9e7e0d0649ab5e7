use serde_json::{Value, json};

use super::super::WireCheck;
use super::super::choices::Choices;
use super::media::{PDF, PICTURE_URL, PIXEL, SIGNATURE};
use super::talk::{Call, Outcome, Round, Said, Talk, shown};
use super::tools::{Again, Ids, TOOLS, arguments, as_text, schema};

pub(super) fn write(talk: &Talk, check: WireCheck, choices: &mut Choices) -> Value {
    // `enabled` demands that calls come with thinking, and that the user speaks last.
    let thinking = choices.pick(&["", "enabled", "adaptive"]);
    let mut writer = Writer {
        marks: choices.below(5),
        thinking,
        messages: Vec::new(),
    };
    let mut body = json!({"model": "claude-sonnet-4-5", "max_tokens": 4_096});
    if !thinking.is_empty() {
        body["thinking"] = json!({"type": thinking});
        if thinking == "enabled" {
            body["thinking"]["budget_tokens"] = json!(1_024);
        }
    }
    // Tools come before the system prompt, and that before the messages: so go the marks.
    if !talk.turns.iter().all(|turn| turn.rounds.is_empty()) || choices.one_in(3) {
        let tools = TOOLS.map(|name| {
            let tool = json!({"name": name, "description": "Does it.", "input_schema": schema()});
            writer.block(tool, 8, choices)
        });
        body["tools"] = tools.into();
    }
    if let [only] = &talk.system[..]
        && !choices.one_in(2)
    {
        body["system"] = json!(only);
    } else if !talk.system.is_empty() {
        let blocks = talk
            .system
            .iter()
            .map(|text| writer.block(json!({"type": "text", "text": shown(text)}), 3, choices));
        body["system"] = blocks.collect();
    }
    let mut ids = Ids::new("toolu_01", Again::Never);
    let last = talk.turns.len().saturating_sub(1);
    for (at, turn) in talk.turns.iter().enumerate() {
        writer.user(&turn.said, check.alternating, choices);
        if let Some(again) = &turn.again {
            writer.spoken("user", &shown(again), choices);
        }
        for round in &turn.rounds {
            writer.round(round, &mut ids, choices);
        }
        let Some(answer) = &turn.answer else { continue };
        if at < last {
            let mut blocks = Vec::new();
            writer.thought(&mut blocks, answer.thought.as_deref(), false, choices);
            if blocks.is_empty() {
                writer.spoken("assistant", &shown(&answer.text), choices);
            } else {
                let text = json!({"type": "text", "text": shown(&answer.text)});
                blocks.push(writer.block(text, 12, choices));
                writer.push("assistant", blocks, choices);
            }
        } else if thinking.is_empty() {
            // What the model is to go on from: it doesn't end in white space, and may be empty.
            let start = shown(answer.text.trim_end());
            let start = if choices.one_in(6) { "" } else { &start };
            let message = json!({"role": "assistant", "content": start});
            writer.messages.push(choices.extra(message));
        }
    }
    body["messages"] = writer.messages.into();
    choices.maybe(2, &mut body, "stream", json!(true));
    choices.maybe(3, &mut body, "temperature", json!(1.0));
    choices.maybe(3, &mut body, "metadata", json!({"user_id": null}));
    choices.maybe(3, &mut body, "stop_sequences", json!(["\n\nHuman:"]));
    choices.extra(body)
}

struct Writer {
    /// How many cache marks may still be set.
    marks: usize,
    thinking: &'static str,
    messages: Vec<Value>,
}

impl Writer {
    /// A block that may be marked, one time in `times`, while there are marks.
    fn block(&mut self, block: Value, times: usize, choices: &mut Choices) -> Value {
        let mut block = choices.extra(block);
        if self.marks > 0 && choices.one_in(times) {
            self.marks -= 1;
            block["cache_control"] = json!({"type": "ephemeral"});
        } else {
            choices.maybe(12, &mut block, "cache_control", json!(null));
        }
        block
    }

    fn push(&mut self, role: &str, content: Vec<Value>, choices: &mut Choices) {
        let message = json!({"role": role, "content": content});
        self.messages.push(choices.extra(message));
    }

    fn spoken(&mut self, role: &str, text: &str, choices: &mut Choices) {
        let content = match choices.below(3) {
            0 | 1 => json!(text),
            _ => json!([self.block(json!({"type": "text", "text": text}), 6, choices)]),
        };
        let message = json!({"role": role, "content": content});
        self.messages.push(choices.extra(message));
    }

    /// What the user says. It may stand in the message of the results before it; it has to where
    /// user and model take turns.
    fn user(&mut self, said: &[Said], alternating: bool, choices: &mut Choices) {
        let after_results = self.messages.last().is_some_and(|it| it["role"] == "user");
        let join = after_results && (alternating || choices.one_in(2));
        if let ([Said::Text(text)], false) = (said, join) {
            return self.spoken("user", &shown(text), choices);
        }
        let mut blocks = Vec::new();
        for said in said {
            let block = match said {
                Said::Text(text) => json!({"type": "text", "text": shown(text)}),
                Said::Image | Said::Audio => {
                    let source = choices.pick(&[
                        json!({"type": "base64", "media_type": "image/png", "data": PIXEL}),
                        json!({"type": "url", "url": PICTURE_URL}),
                    ]);
                    json!({"type": "image", "source": source})
                }
                Said::File => json!({"type": "document", "title": "a.pdf", "source":
                    {"type": "base64", "media_type": "application/pdf", "data": PDF}}),
            };
            blocks.push(self.block(block, 8, choices));
        }
        let before = self
            .messages
            .last_mut()
            .and_then(|it| it["content"].as_array_mut());
        match before {
            Some(before) if join => before.extend(blocks),
            _ => self.push("user", blocks, choices),
        }
    }

    fn thought(
        &mut self,
        blocks: &mut Vec<Value>,
        thought: Option<&str>,
        needed: bool,
        choices: &mut Choices,
    ) {
        let thought = thought.or(needed.then_some("Let me see."));
        let Some(thought) = thought else { return };
        let block = if choices.one_in(4) {
            json!({"type": "redacted_thinking", "data": SIGNATURE})
        } else {
            json!({"type": "thinking", "thinking": thought, "signature": SIGNATURE})
        };
        blocks.push(choices.extra(block));
    }

    fn round(&mut self, round: &Round, ids: &mut Ids, choices: &mut Choices) {
        let first = ids.round(round.calls.len());
        let mut blocks = Vec::new();
        let needed = self.thinking == "enabled";
        self.thought(&mut blocks, round.thought.as_deref(), needed, choices);
        if let Some(text) = &round.says {
            let text = json!({"type": "text", "text": shown(text)});
            blocks.push(self.block(text, 12, choices));
        }
        for call in Call::in_order(&round.calls) {
            let call = json!({"type": "tool_use", "id": ids.id(first + call.number),
                "name": call.tool, "input": arguments(&call.argument)});
            blocks.push(self.block(call, 12, choices));
        }
        self.push("assistant", blocks, choices);
        let mut results = Vec::new();
        for call in &round.calls {
            let id = ids.id(first + call.number);
            let result = self.result(&call.outcome, &id, choices);
            results.push(self.block(result, 6, choices));
        }
        self.push("user", results, choices);
    }

    fn result(&mut self, outcome: &Outcome, id: &str, choices: &mut Choices) -> Value {
        let mut result = json!({"type": "tool_result", "tool_use_id": id});
        match outcome {
            Outcome::Nothing => choices.maybe(2, &mut result, "content", json!([])),
            Outcome::Texts(texts) => {
                let texts = texts.iter().map(|text| {
                    self.block(json!({"type": "text", "text": shown(text)}), 12, choices)
                });
                result["content"] = texts.collect();
            }
            Outcome::Image(text) => {
                result["content"] = json!([
                    {"type": "text", "text": shown(text)},
                    {"type": "image", "source":
                        {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                ]);
            }
            outcome => result["content"] = json!(as_text(outcome)),
        }
        if matches!(outcome, Outcome::Error(_)) {
            result["is_error"] = json!(true);
        }
        result
    }
}
