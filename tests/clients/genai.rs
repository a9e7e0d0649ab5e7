use contextfit_core::chat::{self, ChatRequest, ChatRole};
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::request::{
    Conversation, Hints, Media, MediaKind, Native, Piece, RequestAdapter, Role, Switch,
};
use contextfit_providers::clients::genai::genai::adapter::AdapterKind;
use contextfit_providers::clients::genai::genai::chat::{
    Binary, BinarySource, CacheControl, ChatMessage, ChatOptions, ChatResponse, ContentPart,
    CustomPart, JsonSpec, MessageContent, StopReason, Tool, ToolCall, ToolResponse, Usage,
};
use contextfit_providers::clients::genai::genai::{self, ModelIden};
use contextfit_providers::clients::genai::{GenaiRequest, GenaiUsage, overflow};
use contextfit_providers::overflow::Boxed;
use contextfit_testing::strategies::{huge_texts, texts};
use contextfit_tests::{agent, text, unique};
use contextfit_tower::{BoxError, OverflowClassifier, Stop, UsageReader};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::faults;
use crate::kind::{Kind, Setup, estimate, is_overflow};
use crate::laws::Client;
use crate::requests::{PNG, WAV};
use crate::shown::shown;

/// Chats with `genai`.
#[derive(Clone, Copy)]
struct Chats;

impl Kind for Chats {
    type Adapter = Native;
    type Request = GenaiRequest;
    type Response = ChatResponse;
    type Error = genai::Error;

    fn adapter() -> Native {
        Native
    }

    fn classifier() -> impl OverflowClassifier<ChatResponse, genai::Error> + Clone + 'static {
        overflow()
    }

    fn request(chat: &ChatRequest) -> GenaiRequest {
        let messages = chat.messages.iter().map(message).collect();
        GenaiRequest::new(&*chat.model, genai::chat::ChatRequest::new(messages))
    }

    fn chat(request: &GenaiRequest) -> ChatRequest {
        ChatRequest::new("a-model", request.chat.messages.iter().map(chat_message))
    }

    fn json(request: &GenaiRequest) -> Value {
        json!([
            format!("{:?}", request.model),
            request.chat,
            request.options
        ])
    }

    fn answer() -> ChatResponse {
        response(Some(100), Some(5), "stop")
    }

    fn too_long() -> genai::Error {
        failed(400, "prompt is too long: 9000 tokens > 8000 maximum")
    }
}

fn message(message: &chat::ChatMessage) -> ChatMessage {
    let text = message.text();
    let mut content = MessageContent::default();
    match &message.tool_call_id {
        Some(id) => content.push(ToolResponse::new(&**id, text)),
        None => content.push(text),
    }
    for call in &*message.tool_calls {
        content.push(ToolCall {
            call_id: call.id.to_string(),
            fn_name: call.name().to_owned(),
            fn_arguments: serde_json::from_str(call.arguments()).expect("JSON"),
            thought_signatures: None,
        });
    }
    match message.role {
        ChatRole::System | ChatRole::Developer => ChatMessage::system(content),
        ChatRole::User => ChatMessage::user(content),
        ChatRole::Assistant => ChatMessage::assistant(content),
        ChatRole::Tool | ChatRole::Function => ChatMessage::tool(content),
    }
}

/// Whatever a chat of our own has no word for is told as it is written.
fn chat_message(message: &ChatMessage) -> chat::ChatMessage {
    let mut said = String::new();
    let mut written = chat::ChatMessage::user("");
    for part in &message.content {
        match part {
            ContentPart::Text(text) => said.push_str(text),
            ContentPart::ToolCall(call) => {
                let arguments = call.fn_arguments.to_string();
                written = written.call(&*call.call_id, &*call.fn_name, arguments);
            }
            ContentPart::ToolResponse(result) => {
                written.tool_call_id = Some(result.call_id.as_str().into());
                said.push_str(&result.content);
            }
            other => said.push_str(&format!("{other:?}")),
        }
    }
    written.content = Some(said.into());
    written.role = match message.role {
        genai::chat::ChatRole::System => ChatRole::System,
        genai::chat::ChatRole::User => ChatRole::User,
        genai::chat::ChatRole::Assistant => ChatRole::Assistant,
        genai::chat::ChatRole::Tool => ChatRole::Tool,
    };
    written
}

fn model() -> ModelIden {
    ModelIden::new(AdapterKind::OpenAI, "a-model")
}

fn response(prompt: Option<i32>, completion: Option<i32>, stop: &str) -> ChatResponse {
    ChatResponse {
        content: MessageContent::from_text("so"),
        reasoning_content: None,
        model_iden: model(),
        provider_model_iden: model(),
        stop_reason: Some(StopReason::from(stop.to_owned())),
        usage: Usage {
            prompt_tokens: prompt,
            completion_tokens: completion,
            ..Usage::default()
        },
        captured_raw_body: None,
        response_id: None,
    }
}

