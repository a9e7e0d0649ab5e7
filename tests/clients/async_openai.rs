use contextfit_core::chat::ChatRequest;
use contextfit_core::estimate::measure;
use contextfit_core::request::RequestAdapter;
use contextfit_providers::clients::async_openai::async_openai::error::{
    ApiError, ApiErrorResponse, OpenAIError,
};
use contextfit_providers::clients::async_openai::async_openai::types::chat::{
    ChatCompletionRequestMessage, CreateChatCompletionRequest, CreateChatCompletionResponse,
};
use contextfit_providers::clients::async_openai::{AsyncOpenAi, errors, overflow};
use contextfit_providers::overflow::Boxed;
use contextfit_tests::{agent, forms, shipped_estimators, text, unique};
use contextfit_tower::{BoxError, OverflowClassifier};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::faults;
use crate::kind::{Kind, is_overflow};
use crate::laws::Client;
use crate::requests::requests;
use crate::shown::shown;

fn typed(request: &Value) -> CreateChatCompletionRequest {
    serde_json::from_value(request.clone()).expect("a request of async-openai")
}

/// Chats with `async-openai`.
#[derive(Clone, Copy)]
struct Chats;

impl Kind for Chats {
    type Adapter = AsyncOpenAi;
    type Request = CreateChatCompletionRequest;
    type Response = CreateChatCompletionResponse;
    type Error = OpenAIError;

    fn adapter() -> AsyncOpenAi {
        AsyncOpenAi
    }

    fn classifier() -> impl OverflowClassifier<Self::Response, OpenAIError> + Clone + 'static {
        overflow()
    }

    fn request(chat: &ChatRequest) -> CreateChatCompletionRequest {
        let json = serde_json::to_string(chat).expect("JSON");
        let json = json.replace(r#""custom":"#, r#""custom_tool":"#);
        serde_json::from_str(&json).expect("a request of async-openai")
    }

    /// The same as it is sent, read by the chat request of our own.
    fn chat(request: &CreateChatCompletionRequest) -> ChatRequest {
        let json = serde_json::to_string(request).expect("it can be sent");
        // The client writes another name than OpenAI reads.
        let json = json.replace(r#""custom_tool":"#, r#""custom":"#);
        serde_json::from_str(&json).expect("a chat")
    }

    fn json(request: &CreateChatCompletionRequest) -> Value {
        serde_json::to_value(request).expect("it can be sent")
    }

    fn answer() -> CreateChatCompletionResponse {
        response(100, 5, "stop")
    }

    fn too_long() -> OpenAIError {
        said(400, Some("context_length_exceeded"), "Too long.")
    }
}

fn response(prompt: u32, completion: u32, stop: &str) -> CreateChatCompletionResponse {
    let response = json!({
        "id": "r", "created": 1, "model": "m", "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": stop,
            "message": {"role": "assistant", "content": "so"}}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion,
            "total_tokens": prompt + completion},
    });
    serde_json::from_value(response).expect("a response of async-openai")
}

fn said(status: u16, code: Option<&str>, message: &str) -> OpenAIError {
    OpenAIError::ApiError(ApiErrorResponse {
        status_code: status.try_into().expect("a status"),
        api_error: ApiError {
            message: message.to_owned(),
            code: code.map(str::to_owned),
            ..ApiError::default()
        },
    })
}

