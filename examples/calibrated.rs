//! Models by their names, estimates for each, and what the counts of the provider teach: the first
//! prompt is estimated, and from the second on nearly all of it is known.
//!
//! No key, no network: `cargo run -p contextfit-examples --example calibrated`

use contextfit::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit::{
    BoxError, Calibrator, Catalogue, ChatUsageReader, ContextFitLayer, ExtractiveSummarizer,
    FitEvent, Fitter, ModelSpec, observer_fn,
};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

/// Stands for a provider with a long template, and with a tokenizer that nobody knows.
async fn provider(request: ChatRequest) -> Result<ChatResponse, BoxError> {
    let characters = |message: &ChatMessage| message.text().chars().count() as u64;
    let prompt = 1_300 + request.messages.iter().map(characters).sum::<u64>() / 3;
    let reply = ChatMessage::assistant("Noted. ".repeat(40));
    Ok(ChatResponse::new(request.model, reply, "stop").usage(prompt, 80))
}

/// Says how far off the estimate of a request was.
fn tell(event: &FitEvent<'_>) {
    if let FitEvent::Usage { sent, usage } = event {
        let (estimated, counted) = (sent.estimated, usage.input);
        let off = estimated.abs_diff(counted) * 100 / counted;
        print!("  estimated {estimated:>5}, counted {counted:>5}: {off} % off");
        match sent
            .model
            .and_then(Catalogue::entry)
            .and_then(|entry| entry.prices)
        {
            Some(prices) => println!(", for {} micro-dollars", prices.cost(usage)),
            None => println!(),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    // What the catalogue knows, and a model of one's own.
    let models = Catalogue::builtin().model("our-own", ModelSpec::new(32_000));
    let fitter = Fitter::builder()
        .models(models)
        .calibrator(Calibrator::default())
        .summarizer(ExtractiveSummarizer)
        .observer(observer_fn(tell))
        .build()?;
    let mut service = ServiceBuilder::new()
        .layer(ContextFitLayer::new(fitter.clone()).usage(ChatUsageReader))
        .service(service_fn(provider));

    for model in ["gpt-4o", "claude-sonnet-4-5", "our-own"] {
        println!("{model}");
        let mut chat = ChatRequest::new(model, [ChatMessage::user("Let us begin.")]);
        for fact in 1..=5 {
            let response = service.ready().await?.call(chat.clone()).await?;
            chat.messages
                .extend(response.choices.into_iter().map(|choice| choice.message));
            let fact = format!(
                "Fact {fact}: {}",
                "the pump was mended in June, ".repeat(30)
            );
            chat.messages.push(ChatMessage::user(fact));
        }
    }

    // A model that nobody knows is an error, not a guess.
    let unknown = ChatRequest::new("gpt-5-some-new-thing", [ChatMessage::user("Hello.")]);
    if let Err(failure) = fitter.fit(unknown).await {
        println!("{}", failure.error);
    }
    Ok(())
}
