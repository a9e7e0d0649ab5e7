//! An agent on `async-openai` whose history outgrows the window.
//!
//! No key, no network: `cargo run -p contextfit-examples --example async_openai`

use contextfit::clients::async_openai::async_openai::error::{
    ApiError, ApiErrorResponse, OpenAIError,
};
use contextfit::clients::async_openai::async_openai::types::chat::{
    ChatChoice, ChatCompletionRequestAssistantMessageArgs, ChatCompletionRequestMessage,
    ChatCompletionRequestSystemMessage, ChatCompletionRequestToolMessageArgs,
    ChatCompletionRequestUserMessage, ChatCompletionResponseMessage, CompletionUsage,
    CreateChatCompletionRequest, CreateChatCompletionRequestArgs, CreateChatCompletionResponse,
    FinishReason, FunctionCall,
};
use contextfit::clients::async_openai::{self, AsyncOpenAi};
use contextfit::{BoxError, ContextFitLayer, ExtractiveSummarizer, FitEvent, Fitter, observer_fn};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

/// Stands for `client.chat().create(request).await`: a model with a window of 3 000 tokens, which
/// is less than the fitter is told.
async fn create(
    request: CreateChatCompletionRequest,
) -> Result<CreateChatCompletionResponse, OpenAIError> {
    let json = serde_json::to_string(&request)
        .map_err(|error| OpenAIError::InvalidArgument(error.to_string()))?;
    let prompt_tokens = u32::try_from(json.len() / 4).unwrap_or(u32::MAX);
    if prompt_tokens > 3_000 {
        return Err(too_long(prompt_tokens));
    }
    let message: ChatCompletionResponseMessage = serde_json::from_value(serde_json::json!({
        "role": "assistant",
        "content": format!("I see {} messages.", request.messages.len()),
    }))
    .map_err(|error| OpenAIError::InvalidArgument(error.to_string()))?;
    Ok(CreateChatCompletionResponse {
        model: request.model,
        choices: vec![ChatChoice {
            index: 0,
            message,
            finish_reason: Some(FinishReason::Stop),
            logprobs: None,
        }],
        usage: Some(CompletionUsage {
            prompt_tokens,
            completion_tokens: 5,
            total_tokens: prompt_tokens + 5,
            ..CompletionUsage::default()
        }),
        ..CreateChatCompletionResponse::default()
    })
}

fn too_long(tokens: u32) -> OpenAIError {
    let api_error = ApiError {
        message: format!(
            "This model's maximum context length is 3000 tokens. However, your messages resulted in {tokens} tokens."
        ),
        code: Some("context_length_exceeded".to_owned()),
        ..ApiError::default()
    };
    match 400.try_into() {
        Ok(status_code) => OpenAIError::ApiError(ApiErrorResponse {
            status_code,
            api_error,
        }),
        Err(_) => OpenAIError::InvalidArgument(api_error.message),
    }
}

/// What the agent adds in a round: a call of a tool, and its result.
fn round(number: usize) -> Result<[ChatCompletionRequestMessage; 2], OpenAIError> {
    let call = async_openai::async_openai::types::chat::ChatCompletionMessageToolCall {
        id: format!("call_{number}"),
        function: FunctionCall {
            name: "read_log".to_owned(),
            arguments: format!(r#"{{"hour":{number}}}"#),
        },
    };
    let asks = ChatCompletionRequestAssistantMessageArgs::default()
        .tool_calls(vec![call.into()])
        .build()?;
    let result = ChatCompletionRequestToolMessageArgs::default()
        .tool_call_id(format!("call_{number}"))
        .content("all quiet on deck. ".repeat(30))
        .build()?;
    Ok([asks.into(), result.into()])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let fitter = Fitter::builder()
        .window(8_000)
        .adapter(AsyncOpenAi)
        .summarizer(ExtractiveSummarizer)
        .observer(observer_fn(|event| match event {
            FitEvent::Fitted(report) => {
                let (before, after) = (report.tokens_before, report.tokens_after);
                println!("    {:?}: {before} -> {after} tokens", report.reason);
            }
            FitEvent::Overflow { .. } => println!("    the provider says: too long"),
            _ => {}
        }))
        .build()?;
    let mut service = ServiceBuilder::new()
        .layer(ContextFitLayer::new(fitter).overflow_retry(async_openai::overflow()))
        .service(service_fn(create));

    let mut history: Vec<ChatCompletionRequestMessage> = vec![
        ChatCompletionRequestSystemMessage::from("You read logs.").into(),
        ChatCompletionRequestUserMessage::from("When did the leak begin?").into(),
    ];
    for number in 0..30 {
        history.extend(round(number)?);
        let request = CreateChatCompletionRequestArgs::default()
            .model("a-model")
            .messages(history.clone())
            .build()?;
        let response = service.ready().await?.call(request).await?;
        let said = response
            .choices
            .first()
            .and_then(|choice| choice.message.content.as_deref());
        println!(
            "{number:>2}: of {:>2} {}",
            history.len(),
            said.unwrap_or_default()
        );
    }
    Ok(())
}
