use serde_json::{Value, json};

use super::super::WireCheck;
use super::super::choices::Choices;
use super::media::{PDF, PICTURE_URL, PIXEL, SIGNATURE, SOUND};
use super::talk::{Call, Outcome, Round, Said, Talk};
use super::tools::{Again, Ids, TOOLS, are_used, arguments, as_text, schema};

pub(super) fn write(talk: &Talk, check: WireCheck, choices: &mut Choices) -> Value {
    let mut body = json!({});
    // Some clients name the model in the body too.
    let model = choices.pick(&["", "models/gemini-2.5-flash", "models/gemini-3-pro-preview"]);
    if !model.is_empty() {
        body["model"] = json!(model);
    }
    let signed = check.signed || model.contains("gemini-3");
    let snake = choices.one_in(6);
    let name = |camel: &'static str, other: &'static str| if snake { other } else { camel };
    if !talk.system.is_empty() {
        let parts: Vec<_> = talk
            .system
            .iter()
            .map(|text| json!({"text": text}))
            .collect();
        let mut system = json!({"parts": parts});
        choices.maybe(3, &mut system, "role", json!("system"));
        body[name("systemInstruction", "system_instruction")] = choices.extra(system);
    }
    let mut writer = Writer {
        contents: Vec::new(),
        signed,
        snake,
        with_ids: choices.one_in(2),
    };
    let mut ids = Ids::new("fc-", Again::EveryTurn);
    for turn in &talk.turns {
        ids.turn();
        writer.user(&turn.said, choices);
        if let Some(again) = &turn.again {
            writer.push("user", vec![json!({"text": again})], choices);
        }
        for round in &turn.rounds {
            writer.round(round, &mut ids, choices);
        }
        if let Some(answer) = &turn.answer {
            let mut parts = writer.thought(answer.thought.as_deref());
            let mut part = json!({"text": answer.text});
            let signature = name("thoughtSignature", "thought_signature");
            choices.maybe(3, &mut part, signature, json!(SIGNATURE));
            parts.push(choices.extra(part));
            writer.push("model", parts, choices);
        }
    }
    body["contents"] = writer.contents.into();
    if are_used(talk) || choices.one_in(3) {
        let tool = |tool| json!({"name": tool, "description": "Does it.", "parameters": schema()});
        let declarations = name("functionDeclarations", "function_declarations");
        body["tools"] = json!([{declarations: TOOLS.map(tool)}]);
    }
    let config = name("generationConfig", "generation_config");
    let limit = name("maxOutputTokens", "max_output_tokens");
    choices.maybe(
        2,
        &mut body,
        config,
        json!({limit: 1_024, "temperature": 0.25,
        "responseMimeType": "application/json", "responseSchema": schema()}),
    );
    choices.maybe(4, &mut body, "safetySettings", json!([]));
    choices.maybe(4, &mut body, "cachedContent", json!(null));
    choices.extra(body)
}

struct Writer {
    contents: Vec<Value>,
    signed: bool,
    snake: bool,
    with_ids: bool,
}

impl Writer {
    fn name(&self, camel: &'static str, snake: &'static str) -> &'static str {
        if self.snake { snake } else { camel }
    }

    fn push(&mut self, role: &str, parts: Vec<Value>, choices: &mut Choices) {
        let mut content = json!({"role": role, "parts": parts});
        // Who says nothing of a role is the user.
        if role == "user" && choices.one_in(8) {
            content = json!({"parts": parts});
        }
        self.contents.push(choices.extra(content));
    }

    fn user(&mut self, said: &[Said], choices: &mut Choices) {
        let inline = self.name("inlineData", "inline_data");
        let kind = self.name("mimeType", "mime_type");
        let file = self.name("fileData", "file_data");
        let uri = self.name("fileUri", "file_uri");
        let parts = said.iter().map(|said| {
            let part = match said {
                Said::Text(text) => json!({"text": text}),
                Said::Image => choices.pick(&[
                    json!({inline: {kind: "image/png", "data": PIXEL}}),
                    json!({file: {kind: "image/png", uri: PICTURE_URL}}),
                ]),
                Said::File => json!({inline: {kind: "application/pdf", "data": PDF}}),
                Said::Audio => json!({inline: {kind: "audio/wav", "data": SOUND}}),
            };
            choices.extra(part)
        });
        let parts = parts.collect();
        self.push("user", parts, choices);
    }

    fn thought(&self, thought: Option<&str>) -> Vec<Value> {
        let thought = thought.map(|text| json!({"text": text, "thought": true}));
        thought.into_iter().collect()
    }

    fn round(&mut self, round: &Round, ids: &mut Ids, choices: &mut Choices) {
        let first = ids.round(round.calls.len());
        let mut parts = self.thought(round.thought.as_deref());
        parts.extend(round.says.iter().map(|text| json!({"text": text})));
        // Only the first of parallel calls bears a signature.
        let signed = self.signed || choices.one_in(3);
        let calls = Call::in_order(&round.calls);
        for (at, call) in calls.iter().enumerate() {
            let mut called = json!({"name": call.tool, "args": arguments(&call.argument)});
            if self.with_ids {
                called["id"] = json!(ids.id(first + call.number));
            }
            let mut part = json!({self.name("functionCall", "function_call"): called});
            if signed && at == 0 {
                part[self.name("thoughtSignature", "thought_signature")] = json!(SIGNATURE);
            }
            parts.push(choices.extra(part));
        }
        self.push("model", parts, choices);
        let answers = round.calls.iter().map(|call| {
            let mut response = json!({"name": call.tool, "response": response(&call.outcome)});
            if self.with_ids {
                response["id"] = json!(ids.id(first + call.number));
            }
            if let Outcome::Image(_) = call.outcome {
                response["parts"] =
                    json!([{"inlineData": {"mimeType": "image/png", "data": PIXEL}}]);
            }
            choices.extra(json!({self.name("functionResponse", "function_response"): response}))
        });
        let answers = answers.collect();
        let role = choices.pick(&["user", "function"]);
        self.push(role, answers, choices);
    }
}

fn response(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Json(text) => json!({"path": text, "size": 2.5, "next": null}),
        Outcome::Error(text) => json!({"error": text}),
        Outcome::Texts(texts) => json!({"output": texts}),
        Outcome::Nothing => json!({}),
        outcome => json!({"output": as_text(outcome)}),
    }
}
