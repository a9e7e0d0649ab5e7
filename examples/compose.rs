//! The layers in a stack as a service would have it, behind one erased type.
//!
//! `cargo run -p contextfit-examples --example compose`

use std::time::Duration;

use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit::{
    BoxError, ContextFitLayer, Fitter, ModelSpec, ModelTable, Overflow, Scope, chat_summarizer,
    classifier_fn,
};
use tower::util::BoxCloneSyncService;
use tower::{ServiceBuilder, ServiceExt, service_fn};

/// What this provider says when a request is too long.
#[derive(Debug)]
struct TooLong {
    characters: usize,
    limit: usize,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} characters, {} are allowed",
            self.characters, self.limit
        )
    }
}

impl std::error::Error for TooLong {}

/// Stands for a real client. It takes far less than the window its makers advertise.
async fn provider(request: ChatRequest) -> Result<ChatResponse, TooLong> {
    let characters = request
        .messages
        .iter()
        .map(|message| message.text().len())
        .sum();
    let limit = 20_000;
    if characters > limit {
        return Err(TooLong { characters, limit });
    }
    let reply = format!("{} read {characters} characters.", request.model);
    Ok(ChatResponse::new(
        request.model,
        ChatMessage::assistant(reply),
        "stop",
    ))
}

/// Stands for a cheaper model that writes the summaries.
async fn summarizer(request: ChatRequest) -> Result<ChatResponse, BoxError> {
    let read = request
        .messages
        .iter()
        .map(|message| message.text().len())
        .sum::<usize>();
    let reply = format!("They spoke of some more words, at length ({read} characters).");
    Ok(ChatResponse::new(
        request.model,
        ChatMessage::assistant(reply),
        "stop",
    ))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    // The summarizer is a service too, with a stack of its own.
    let summarizer = ServiceBuilder::new()
        .timeout(Duration::from_secs(30))
        .service_fn(summarizer);

    let fitter = Fitter::builder()
        .models(
            ModelTable::new()
                .model("large", ModelSpec::new(128_000))
                .model("small", ModelSpec::new(8_000)),
        )
        .summarizer(chat_summarizer(summarizer, "cheap"))
        .build()?;

    // What the provider says, in the terms of the layers: its numbers size the second attempt.
    let too_long = classifier_fn(|_, result: &Result<ChatResponse, TooLong>| {
        let TooLong { characters, limit } = result.as_ref().err()?;
        let tokens = |characters: &usize| *characters as u64 / 4;
        Some(
            Overflow::new()
                .input(tokens(characters))
                .limit(tokens(limit), Scope::Input),
        )
    });

    // From the outside in. The concurrency limit and the outer time-out count summaries too;
    // a time-out inside of the layer counts a single call of the provider.
    let stack = ServiceBuilder::new()
        .buffer(64)
        .load_shed()
        .concurrency_limit(16)
        .timeout(Duration::from_secs(120))
        .layer(ContextFitLayer::new(fitter).overflow_retry(too_long))
        .service(service_fn(provider));
    // One type that can be named, cloned and shared, whatever is inside.
    let stack: BoxCloneSyncService<ChatRequest, ChatResponse, BoxError> =
        BoxCloneSyncService::new(stack);

    for model in ["large", "small"] {
        for turns in [4, 40, 120] {
            let chat = (0..turns).map(|turn| {
                ChatMessage::user(format!("Turn {turn}: {}", "some more words. ".repeat(20)))
            });
            let response = stack.clone().oneshot(ChatRequest::new(model, chat)).await?;
            println!("{turns:>3} turns: {}", response.text());
        }
    }

    // A model that nobody told the fitter of is an error, not a guess.
    let unknown = ChatRequest::new("other", [ChatMessage::user("hi")]);
    match stack.oneshot(unknown).await {
        Ok(response) => println!("{}", response.text()),
        Err(error) => println!("refused:   {error}"),
    }
    Ok(())
}
