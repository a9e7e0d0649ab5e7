//! The layer for the middleware of `async-openai`, below a real client of it.

use std::sync::{Arc, Mutex};

use contextfit_providers::clients::async_openai::async_openai::Client;
use contextfit_providers::clients::async_openai::async_openai::config::OpenAIConfig;
use contextfit_providers::clients::async_openai::async_openai::error::OpenAIError;
use contextfit_providers::clients::async_openai::async_openai::middleware::HttpRequestFactory;
use contextfit_providers::clients::async_openai::async_openai::types::chat::{
    CreateChatCompletionRequest, CreateChatCompletionResponse,
};
use contextfit_providers::clients::async_openai::middleware::FactoryFitLayer;
use contextfit_tower::{FitError, Fitter, HeadSummarizer, OversizedFixedPart};
use serde_json::{Value, json};
use tower::util::BoxCloneSyncService;
use tower::{ServiceBuilder, ServiceExt, service_fn};

const TOO_LONG: &str = r#"{"error":{"message":"This model's maximum context length is 900 tokens. However, your messages resulted in 4000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#;

/// The bodies that were sent, with their paths.
type Sent = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

type Stack = BoxCloneSyncService<HttpRequestFactory, reqwest::Response, OpenAIError>;

/// A client whose requests the layer sees, and a provider that answers with these bodies.
fn client(fitter: Fitter, answers: Vec<(u16, String)>) -> (Client<OpenAIConfig>, Sent) {
    let (service, sent) = stack(fitter, answers);
    let config = OpenAIConfig::new().with_api_key("none");
    (Client::with_config(config).with_http_service(service), sent)
}

fn stack(fitter: Fitter, answers: Vec<(u16, String)>) -> (Stack, Sent) {
    let sent = Sent::default();
    let answers = Arc::new(Mutex::new(answers.into_iter()));
    let provider = service_fn({
        let sent = Arc::clone(&sent);
        move |factory: HttpRequestFactory| {
            let (sent, answers) = (Arc::clone(&sent), Arc::clone(&answers));
            async move {
                let request = factory.build().await?;
                let body = request.body().and_then(|body| body.as_bytes());
                let length = request.headers().get("content-length");
                assert!(length.is_none_or(|length| {
                    length == body.unwrap_or_default().len().to_string().as_str()
                }));
                let body = body.unwrap_or_default().to_vec();
                sent.lock()
                    .expect("not poisoned")
                    .push((request.url().path().to_owned(), body));
                let (status, body) = answers
                    .lock()
                    .expect("not poisoned")
                    .next()
                    .expect("one more answer");
                let response = http::Response::builder()
                    .status(status)
                    .header("content-type", "application/json")
                    .body(body)
                    .expect("a response");
                Ok::<reqwest::Response, OpenAIError>(response.into())
            }
        }
    });
    let service = ServiceBuilder::new()
        .layer(FactoryFitLayer::new(fitter))
        .service(provider);
    (BoxCloneSyncService::new(service), sent)
}

fn fitter(window: u64) -> Fitter {
    let builder = Fitter::builder().window(window).summarizer(HeadSummarizer);
    let builder = builder.oversized_fixed_part(OversizedFixedPart::Refuse);
    builder.build().expect("it can work")
}

fn chat(turns: usize) -> CreateChatCompletionRequest {
    let turn = |turn: usize| {
        let text = format!("{turn}: {}", "word ".repeat(60));
        [
            json!({"role": "user", "content": text}),
            json!({"role": "assistant", "content": "Noted."}),
        ]
    };
    let mut messages: Vec<Value> = (0..turns).flat_map(turn).collect();
    messages.push(json!({"role": "user", "content": "And now?"}));
    let body = json!({"model": "gpt-4o", "messages": messages, "top_p": 0.5});
    serde_json::from_value(body).expect("a request")
}

fn answer(text: &str) -> (u16, String) {
    let message = json!({"role": "assistant", "content": text});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    let body = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-4o",
        "choices": [choice]});
    (200, body.to_string())
}

