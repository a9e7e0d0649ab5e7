//! A long chat on `genai`, with any of its providers.
//!
//! No key, no network: `cargo run -p contextfit-examples --example genai`

use contextfit::clients::genai::genai::adapter::AdapterKind;
use contextfit::clients::genai::genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponse, MessageContent, StopReason, Usage,
};
use contextfit::clients::genai::genai::{self as client, ModelIden};
use contextfit::clients::genai::{self, GenaiRequest};
use contextfit::{BoxError, ContextFitLayer, ExtractiveSummarizer, FitEvent, Fitter, observer_fn};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

/// Stands for `client.exec_chat(request.model, request.chat, request.options.as_ref()).await`.
async fn exec_chat(request: GenaiRequest) -> Result<ChatResponse, client::Error> {
    let said = format!("I see {} messages.", request.chat.messages.len());
    let model = ModelIden::new(AdapterKind::Ollama, "a-model");
    Ok(ChatResponse {
        content: MessageContent::from_text(said),
        reasoning_content: None,
        model_iden: model.clone(),
        provider_model_iden: model,
        stop_reason: Some(StopReason::Completed("stop".to_owned())),
        usage: Usage::default(),
        captured_raw_body: None,
        response_id: None,
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let fitter = Fitter::builder()
        .window(4_000)
        .summarizer(ExtractiveSummarizer)
        .observer(observer_fn(|event| {
            if let FitEvent::Fitted(report) = event {
                let (before, after) = (report.tokens_before, report.tokens_after);
                println!("    compacted: {before} -> {after} tokens");
            }
        }))
        .build()?;
    let mut service = ServiceBuilder::new()
        .layer(ContextFitLayer::new(fitter).overflow_retry(genai::overflow()))
        .service(service_fn(exec_chat));

    let mut chat = ChatRequest::from_system("You are a log keeper.");
    for hour in 0..18 {
        let entry = format!("Hour {hour}: {}", "all quiet on deck. ".repeat(60));
        chat = chat.append_message(ChatMessage::user(entry));
        let request = GenaiRequest::new("ollama::a-model", chat.clone())
            .options(ChatOptions::default().with_max_tokens(1_000));
        let response = service.ready().await?.call(request).await?;
        let said = response.first_text().unwrap_or_default().to_owned();
        println!("{hour:>2}: of {:>2} {said}", chat.messages.len());
        chat = chat.append_message(ChatMessage::assistant(said));
    }
    Ok(())
}
