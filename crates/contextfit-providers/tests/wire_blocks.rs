//! What holds of conversations in blocks, whatever is cut of them.

use contextfit_core::cut::{Cut, enforce};
use contextfit_core::estimate::CharEstimator;
use contextfit_core::plan::Plan;
use contextfit_core::request::EditConversation;
use contextfit_core::table::{Pins, Table};
use contextfit_providers::wire::{WireFormat, WireRequest};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A turn of the user's, and what follows it.
#[derive(Clone, Debug)]
struct Turn {
    /// How many calls each round makes.
    rounds: Vec<usize>,
    /// Whether the user adds to the results.
    adds: bool,
    /// Whether the provider's own tool runs around the first round.
    runs_code: bool,
    /// Whether an instruction comes with it.
    instructs: bool,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let turn = (prop::collection::vec(1_usize..3, 0..3), flags);
    let turn = turn.prop_map(|(rounds, (adds, runs_code, instructs))| Turn {
        rounds,
        adds,
        runs_code,
        instructs,
    });
    prop::collection::vec(turn, 1..6)
}

/// The messages of a conversation as Anthropic has them.
fn anthropic(turns: &[Turn]) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut ids = 0;
    for (number, turn) in turns.iter().enumerate() {
        messages.push(json!({"role": "user", "content": format!("user {number}")}));
        if turn.instructs {
            messages.push(json!({"role": "system", "content": format!("system {number}")}));
        }
        let code = format!("code_{number}");
        for (round, &calls) in turn.rounds.iter().enumerate() {
            let runs_code = turn.runs_code && round == 0;
            let mut says = Vec::new();
            let mut answers = Vec::new();
            if runs_code {
                says.push(json!({"type": "server_tool_use", "id": code, "name": "code_execution", "input": {}}));
            }
            for _ in 0..calls {
                ids += 1;
                let id = format!("call_{ids}");
                says.push(json!({"type": "tool_use", "id": id, "name": "f", "input": {}}));
                answers.push(json!({"type": "tool_result", "tool_use_id": id, "content": "r"}));
            }
            if turn.adds {
                answers.push(json!({"type": "text", "text": "and"}));
            }
            messages.push(json!({"role": "assistant", "content": says}));
            messages.push(json!({"role": "user", "content": answers}));
            if runs_code {
                messages.push(json!({"role": "assistant", "content": [
                    {"type": "code_execution_tool_result", "tool_use_id": code, "content": {}},
                    {"type": "text", "text": "ran"}]}));
                messages.push(json!({"role": "user", "content": "go on"}));
            }
        }
        messages.push(json!({"role": "assistant", "content": format!("assistant {number}")}));
    }
    messages.push(json!({"role": "user", "content": "last"}));
    messages
}

/// The same as Bedrock has them, where there is neither code nor instruction in the middle.
fn bedrock(turns: &[Turn]) -> Vec<Value> {
    let turns: Vec<Turn> = turns
        .iter()
        .map(|turn| Turn {
            runs_code: false,
            instructs: false,
            ..turn.clone()
        })
        .collect();
    let block = |block: &Value| match block["type"].as_str() {
        Some("tool_use") => {
            json!({"toolUse": {"toolUseId": block["id"], "name": "f", "input": {}}})
        }
        Some("tool_result") => json!({"toolResult": {
            "toolUseId": block["tool_use_id"], "content": [{"text": "r"}]}}),
        _ => json!({"text": block["text"]}),
    };
    let message = |message: Value| {
        let content = match &message["content"] {
            Value::Array(blocks) => blocks.iter().map(block).collect(),
            text => vec![json!({"text": text})],
        };
        json!({"role": message["role"], "content": content})
    };
    anthropic(&turns).into_iter().map(message).collect()
}

/// The ids in the blocks of a message, under a name at any depth.
fn ids(message: &Value, kind: &str, field: &str) -> Vec<String> {
    let blocks = message["content"].as_array().into_iter().flatten();
    let ids = blocks.filter_map(|block| {
        let block = if block["type"] == kind {
            block
        } else {
            &block[kind]
        };
        block[field].as_str().map(str::to_owned)
    });
    let mut ids: Vec<_> = ids.collect();
    ids.sort();
    ids
}