fn text(answer: &CreateChatCompletionResponse) -> Option<&str> {
    answer.choices[0].message.content.as_deref()
}

#[tokio::test]
async fn what_fits_is_sent_as_the_client_wrote_it() {
    let (client, sent) = client(fitter(100_000), vec![answer("Fine.")]);
    let answer = client.chat().create(chat(3)).await.unwrap();
    assert_eq!(text(&answer), Some("Fine."));
    let sent = sent.lock().unwrap();
    assert_eq!(sent[0].0, "/v1/chat/completions");
    assert_eq!(sent[0].1, serde_json::to_vec(&chat(3)).unwrap());
}

#[tokio::test]
async fn what_is_too_long_is_cut_and_the_rest_is_as_it_was() {
    let (client, sent) = client(fitter(2_000), vec![answer("Fine.")]);
    client.chat().create(chat(40)).await.unwrap();
    let sent = &sent.lock().unwrap()[0].1;
    let sent: CreateChatCompletionRequest = serde_json::from_slice(sent).unwrap();
    let mut whole = chat(40);
    assert!((2..60).contains(&sent.messages.len()));
    assert_eq!(sent.messages.last(), whole.messages.last());
    whole.messages = sent.messages.clone();
    assert_eq!(sent, whole);
}

#[tokio::test]
async fn an_overflow_is_recovered_from_once() {
    let too_long = (400, TOO_LONG.to_owned());
    let (recovering, sent) = client(fitter(100_000), vec![too_long.clone(), answer("Fine.")]);
    let reply = recovering.chat().create(chat(40)).await.unwrap();
    assert_eq!(text(&reply), Some("Fine."));
    let sizes: Vec<usize> = sent
        .lock()
        .unwrap()
        .iter()
        .map(|(_, body)| body.len())
        .collect();
    assert!(sizes.len() == 2 && sizes[1] * 3 < sizes[0], "{sizes:?}");

    // A second one is the provider's own error, for the client to read.
    let (failing, sent) = client(fitter(100_000), vec![too_long.clone(), too_long]);
    let error = failing.chat().create(chat(40)).await.unwrap_err();
    assert_eq!(sent.lock().unwrap().len(), 2);
    let OpenAIError::ApiError(error) = error else {
        panic!("{error:?}");
    };
    assert_eq!(
        error.api_error.code.as_deref(),
        Some("context_length_exceeded")
    );
}

#[tokio::test]
async fn what_is_no_conversation_goes_through() {
    let (service, sent) = stack(
        fitter(10),
        vec![(200, "{}".to_owned()), (200, "{}".to_owned())],
    );
    let client = reqwest::Client::new();
    let input = "word ".repeat(1_000);
    for request in [
        client.get("https://example.com/v1/models"),
        client
            .post("https://example.com/v1/embeddings")
            .body(input.clone()),
    ] {
        let request = request.build().unwrap();
        let factory = HttpRequestFactory::new(move || {
            let request = request.try_clone().expect("it can be cloned");
            async move { Ok(request) }
        });
        let response = service.clone().oneshot(factory).await.unwrap();
        assert_eq!(response.text().await.unwrap(), "{}");
    }
    let sent = sent.lock().unwrap();
    assert_eq!((&*sent[0].1, &*sent[1].1), (&b""[..], input.as_bytes()));
}

#[tokio::test]
async fn a_refusal_is_in_the_error_of_the_client() {
    let (client, sent) = client(fitter(1_000), Vec::new());
    let mut request = chat(1);
    let tool =
        json!({"type": "function", "function": {"name": "f", "description": "x".repeat(9_000)}});
    request.tools = serde_json::from_value(json!([tool])).unwrap();
    let error = client.chat().create(request).await.unwrap_err();
    let OpenAIError::Boxed(error) = error else {
        panic!("{error:?}");
    };
    assert!(error.downcast_ref::<FitError>().is_some(), "{error:?}");
    assert!(sent.lock().unwrap().is_empty());
}
