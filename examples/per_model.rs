//! Several models in one fitter, each with its own window, and a session that moves to a smaller
//! one in the middle.
//!
//! No key, no network: `cargo run -p contextfit-examples --example per_model`

use std::num::NonZeroU32;

use contextfit::budget::Window;
use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit::estimate::CharEstimator;
use contextfit::{
    BoxError, ContextFitLayer, FitError, FitEvent, Fitter, ModelSpec, ModelTable, chat_summarizer,
    observer_fn,
};
use tower::{ServiceBuilder, ServiceExt, service_fn};

/// What this program knows of the models that its sessions may name.
fn models() -> ModelTable {
    // It was made for another language than the session's: three characters to a token.
    let short_tokens = const { CharEstimator::new(NonZeroU32::new(3).expect("not zero")) };
    ModelTable::new()
        .model("large", ModelSpec::new(128_000))
        .model("small", ModelSpec::new(8_000).estimator(short_tokens))
        // Input and output share 400 000 tokens, and the input may have 272 000 of them.
        .model(
            "split",
            ModelSpec::new(Window::new(400_000).input_limit(272_000)),
        )
}

/// Says what was done to a request before it was sent.
fn tell(event: &FitEvent<'_>) {
    if let FitEvent::Fitted(report) = event {
        let model = report.model.as_deref().unwrap_or_default();
        let (before, after) = (report.tokens_before, report.tokens_after);
        println!(
            "  {model:>5}: {before} -> {after} tokens of {}, {} messages summarized, {} left out",
            report.limit, report.summarized, report.omitted
        );
    }
}

/// Stands for a provider of all these models. It counts by itself and refuses what is too long.
async fn provider(request: ChatRequest) -> Result<ChatResponse, BoxError> {
    let (characters_a_token, window) = match &*request.model {
        "large" => (4, 128_000),
        "small" => (3, 8_000),
        "mini" => (4, 16_000),
        other => return Err(format!("there is no model {other:?}").into()),
    };
    let texts = request.messages.iter().map(|message| message.text());
    let tokens = texts.map(|text| text.chars().count()).sum::<usize>() / characters_a_token;
    if tokens > window {
        return Err(format!("{tokens} tokens are more than the {window} of the model").into());
    }
    let (messages, model) = (request.messages.len(), request.model);
    println!("  {model:>5}: got {messages} messages, {tokens} tokens");
    let reply = format!("{model} read {messages} messages.");
    Ok(ChatResponse::new(
        model,
        ChatMessage::assistant(reply),
        "stop",
    ))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    // Summaries are the work of a cheap model with a small window of its own. What it can't hold it
    // isn't given: it reads the newest messages, is told how many are missing, and those count as
    // left out.
    let summarizer = chat_summarizer(service_fn(provider), "mini")
        .window(16_000)
        .max_output_tokens(1_000);

    let fitter = Fitter::builder()
        .models(models())
        .summarizer(summarizer)
        .observer(observer_fn(tell))
        .build()?;
    let stack = ServiceBuilder::new()
        .layer(ContextFitLayer::new(fitter))
        .service(service_fn(provider));

    let mut session = vec![ChatMessage::system("You are a patient reader.")];
    for chapter in 1..=40 {
        let text = "It was a dark and stormy night, and nobody slept. ".repeat(100);
        session.push(ChatMessage::user(format!("Chapter {chapter}. {text}")));
        session.push(ChatMessage::assistant(format!(
            "I have read chapter {chapter}."
        )));
    }
    session.push(ChatMessage::user("How does it end?"));

    for (model, what) in [
        ("large", "The whole session fits:"),
        ("small", "The next request names a smaller model:"),
        ("large", "The caller still has the whole session:"),
    ] {
        println!("{what}");
        let request = ChatRequest::new(model, session.clone());
        let response = stack.clone().oneshot(request).await?;
        println!("  {}", response.text());
    }

    println!("A model that isn't in the table is refused, and costs no call:");
    let unknown = ChatRequest::new("lagre", session.clone());
    match stack.clone().oneshot(unknown).await {
        Err(error) if matches!(error.downcast_ref(), Some(FitError::UnknownModel(_))) => {
            println!("  {error}");
        }
        other => return Err(format!("not refused: {other:?}").into()),
    }

    println!("Unless it is said what holds for all others:");
    let forgiving = models().otherwise(ModelSpec::new(8_000));
    let fitter = Fitter::builder().models(forgiving).build()?;
    let fitted = fitter.fit(ChatRequest::new("lagre", session)).await?;
    let report = fitted.report.ok_or("it is too long for 8 000 tokens")?;
    println!(
        "  {} messages left out: {} -> {} tokens of {}",
        report.omitted, report.tokens_before, report.tokens_after, report.limit
    );
    Ok(())
}
