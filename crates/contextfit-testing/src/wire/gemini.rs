//! Gemini `generateContent`, by the API reference and the guides to function calling and thought
//! signatures (ai.google.dev/gemini-api/docs).

use super::node::{Findings, Node, Speaker};
use super::{Rule, WireCheck};

/// What a part may hold, of which exactly one is there: "contents[2].parts[1].data: required oneof
/// field 'data' must have one initialized field" (54xzh/FLIT#69).
const DATA: [&str; 14] = [
    "text",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "functionCall",
    "function_call",
    "functionResponse",
    "function_response",
    "executableCode",
    "executable_code",
    "codeExecutionResult",
    "code_execution_result",
    "toolCall",
];

pub(super) fn check(body: &Node<'_>, options: WireCheck, found: &mut Findings) {
    system(body, found);
    // "Unable to submit request because at least one contents field is required".
    let contents = found.messages(body, "contents");
    for content in &contents {
        form(content, found);
    }
    if let Some(first) = contents.first() {
        // A conversation starts with the user (guide to multi-turn conversations), and an answer
        // isn't what the user says: "function response turn comes immediately after a function
        // call turn" covers it below.
        found.demand(!is_model(first), &*first.place, Rule::FirstRole);
    }
    for (at, content) in contents.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &contents[before]);
        turn(content, before, contents.get(at + 1), found);
    }
    let model = body.str("model").unwrap_or("");
    if options.signed || model.contains("gemini-3") {
        signatures(&contents, found);
    }
    if options.alternating {
        let speakers: Vec<_> = contents.iter().map(speaker).collect();
        found.alternate(&speakers);
    }
}

/// Either spelling is taken: JSON of protocol buffers has both.
fn either<'a>(node: &Node<'a>, name: &str, snake: &str) -> Option<Node<'a>> {
    node.field(name).or_else(|| node.field(snake))
}

fn calls<'a>(content: &Node<'a>) -> Vec<Node<'a>> {
    let parts = content.items("parts");
    let call = |part: &Node<'a>| either(part, "functionCall", "function_call");
    parts.iter().filter_map(call).collect()
}

fn responses<'a>(content: &Node<'a>) -> Vec<Node<'a>> {
    let parts = content.items("parts");
    let response = |part: &Node<'a>| either(part, "functionResponse", "function_response");
    parts.iter().filter_map(response).collect()
}

fn is_model(content: &Node<'_>) -> bool {
    content.str("role") == Some("model")
}

/// Instructions are text: "systemInstruction: Content. Currently, text only."
fn system(body: &Node<'_>, found: &mut Findings) {
    let Some(system) = either(body, "systemInstruction", "system_instruction") else {
        return;
    };
    let parts = system.items("parts");
    found.demand(!parts.is_empty(), system.inside("parts"), Rule::Empty);
    for part in parts {
        let text = part.str("text").is_some();
        found.demand(text, part.inside("text"), Rule::Form);
    }
}

/// - "Please use a valid role: user, model." A role may be left out, and is the user's then;
///   `function` is the role of responses in older clients.
/// - "contents.parts must not be empty" (vercel/ai#3775).
/// - Calls are the model's; responses are not.
fn form(content: &Node<'_>, found: &mut Findings) {
    let role = content.str("role");
    let known = matches!(role, Some("user" | "model" | "function")) || !content.has("role");
    found.demand(known, content.inside("role"), Rule::Role);
    let parts = content.items("parts");
    found.demand(!parts.is_empty(), content.inside("parts"), Rule::Empty);
    for part in &parts {
        let held = part.names().into_iter().filter(|name| DATA.contains(name));
        let held: Vec<_> = held.collect();
        found.demand(held.len() == 1, &*part.place, Rule::Form);
        if held == ["text"] {
            let text = part.str("text").is_some();
            found.demand(text, part.inside("text"), Rule::Form);
        }
    }
    for call in calls(content) {
        found.name(&call, "name");
        found.demand(is_model(content), call.place, Rule::Kind);
    }
    for response in responses(content) {
        found.name(&response, "name");
        let object = response.field("response");
        let object = object.is_some_and(|it| it.value.is_object());
        found.demand(object, response.inside("response"), Rule::Form);
        found.demand(!is_model(content), response.place, Rule::Kind);
    }
}