fn client() -> Client<AsyncOpenAi, CreateChatCompletionRequest, ChatCompletionRequestMessage> {
    Client {
        adapter: AsyncOpenAi,
        messages: |request| request.messages.clone(),
        rest: |request| {
            let mut rest = request.clone();
            rest.messages.clear();
            Chats::json(&rest)
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_request_shows_what_the_same_request_shows_as_a_chat(request in requests()) {
        let typed = typed(&request);
        let (view, chat) = (AsyncOpenAi.view(&typed).unwrap(), Chats::chat(&typed));
        prop_assert_eq!(shown(&view), shown(&chat));
    }

    #[test]
    fn a_fit_changes_no_more_than_the_plan_says(request in requests(), share in 10..120_u64) {
        let json = |message: &_| serde_json::to_value(message).expect("JSON");
        client().a_fit_changes_no_more_than_the_plan_says(&typed(&request), share, json)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn every_estimator_counts_it_as_the_same_chat(request in requests()) {
        let typed = typed(&request);
        let (view, chat) = (AsyncOpenAi.view(&typed).unwrap(), Chats::chat(&typed));
        for (name, estimator, _) in shipped_estimators() {
            prop_assert_eq!(measure(&view, &estimator), measure(&chat, &estimator), "{}", name);
        }
    }
}

/// The forms of a chat that these types have.
fn known_forms() -> ChatRequest {
    let mut request = forms(3, 60);
    // These types want a schema in it.
    request.response_format = None;
    request.messages.retain(|message| {
        serde_json::to_value(message)
            .and_then(serde_json::from_value::<ChatCompletionRequestMessage>)
            .is_ok()
    });
    assert!(request.messages.len() > 20);
    request
}

#[tokio::test]
async fn a1_no_cut_separates_a_call_from_its_results() {
    faults::a1_no_cut_separates_a_call_from_its_results::<Chats>().await;
}

#[tokio::test]
async fn a2_what_fits_is_sent_as_it_is() {
    let requests = [agent(2, 3, 60, unique), known_forms()];
    faults::a2_what_fits_is_sent_as_it_is::<Chats>(requests.iter().map(Chats::request).collect())
        .await;
}

#[tokio::test]
async fn a3_a_user_speaks_first_whatever_is_cut() {
    faults::a3_a_user_speaks_first_whatever_is_cut::<Chats>().await;
}

#[tokio::test]
async fn a4_what_the_model_wrote_is_sent_as_it_is_or_not_at_all() {
    faults::a4_what_the_model_wrote_is_sent_as_it_is_or_not_at_all::<Chats>(&known_forms()).await;
}

#[tokio::test]
async fn a5_system_messages_stay_verbatim_and_in_place() {
    faults::a5_system_messages_stay_verbatim_and_in_place::<Chats>().await;
}

#[tokio::test]
async fn a5_a_fixed_part_that_can_never_fit_is_refused_with_its_size() {
    faults::a5_a_fixed_part_that_can_never_fit_is_refused_with_its_size::<Chats>(
        |request, tokens| {
            let tool = json!([{"type": "function", "function": {
                "name": "read", "description": text("Reads.", tokens),
            }}]);
            request.tools = Some(serde_json::from_value(tool).expect("a tool"));
        },
    )
    .await;
}

/// An error in which another is wrapped.
#[derive(Debug, thiserror::Error)]
#[error("the agent failed")]
struct Wrapped(#[source] OpenAIError);

#[tokio::test]
async fn an_error_is_recognised_by_its_code_its_status_or_its_text() {
    for (error, expected) in [
        (said(400, Some("context_length_exceeded"), "No."), true),
        // Its text alone would be a rate limit.
        (
            said(
                400,
                Some("context_length_exceeded"),
                "Reduce it. See the docs on rate limits.",
            ),
            true,
        ),
        (
            said(
                400,
                None,
                "This model's maximum context length is 8192 tokens.",
            ),
            true,
        ),
        // A phrase that says it only with a status.
        (said(400, None, "See the docs on the context window."), true),
        (
            said(500, None, "See the docs on the context window."),
            false,
        ),
        (said(400, Some("invalid_image"), "No image."), false),
        // Too many tokens for a minute.
        (
            said(
                400,
                Some("rate_limit_exceeded"),
                "Request too large: prompt is too long.",
            ),
            false,
        ),
        (OpenAIError::InvalidArgument("no messages".into()), false),
    ] {
        let told = format!("{error:?}");
        let is_one = is_overflow::<Chats, _, _>(Err(error), overflow()).await;
        assert_eq!(is_one, expected, "{told}");
    }
}

#[tokio::test]
async fn an_error_is_recognised_in_a_box_and_behind_another() {
    let error = || said(400, Some("context_length_exceeded"), "No.");
    assert!(is_overflow::<Chats, BoxError, _>(Err(error().into()), overflow::<Boxed>()).await);
    assert!(is_overflow::<Chats, _, _>(Err(Wrapped(error())), overflow()).await);
    assert!(is_overflow::<Chats, _, _>(Err(Wrapped(error())), errors()).await);
}

#[tokio::test]
async fn a_success_is_recognised_by_what_it_counted() {
    for (prompt, completion, stop, expected) in [
        (9_950, 0, "length", true),
        (10_001, 5, "stop", true),
        (9_950, 5, "length", false),
        (900, 5, "stop", false),
    ] {
        let answer = response(prompt, completion, stop);
        let is_one = is_overflow::<Chats, OpenAIError, _>(Ok(answer), overflow()).await;
        assert_eq!(is_one, expected, "{prompt} {completion} {stop}");
    }
}