/// Cuts what the laws let go of a mask, and gives the messages on the wire.
fn cut(
    format: WireFormat,
    messages: &[Value],
    mask: &[bool],
    pins: Pins,
) -> anyhow::Result<Option<Vec<Value>>> {
    let body = json!({"messages": messages, "max_tokens": 9, "inferenceConfig": {}}).to_string();
    let mut request = WireRequest::parse(format, body)?;
    let table = Table::read(&request, &CharEstimator::default(), pins, None);
    let mut wanted = Cut::none(messages.len());
    for (index, _) in mask.iter().enumerate().filter(|(_, cut)| **cut) {
        wanted.add(index..(index + 1).min(messages.len()));
    }
    let Some(lawful) = enforce(&table, wanted) else {
        return Ok(None);
    };
    request.apply(&Plan::new(lawful, "sum".to_owned(), vec![]))?;
    let mut body: Value = serde_json::from_slice(&request.into_body())?;
    Ok(serde_json::from_value(body["messages"].take())?)
}

proptest! {
    #[test]
    fn a_valid_conversation_with_anthropic_stays_valid(
        turns in turns(),
        mask in prop::collection::vec(any::<bool>(), 0..40),
        (task, last_user) in any::<(bool, bool)>(),
    ) {
        let messages = anthropic(&turns);
        let pins = Pins { task, last_user };
        let after = cut(WireFormat::AnthropicMessages, &messages, &mask, pins);
        let after = after.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let Some(after) = after else {
            return Ok(());
        };
        prop_assert_eq!(&after[0]["role"], "user");
        let count = |messages: &[Value]| {
            messages.iter().flat_map(|message| match &message["content"] {
                Value::Array(blocks) if message["role"] == "system" => blocks.clone(),
                _ if message["role"] == "system" => vec![message.clone()],
                _ => vec![],
            }).count()
        };
        prop_assert_eq!(count(&after), count(&messages));
        let (mut open, mut code) = (Vec::new(), Vec::new());
        for (index, message) in after.iter().enumerate() {
            let role = |index: usize| after.get(index).map(|message| message["role"].as_str());
            if message["role"] == "system" {
                prop_assert_eq!(role(index - 1), Some(Some("user")), "{:?}", after);
                let next = role(index + 1);
                prop_assert!(matches!(next, None | Some(Some("assistant"))), "{:?}", after);
                continue;
            }
            prop_assert_eq!(ids(message, "tool_result", "tool_use_id"), open, "{:?}", after);
            open = ids(message, "tool_use", "id");
            code.extend(ids(message, "server_tool_use", "id"));
            for answered in ids(message, "code_execution_tool_result", "tool_use_id") {
                prop_assert_eq!(code.pop(), Some(answered), "{:?}", after);
            }
        }
        prop_assert!(open.is_empty() && code.is_empty(), "{:?}", after);
    }

    #[test]
    fn a_valid_conversation_with_bedrock_stays_valid(
        turns in turns(),
        mask in prop::collection::vec(any::<bool>(), 0..40),
        (task, last_user) in any::<(bool, bool)>(),
    ) {
        let messages = bedrock(&turns);
        let pins = Pins { task, last_user };
        let after = cut(WireFormat::BedrockConverse, &messages, &mask, pins);
        let after = after.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let Some(after) = after else {
            return Ok(());
        };
        let mut open = Vec::new();
        for (index, message) in after.iter().enumerate() {
            let role = if index % 2 == 0 { "user" } else { "assistant" };
            prop_assert_eq!(&message["role"], role, "{:?}", after);
            prop_assert!(!message["content"].as_array().is_none_or(Vec::is_empty));
            prop_assert_eq!(ids(message, "toolResult", "toolUseId"), open, "{:?}", after);
            open = ids(message, "toolUse", "toolUseId");
        }
        prop_assert!(open.is_empty(), "{:?}", after);
    }
}