/// Calls and responses are in turns next to each other.
///
/// - "Please ensure that function call turn comes immediately after a user turn or after a function
///   response turn." (google-gemini/gemini-cli#26486.)
/// - "Please ensure that function response turn comes immediately after a function call turn."
///   (lobehub/lobehub#7298.)
/// - "Please ensure that the number of function response parts is equal to the number of function
///   call parts of the function call turn." A call at the end has no response, and is refused
///   too. (google-gemini/gemini-cli#3814.)
/// - A response bears the name of its call, and its id where calls have ids (guide to function
///   calling).
///
/// Other parts may stand beside responses: clients send pictures of a result there.
fn turn(
    content: &Node<'_>,
    before: Option<&Node<'_>>,
    after: Option<&Node<'_>>,
    found: &mut Findings,
) {
    let calls_here = calls(content);
    if !calls_here.is_empty() {
        let placed = before.is_some_and(|before| !is_model(before));
        found.demand(placed, &*content.place, Rule::CallTurn);
        let answers = after.map(responses).unwrap_or_default();
        let enough = answers.len() >= calls_here.len();
        found.demand(enough, &*content.place, Rule::OpenCall);
    }
    let mut open = before.map(calls).unwrap_or_default();
    for response in responses(content) {
        let answers = |call: &Node<'_>| {
            let ids = (call.str("id"), response.str("id"));
            let same_id = match ids {
                (Some(call), Some(response)) => call == response,
                _ => true,
            };
            same_id && call.str("name") == response.str("name")
        };
        match open.iter().position(answers) {
            Some(call) => drop(open.remove(call)),
            None => found.add(response.place, Rule::StrayResult),
        }
    }
}

