//! A client of HTTP requests, with all of it around: what is sent, what comes back, and what happened.
//!
//! The client is a function that stands for one: with `reqwest` it is
//! `client.execute(request.try_into()?)`, whose response converts back.

use bytes::Bytes;
use contextfit::http::{HttpFitLayer, ModelEndpoint, http_summarizer};
use contextfit::wire::WireFormat;
use contextfit::{BoxError, FitEvent, Fitter, observer_fn};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

/// The window of the provider, in tokens, at four bytes each. The caller thinks that it is larger.
const WINDOW: usize = 4_000;

/// Stands for a provider that speaks like Anthropic.
async fn provider(request: Request<Bytes>) -> Result<Response<Full<Bytes>>, http::Error> {
    let tokens = request.body().len() / 4;
    let (status, answer) = if tokens > WINDOW {
        let message = format!("prompt is too long: {tokens} tokens > {WINDOW} maximum");
        (
            400,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}}),
        )
    } else {
        let text = json!({"type": "text", "text": format!("You sent {tokens} tokens.")});
        let usage = json!({"input_tokens": tokens, "output_tokens": 7});
        (
            200,
            json!({"content": [text], "stop_reason": "end_turn", "usage": usage}),
        )
    };
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Full::from(answer.to_string()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let url = "https://api.anthropic.com/v1/messages";
    // Summaries are asked of a cheaper model, through the same client.
    let cheap =
        ModelEndpoint::new(WireFormat::AnthropicMessages, url.parse()?).model("claude-haiku-4-5");
    let fitter = Fitter::builder()
        .window(6_000)
        // It has a window of its own, within which it is asked.
        .summarizer(http_summarizer(service_fn(provider), cheap).window(3_000))
        .observer(observer_fn(|event| match event {
            FitEvent::Fitted(report) => println!(
                "  {:?}: {} -> {} tokens, {} messages summarized",
                report.reason, report.tokens_before, report.tokens_after, report.summarized
            ),
            FitEvent::Overflow { overflow, .. } => println!("  too long: {overflow:?}"),
            FitEvent::Usage { usage, .. } => println!("  it cost {} tokens", usage.input),
            other => println!("  {other:?}"),
        }))
        .build()?;
    let mut service = ServiceBuilder::new()
        .layer(HttpFitLayer::new(fitter))
        .service(service_fn(provider));

    for turns in [1, 35, 60] {
        println!("{turns} turns:");
        let body =
            json!({"model": "claude-sonnet-4-5", "max_tokens": 500, "messages": messages(turns)});
        let request = Request::post(url).body(Bytes::from(body.to_string()))?;
        let response = service.ready().await?.call(request).await?;
        println!("  status {}", response.status());
        let answer = response.into_body().collect().await?.to_bytes();
        println!(
            "  {}",
            serde_json::from_slice::<Value>(&answer)?["content"][0]["text"]
        );
    }
    Ok(())
}

fn messages(turns: usize) -> Vec<Value> {
    let turn = |turn: usize| {
        let text = format!(
            "Fact {turn}: {}",
            "The queue is drained at night. ".repeat(14)
        );
        [
            json!({"role": "user", "content": text}),
            json!({"role": "assistant", "content": "Noted."}),
        ]
    };
    let mut messages: Vec<Value> = (0..turns).flat_map(turn).collect();
    messages.push(json!({"role": "user", "content": "What is drained at night?"}));
    messages
}