fn failed(status: u16, body: &str) -> genai::Error {
    genai::Error::WebModelCall {
        model_iden: model(),
        webc_error: genai::webc::Error::ResponseFailedStatus {
            status: status.try_into().expect("a status"),
            body: body.to_owned(),
            headers: Box::default(),
        },
    }
}

fn client() -> Client<Native, GenaiRequest, Value> {
    Client {
        adapter: Native,
        messages: |request| {
            let json = |message| serde_json::to_value(message).expect("JSON");
            request.chat.messages.iter().map(json).collect()
        },
        rest: |request| {
            let mut rest = request.clone();
            rest.chat.messages.clear();
            Chats::json(&rest)
        },
    }
}

/// Random requests, with every kind of part.
fn requests() -> impl Strategy<Value = GenaiRequest> {
    let users = vec(user_parts(), 0..4).prop_map(ChatMessage::user);
    let turn = (users, vec(rounds(), 0..3), of(vec(model_parts(), 0..3)));
    let turns = vec(turn, 1..5).prop_map(|turns| {
        let mut messages = Vec::new();
        for (user, rounds, answer) in turns {
            messages.push(user.with_options(CacheControl::Ephemeral));
            messages.extend(rounds.concat());
            messages.extend(answer.map(ChatMessage::assistant));
        }
        messages
    });
    (of(texts()), turns, of(texts()), any::<bool>()).prop_map(|(system, messages, tool, rest)| {
        let mut chat = genai::chat::ChatRequest::new(messages);
        chat.system = system;
        chat.tools = tool.map(|text| vec![Tool::new("read").with_description(text)]);
        chat.store = rest.then_some(true);
        let request = GenaiRequest::new("openai::a-model", chat);
        if !rest {
            return request;
        }
        let spec = JsonSpec::new("answer", json!({"type": "object"}));
        let options = ChatOptions::default().with_seed(7).with_max_tokens(50);
        request.options(options.with_response_format(spec))
    })
}

fn user_parts() -> impl Strategy<Value = ContentPart> {
    let binary = prop_oneof![
        Just(("image/png", BinarySource::Base64(PNG.into()))),
        Just((
            "IMAGE/PNG",
            BinarySource::Url("https://example.org/a.png".into())
        )),
        Just(("audio/wav", BinarySource::Base64(WAV.into()))),
        Just(("application/pdf", BinarySource::Base64("AAAA".into()))),
    ];
    prop_oneof![
        6 => texts().prop_map(ContentPart::Text),
        1 => huge_texts().prop_map(ContentPart::Text),
        2 => binary.prop_map(|(content_type, source)| {
            ContentPart::Binary(Binary::new(content_type, source, Some("a".into())))
        }),
    ]
}

fn model_parts() -> impl Strategy<Value = ContentPart> {
    let custom = texts().prop_map(|text| {
        let data = json!({"type": "new", "found": [text]});
        ContentPart::Custom(CustomPart {
            model_iden: None,
            data,
        })
    });
    prop_oneof![
        3 => texts().prop_map(ContentPart::Text),
        1 => texts().prop_map(ContentPart::ReasoningContent),
        1 => "[A-Za-z0-9+/]{20,60}".prop_map(ContentPart::ThoughtSignature),
        1 => custom,
    ]
}

