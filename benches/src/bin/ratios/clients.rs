use std::hint::black_box;

use contextfit_benches::{chars, history, texts};
use contextfit_core::estimate::{CharEstimator, Family, WeightedEstimator, measure};
use contextfit_core::request::RequestAdapter;
use contextfit_providers::clients::async_openai::AsyncOpenAi;
use contextfit_providers::clients::async_openai::async_openai::types::chat::{
    ChatCompletionTools, CreateChatCompletionRequest,
};
use serde_json::json;

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{row, title};

/// In times of a count of characters.
const MEASURE: Option<Goal> = Some(Goal::AtMost(3.0));

const MESSAGES: usize = 720;
const TOKENS: usize = 200_000;
const TOOLS: usize = 20;
const ROUNDS: usize = 500;

/// A request of a client, seen through its adapter, with tools and without.
pub(crate) fn print() {
    let chat = history(MESSAGES, TOKENS);
    let texts = texts(&chat);
    let plain = typed(&chat);
    let mut equipped = plain.clone();
    equipped.tools = Some((0..TOOLS).map(tool).collect());
    let chars_of_four = CharEstimator::default();
    let weighted = WeightedEstimator::new(Family::O200k);

    let mut all = Comparison::default();
    let counting = all.add("counting its characters", None, || {
        black_box(chars(black_box(&texts)));
    });
    all.add("the same as a chat of our own", None, || {
        black_box(measure(black_box(&chat), &chars_of_four));
    });
    for (name, request) in [("measure", &plain), ("measure, with 20 tools", &equipped)] {
        all.add(name, MEASURE, || {
            if let Ok(view) = AsyncOpenAi.view(black_box(request)) {
                black_box(measure(&view, &chars_of_four));
            }
        });
    }
    all.add("measure, weighted", None, || {
        if let Ok(view) = AsyncOpenAi.view(black_box(&plain)) {
            black_box(measure(&view, &weighted));
        }
    });
    all.add("writing it as JSON", None, || {
        black_box(
            serde_json::to_string(black_box(&plain))
                .map(|json| json.len())
                .ok(),
        );
    });

    let sides = all.measure(ROUNDS);
    title("800 KB in a request of async-openai, in times of counting its characters");
    for side in &sides {
        let ratio = side.times.ratio(&sides[counting].times);
        row(&side.name, ratio, 2, side.goal);
    }
}

/// The same request, in the types of the client.
fn typed(chat: &contextfit_core::chat::ChatRequest) -> CreateChatCompletionRequest {
    let json = serde_json::to_value(chat).and_then(serde_json::from_value);
    json.expect("a chat is a request of the client")
}

/// A tool with a schema of about a kilobyte.
fn tool(number: usize) -> ChatCompletionTools {
    let field = |name: usize| {
        let text = "What it is good for, in a sentence or two that a model can use.";
        (
            format!("field_{name}"),
            json!({"type": "string", "description": text}),
        )
    };
    let fields: serde_json::Map<_, _> = (0..9).map(field).collect();
    let tool = json!({"type": "function", "function": {
        "name": format!("tool_{number}"), "description": "Does something.",
        "parameters": {"type": "object", "properties": fields},
    }});
    serde_json::from_value(tool).expect("a tool of the client")
}