/// Gemini 3 wants the signature on the first call of each step of the current turn, which is what
/// comes after the last thing the user said. Of parallel calls only the first has one; earlier
/// turns aren't checked. "Function call is missing a thought_signature in functionCall parts."
/// (Guide to thought signatures.)
fn signatures(contents: &[Node<'_>], found: &mut Findings) {
    let said = |content: &Node<'_>| !is_model(content) && responses(content).is_empty();
    let current = contents.iter().rposition(said).unwrap_or(0);
    for content in &contents[current..] {
        let parts = content.items("parts");
        let mut calling = parts
            .iter()
            .filter(|part| either(part, "functionCall", "function_call").is_some());
        let Some(part) = calling.next() else { continue };
        let signature = either(part, "thoughtSignature", "thought_signature");
        let kept = signature
            .and_then(|it| it.value.as_str())
            .is_some_and(|it| !it.is_empty());
        found.demand(kept, &*part.place, Rule::Signature);
    }
}

/// A turn of responses belongs to the turn of the model: it isn't one of the user's.
fn speaker(content: &Node<'_>) -> (String, Option<Speaker>) {
    let speaker = if is_model(content) {
        calls(content).is_empty().then_some(Speaker::Model)
    } else {
        responses(content).is_empty().then_some(Speaker::User)
    };
    (content.place.clone(), speaker)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::{Bad, insert, refuses, remove, strip, takes};
    use super::super::{Rule, WireCheck, WireRules};

    fn good() -> Value {
        json!({"model": "models/gemini-3-pro", "systemInstruction": {"parts": [{"text": "s"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "q"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "old", "args": {}}}]},
            {"role": "function", "parts": [{"functionResponse": {"name": "old", "response": {}}}]},
            {"role": "model", "parts": [{"text": "answer"}]},
            {"parts": [{"text": "q"}, {"inlineData": {}}]},
            {"role": "model", "parts": [
                {"text": "hm", "thought": true},
                {"functionCall": {"name": "read", "id": "1"}, "thoughtSignature": "x"},
                {"functionCall": {"name": "run", "id": "2"}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "run", "id": "2", "response": {}}},
                {"functionResponse": {"name": "read", "id": "1", "response": {}}},
            ]},
            {"role": "model", "parts": [
                {"function_call": {"name": "read"}, "thought_signature": "x"},
            ]},
            {"role": "user", "parts": [
                {"function_response": {"name": "read", "response": {}}},
            ]},
        ]})
    }

    const BAD: &[Bad] = &[
        ("contents", Rule::NoMessages, |b| b["contents"] = json!([])),
        ("contents", Rule::Form, |b| {
            b["contents"] = json!({"parts": []});
        }),
        ("systemInstruction.parts", Rule::Empty, |b| {
            b["systemInstruction"]["parts"] = json!([]);
        }),
        ("systemInstruction.parts[0].text", Rule::Form, |b| {
            b["systemInstruction"]["parts"][0] = json!({"inlineData": {}});
        }),
        ("contents[0].role", Rule::Role, |b| {
            b["contents"][0]["role"] = json!("assistant");
        }),
        ("contents[0]", Rule::FirstRole, |b| {
            remove(&mut b["contents"], 0);
        }),
        ("contents[0].parts", Rule::Empty, |b| {
            b["contents"][0]["parts"] = json!([]);
        }),
        ("contents[0].parts[0]", Rule::Form, |b| {
            b["contents"][0]["parts"][0] = json!({});
        }),
        ("contents[4].parts[1]", Rule::Form, |b| {
            b["contents"][4]["parts"][1]["text"] = json!("t");
        }),
        ("contents[0].parts[0].text", Rule::Form, |b| {
            b["contents"][0]["parts"][0]["text"] = json!(1);
        }),
        ("contents[1].parts[0].functionCall.name", Rule::Form, |b| {
            strip(&mut b["contents"][1]["parts"][0]["functionCall"], "name");
        }),
        (
            "contents[2].parts[0].functionResponse.response",
            Rule::Form,
            |b| {
                b["contents"][2]["parts"][0]["functionResponse"]["response"] = json!("done");
            },
        ),
        (
            "contents[2].parts[0].functionResponse.name",
            Rule::Form,
            |b| {
                strip(
                    &mut b["contents"][2]["parts"][0]["functionResponse"],
                    "name",
                );
            },
        ),
        ("contents[1].parts[0].functionCall", Rule::Kind, |b| {
            b["contents"][1]["role"] = json!("user");
        }),
        ("contents[2].parts[0].functionResponse", Rule::Kind, |b| {
            b["contents"][2]["role"] = json!("model");
        }),
        ("contents[6]", Rule::CallTurn, |b| {
            insert(
                &mut b["contents"],
                5,
                json!({"role": "model", "parts": [{"text": "t"}]}),
            );
        }),
        ("contents[0]", Rule::CallTurn, |b| {
            remove(&mut b["contents"], 0);
        }),
        ("contents[5]", Rule::OpenCall, |b| {
            remove(&mut b["contents"][6]["parts"], 0);
        }),
        ("contents[5]", Rule::OpenCall, |b| {
            insert(
                &mut b["contents"],
                6,
                json!({"role": "user", "parts": [{"text": "t"}]}),
            );
        }),
        ("contents[7]", Rule::OpenCall, |b| {
            remove(&mut b["contents"], 8);
        }),
        (
            "contents[6].parts[0].functionResponse",
            Rule::StrayResult,
            |b| {
                remove(&mut b["contents"][5]["parts"], 2);
            },
        ),
        (
            "contents[6].parts[0].functionResponse",
            Rule::StrayResult,
            |b| {
                b["contents"][6]["parts"][0]["functionResponse"]["name"] = json!("other");
            },
        ),
        (
            "contents[6].parts[0].functionResponse",
            Rule::StrayResult,
            |b| {
                b["contents"][6]["parts"][0]["functionResponse"]["id"] = json!("3");
            },
        ),
        (
            "contents[5].parts[0].functionResponse",
            Rule::StrayResult,
            |b| {
                remove(&mut b["contents"], 5);
            },
        ),
        ("contents[5].parts[1]", Rule::Signature, |b| {
            strip(&mut b["contents"][5]["parts"][1], "thoughtSignature");
        }),
        ("contents[7].parts[0]", Rule::Signature, |b| {
            b["contents"][7]["parts"][0]["thought_signature"] = json!("");
        }),
    ];

    #[test]
    fn what_gemini_refuses_is_refused() {
        refuses(WireRules::Gemini, &good(), BAD);
    }

    #[test]
    fn what_gemini_takes_is_taken() {
        takes(
            WireRules::Gemini,
            &good(),
            &[
                |b| {
                    insert(
                        &mut b["contents"],
                        0,
                        json!({"role": "user", "parts": [{"text": "q"}]}),
                    );
                },
                |b| {
                    insert(
                        &mut b["contents"],
                        9,
                        json!({"role": "model", "parts": [{"text": ""}]}),
                    );
                },
                // Signatures of an earlier turn, and of an earlier model.
                |b| insert(&mut b["contents"], 9, json!({"parts": [{"text": "and?"}]})),
                |b| {
                    b["model"] = json!("models/gemini-2.5-pro");
                    strip(&mut b["contents"][5]["parts"][1], "thoughtSignature");
                },
            ],
        );
    }

    #[test]
    fn more_is_demanded_where_it_is_asked_for() {
        let check = WireCheck::from(WireRules::Gemini).alternating().signed();
        refuses(
            check,
            &good(),
            &[
                ("contents[1]", Rule::Alternation, |b| {
                    insert(
                        &mut b["contents"],
                        0,
                        json!({"role": "user", "parts": [{"text": "q"}]}),
                    );
                }),
                ("contents[5].parts[1]", Rule::Signature, |b| {
                    strip(b, "model");
                    strip(&mut b["contents"][5]["parts"][1], "thoughtSignature");
                }),
            ],
        );
    }
}