/// Calls, with all their results in one message or each in its own.
fn rounds() -> impl Strategy<Value = Vec<ChatMessage>> {
    let result = prop_oneof![4 => texts(), 1 => huge_texts()];
    let calls = vec((texts(), result), 1..4);
    (
        vec(model_parts(), 0..3),
        calls,
        any::<(bool, bool)>(),
        0..1_000_u32,
    )
        .prop_map(|(mut parts, calls, (together, as_user), round)| {
            let id = |call: usize| format!("call_{round}_{call}");
            let mut results = Vec::new();
            for (number, (argument, result)) in calls.into_iter().enumerate() {
                parts.push(ContentPart::ToolCall(ToolCall {
                    call_id: id(number),
                    fn_name: "read".into(),
                    fn_arguments: json!({"path": argument}),
                    thought_signatures: (number == 0).then(|| vec!["c2lnbmF0dXJl".into()]),
                }));
                results.push(ToolResponse::new(id(number), result));
            }
            let write = |results: Vec<ToolResponse>| match as_user {
                true => ChatMessage::user(MessageContent::from(results)),
                false => ChatMessage::from(results),
            };
            let results = if together {
                vec![write(results)]
            } else {
                results
                    .into_iter()
                    .map(|result| write(vec![result]))
                    .collect()
            };
            [vec![ChatMessage::assistant(parts)], results].concat()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_fit_changes_no_more_than_the_plan_says(request in requests(), share in 10..120_u64) {
        client().a_fit_changes_no_more_than_the_plan_says(&request, share, Clone::clone)?;
    }

    #[test]
    fn a_chat_of_plain_messages_shows_the_same_as_ours(
        chat in contextfit_testing::strategies::conversations(),
    ) {
        let request = Chats::request(&chat);
        // What the model says beside its calls stands in a part of its own, empty or not.
        let estimator = CharEstimator::default();
        prop_assert_eq!(measure(&request, &estimator), measure(&chat, &estimator));
        for (message, of_chat) in shown(&request).messages.iter().zip(shown(&chat).messages) {
            prop_assert_eq!((message.role, &message.links), (of_chat.role, &of_chat.links));
        }
    }
}

/// What a message shows.
fn told(message: ChatMessage) -> (Role, Vec<String>) {
    let request = GenaiRequest::new("m", genai::chat::ChatRequest::new(vec![message]));
    let mut pieces = Vec::new();
    request.pieces(0, &mut |piece| pieces.push(format!("{piece:?}")));
    (request.message(0).role, pieces)
}

fn pieces<const N: usize>(pieces: [Piece<'_>; N]) -> Vec<String> {
    pieces.iter().map(|piece| format!("{piece:?}")).collect()
}

#[test]
fn every_kind_of_part_is_shown() {
    let image = Media::new(MediaKind::Image)
        .size(1, 1)
        .bytes(72)
        .label("a.png".into());
    let binary = Binary::from_base64("image/png", PNG, Some("a.png".into()));
    let call = ToolCall {
        call_id: "c".into(),
        fn_name: "f".into(),
        fn_arguments: json!({"a": 1}),
        thought_signatures: Some(vec!["own".into(), "shared".into()]),
    };
    let parts = vec![
        ContentPart::ThoughtSignature("shared".into()),
        ContentPart::ReasoningContent("hm".into()),
        ContentPart::Text("said".into()),
        ContentPart::Binary(binary),
        ContentPart::ToolCall(call),
        ContentPart::from_custom(json!({"type": "new", "found": "this"}), None),
    ];
    let expected = pieces([
        Piece::Opaque("shared".into()),
        Piece::Thinking("hm".into()),
        Piece::Text("said".into()),
        Piece::Media(image),
        Piece::ToolCall {
            id: "c".into(),
            name: "f".into(),
            arguments: r#"{"a":1}"#.into(),
        },
        // What stands in a part of its own isn't counted twice.
        Piece::Opaque("own".into()),
        Piece::Opaque("this".into()),
    ]);
    assert_eq!(
        told(ChatMessage::assistant(parts)),
        (Role::Assistant, expected)
    );
}

#[test]
fn a_message_of_results_is_of_a_tool_whoever_sends_it() {
    let result = || ToolResponse::new("c", "out").with_fn_name("f");
    let expected = pieces([Piece::ToolResult {
        call_id: "c".into(),
        name: "f".into(),
        content: "out".into(),
    }]);
    for message in [ChatMessage::tool(result()), ChatMessage::user(result())] {
        assert_eq!(told(message), (Role::Tool, expected.clone()));
    }
    let (role, _) = told(ChatMessage::user(
        MessageContent::from(result()).append("Go on."),
    ));
    assert_eq!(role, Role::User);
    assert_eq!(
        told(ChatMessage::user(MessageContent::default())).0,
        Role::User
    );
}

#[tokio::test]
async fn a_history_on_the_server_is_left_alone() {
    let mut request = Chats::request(&agent(2, 3, 60, unique));
    request.chat.previous_response_id = Some("r".into());
    let given = Chats::json(&request);
    let policy = std::sync::Arc::new(contextfit_core::cut::TopicAndRecent);
    let setup = Setup::new(estimate::<Chats>(&request) / 2, policy);
    let (_, received) = setup.send::<Chats>(request.clone()).await;
    assert_eq!(
        received.iter().map(Chats::json).collect::<Vec<_>>(),
        [given]
    );

    let hinted = Native.with_hints(|_: &GenaiRequest| Hints::default().switch(Switch::Force));
    assert_eq!(hinted.hints(&request).switch, Switch::HistoryElsewhere);
}

#[tokio::test]
async fn a1_no_cut_separates_a_call_from_its_results() {
    faults::a1_no_cut_separates_a_call_from_its_results::<Chats>().await;
}

#[tokio::test]
async fn a2_what_fits_is_sent_as_it_is() {
    let mut requests = vec![Chats::request(&agent(2, 3, 60, unique)), signed()];
    requests[0].options = Some(ChatOptions::default().with_seed(7));
    faults::a2_what_fits_is_sent_as_it_is::<Chats>(requests).await;
}

#[tokio::test]
async fn a3_a_user_speaks_first_whatever_is_cut() {
    faults::a3_a_user_speaks_first_whatever_is_cut::<Chats>().await;
}

/// An agent whose calls come with thoughts and signatures.
fn signed() -> GenaiRequest {
    let mut request = Chats::request(&agent(3, 2, 60, unique));
    for (number, message) in request.chat.messages.iter_mut().enumerate() {
        if message.content.contains_tool_call() {
            let thought = ContentPart::ReasoningContent(text(&format!("Thought {number}:"), 30));
            message.content.prepend(thought);
            let signature = ContentPart::ThoughtSignature(format!("sig{number}=="));
            message.content.prepend(signature);
        }
    }
    request
}

#[tokio::test]
async fn a4_what_the_model_wrote_is_sent_as_it_is_or_not_at_all() {
    let request = signed();
    let written = |request: &GenaiRequest| -> Vec<Value> {
        let messages = request.chat.messages.iter();
        let of_model = messages.filter(|one| one.role == genai::chat::ChatRole::Assistant);
        of_model
            .map(|one| serde_json::to_value(one).expect("JSON"))
            .collect()
    };
    let given = written(&request);
    for policy in contextfit_tests::policies(request.chat.messages.len()) {
        for window in crate::kind::windows::<Chats>(&request) {
            let (_, received) = Setup::new(window, policy.clone())
                .send::<Chats>(request.clone())
                .await;
            for sent in &received {
                let mut given = given.iter();
                assert!(
                    written(sent)
                        .iter()
                        .all(|one| given.any(|given| given == one))
                );
            }
        }
    }
}

#[tokio::test]
async fn a5_system_messages_stay_verbatim_and_in_place() {
    faults::a5_system_messages_stay_verbatim_and_in_place::<Chats>().await;
}

#[tokio::test]
async fn a5_a_fixed_part_that_can_never_fit_is_refused_with_its_size() {
    type Add = fn(&mut GenaiRequest, usize);
    let adds: [Add; 3] = [
        |request, tokens| request.chat.system = Some(text("Obey.", tokens + 4)),
        |request, tokens| {
            let tool = Tool::new("read").with_description(text("Reads.", tokens));
            request.chat.tools = Some(vec![tool]);
        },
        |request, tokens| {
            let schema = json!({"description": text("Answers.", tokens)});
            let spec = JsonSpec::new("answer", schema);
            request.options = Some(ChatOptions::default().with_response_format(spec));
        },
    ];
    for add in adds {
        faults::a5_a_fixed_part_that_can_never_fit_is_refused_with_its_size::<Chats>(add).await;
    }
}

#[tokio::test]
async fn an_error_is_recognised_by_its_status_and_its_body() {
    let generation = |cause: &str| genai::Error::ChatResponseGeneration {
        model_iden: model(),
        request_payload: Box::new(json!({"messages": "They said: prompt is too long."})),
        response_body: Box::default(),
        cause: cause.to_owned(),
    };
    let broken = |body: &str| genai::Error::HttpError {
        status: 400.try_into().expect("a status"),
        canonical_reason: "Bad Request".into(),
        body: body.to_owned(),
        headers: Box::default(),
    };
    for (error, expected) in [
        (
            failed(400, "prompt is too long: 9000 tokens > 8000 maximum"),
            true,
        ),
        (
            broken(r#"{"error":{"message":"prompt is too long"}}"#),
            true,
        ),
        // A phrase that says it only with a status.
        (failed(400, "See the docs on the context window."), true),
        (failed(500, "See the docs on the context window."), false),
        (failed(429, "prompt is too long"), false),
        // What the request says isn't what the provider says.
        (generation("no content"), false),
        (generation("prompt is too long"), true),
    ] {
        let told = format!("{error:?}");
        let is_one = is_overflow::<Chats, _, _>(Err(error), overflow()).await;
        assert_eq!(is_one, expected, "{told}");
    }
    let boxed: BoxError = failed(400, "prompt is too long").into();
    assert!(is_overflow::<Chats, BoxError, _>(Err(boxed), overflow::<Boxed>()).await);
}

#[tokio::test]
async fn a_success_is_recognised_by_its_stop_reason_and_its_usage() {
    for (prompt, stop, expected) in [
        (Some(500), "model_context_window_exceeded", true),
        (Some(500), "model_length", true),
        (Some(500), "max_tokens", false),
        (Some(10_001), "stop", true),
        (Some(-1), "stop", false),
        (None, "stop", false),
    ] {
        let answer = response(prompt, Some(5), stop);
        let is_one = is_overflow::<Chats, genai::Error, _>(Ok(answer), overflow()).await;
        assert_eq!(is_one, expected, "{prompt:?} {stop}");
    }
    let usage = GenaiUsage.usage(&response(Some(7), None, "tool_use"));
    assert_eq!(usage.and_then(|usage| usage.stop), Some(Stop::Done));
}
