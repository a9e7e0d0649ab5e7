//! A conversation that outgrows its window, and never hits it.
//!
//! No key, no network: `cargo run -p contextfit-examples --example quickstart`

use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit::{BoxError, ContextFitLayer, ExtractiveSummarizer, FitEvent, Fitter, observer_fn};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    // Any service that takes requests and gives responses. This one says what it was sent.
    let provider = service_fn(|request: ChatRequest| async move {
        let reply = format!(
            "I see {} messages. {}",
            request.messages.len(),
            "Noted. ".repeat(40)
        );
        Ok::<_, BoxError>(ChatResponse::new(
            request.model,
            ChatMessage::assistant(reply),
            "stop",
        ))
    });

    // The window is all a fitter needs to know. The summarizer could be any model.
    let fitter = Fitter::builder()
        .window(4_000)
        .summarizer(ExtractiveSummarizer)
        .observer(observer_fn(|event| {
            if let FitEvent::Fitted(report) = event {
                let (before, after) = (report.tokens_before, report.tokens_after);
                let cut = report.summarized;
                println!("   compacted: {before} -> {after} tokens, {cut} messages summarized");
            }
        }))
        .build()?;

    let mut service = ServiceBuilder::new()
        .layer(ContextFitLayer::new(fitter))
        .service(provider);

    let mut chat = ChatRequest::new("a-model", [ChatMessage::system("You are a log keeper.")]);
    for hour in 0..18 {
        let entry = format!(
            "Log entry for hour {hour}: {}",
            "all quiet on deck. ".repeat(20)
        );
        chat.messages.push(ChatMessage::user(entry));
        // The whole log each time: it is compacted anew whenever it is over. An agent that wants to
        // pay once keeps what was fitted, see `Fitter::fit` and the plan in the report.
        let response = service.ready().await?.call(chat.clone()).await?;
        println!(
            "{hour:>2}: sent {:>2}. {}",
            chat.messages.len(),
            &response.text()[..18]
        );
        chat.messages.push(ChatMessage::assistant(response.text()));
    }
    Ok(())
}
