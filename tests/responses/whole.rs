//! Whole stacks of HTTP: E1 to E7 in the words of each provider, and what is no conversation.

use std::collections::VecDeque;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use contextfit_providers::http::{HttpFitLayer, Peeked};
use contextfit_testing::probe::ReadinessProbe;
use contextfit_testing::wire::WireRules;
use contextfit_tests::{Scribe, text};
use contextfit_tower::{
    BoxError, FitEvent, FitReport, Fitter, Overflow, Reason, Scope, observer_fn,
};
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::{Layer, Service, ServiceExt};

use crate::script::{Script, events, response};

const JSON: &str = "application/json";
const SSE: &str = "text/event-stream";

/// Answers by a script, one response a call, and remembers what it was sent.
#[derive(Clone)]
struct Provider {
    script: Arc<Mutex<VecDeque<Response<Script>>>>,
    received: Arc<Mutex<Vec<Request<Bytes>>>>,
}

impl Service<Request<Bytes>> for Provider {
    type Response = Response<Script>;
    type Error = BoxError;
    type Future = Ready<Result<Response<Script>, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        self.received.lock().expect("no panic").push(request);
        let response = self.script.lock().expect("no panic").pop_front();
        ready(response.ok_or_else(|| "a call that the script doesn't know".into()))
    }
}

/// What came of a request.
struct Seen {
    response: Response<Peeked<Script>>,
    /// What the provider was sent.
    received: Vec<Request<Bytes>>,
    /// What the observer was told, in a word each.
    heard: Vec<String>,
    overflows: Vec<Overflow>,
}

impl Seen {
    /// Why the request was changed, as its response says.
    fn reason(&self) -> Option<Reason> {
        let report: Option<&FitReport> = self.response.extensions().get();
        report.map(|report| report.reason)
    }

    async fn body(self) -> String {
        let body = self.response.into_body().collect().await;
        String::from_utf8(body.expect("a whole body").to_bytes().into()).expect("text")
    }
}

/// Sends a request through the layer, to a provider that answers by a script.
async fn send<const N: usize>(
    window: u64,
    request: Request<Bytes>,
    script: [Response<Script>; N],
) -> Seen {
    let heard = Arc::<Mutex<(Vec<String>, Vec<Overflow>)>>::default();
    let hears = Arc::clone(&heard);
    let fitter = Fitter::builder()
        .window(window)
        .reserve(0)
        .summarizer(Scribe::new("They worked."))
        .observer(observer_fn(move |event| {
            let mut heard = hears.lock().expect("no panic");
            let event = match *event {
                FitEvent::Overflow { overflow, .. } => {
                    heard.1.push(overflow);
                    "overflow".to_owned()
                }
                FitEvent::Unreadable(error) => format!("unreadable: {}", error.place()),
                FitEvent::HistoryElsewhere { .. } => "elsewhere".to_owned(),
                FitEvent::Fitted(_) => "fitted".to_owned(),
                FitEvent::Usage { .. } => "usage".to_owned(),
                FitEvent::Passed { .. } | FitEvent::SummaryRun { .. } => return,
                ref other => other.name().to_owned(),
            };
            heard.0.push(event);
        }));
    let provider = Provider {
        script: Arc::new(Mutex::new(script.into())),
        received: Arc::default(),
    };
    let received = Arc::clone(&provider.received);
    let layer = HttpFitLayer::new(fitter.build().expect("settings that work"));
    let service = layer.layer(ReadinessProbe::new(provider));
    let response = service.oneshot(request).await.expect("a response");
    let received = std::mem::take(&mut *received.lock().expect("no panic"));
    let (heard, overflows) = heard.lock().expect("no panic").clone();
    Seen {
        response,
        received,
        heard,
        overflows,
    }
}

/// A provider: its rules, its path, how it refuses what is too long, with which numbers, and how
/// it answers.
struct Kind {
    rules: WireRules,
    path: &'static str,
    status: u16,
    refusal: &'static str,
    numbers: Overflow,
    answer: &'static str,
}

fn kinds() -> [Kind; 6] {
    let none = Overflow::new();
    [
        Kind {
            rules: WireRules::OpenAiChat,
            path: "/v1/chat/completions",
            status: 400,
            refusal: r#"{"error":{"message":"This model's maximum context length is 700 tokens. However, your messages resulted in 950 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
            numbers: none.input(950).limit(700, Scope::Total),
            answer: r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}"#,
        },
        Kind {
            rules: WireRules::OpenAiResponses,
            path: "/v1/responses",
            status: 400,
            refusal: r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}"#,
            numbers: none,
            answer: r#"{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes."}]}]}"#,
        },
        Kind {
            rules: WireRules::AnthropicMessages,
            path: "/v1/messages?beta=true",
            status: 400,
            refusal: r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 950 tokens > 700 maximum"}}"#,
            numbers: none.input(950).limit(700, Scope::Input),
            answer: r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn"}"#,
        },
        Kind {
            rules: WireRules::Gemini,
            path: "/v1beta/models/gemini-2.5-pro:generateContent?key=k",
            status: 400,
            refusal: r#"{"error":{"code":400,"message":"The input token count (950) exceeds the maximum number of tokens allowed (700).","status":"INVALID_ARGUMENT"}}"#,
            numbers: none.input(950).limit(700, Scope::Input),
            answer: r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Yes."}]},"finishReason":"STOP"}]}"#,
        },
        Kind {
            rules: WireRules::BedrockConverse,
            path: "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse",
            status: 400,
            refusal: r#"{"message":"The model returned the following errors: Input is too long for requested model."}"#,
            numbers: none,
            answer: r#"{"output":{"message":{"role":"assistant","content":[{"text":"Yes."}]}},"stopReason":"end_turn"}"#,
        },
        Kind {
            rules: WireRules::OllamaChat,
            path: "/api/chat",
            status: 400,
            refusal: r#"{"error":"the input length exceeds the context length"}"#,
            numbers: none,
            answer: r#"{"message":{"role":"assistant","content":"Yes."},"done":true,"done_reason":"stop"}"#,
        },
    ]
}

impl Kind {
    /// Five questions with their answers and a last one, about a thousand tokens, with odd spaces.
    fn body(&self) -> String {
        let mut messages = Vec::new();
        for turn in 0..5 {
            messages.push(self.message("user", &text(&format!("Question {turn}:"), 100)));
            messages.push(self.message("assistant", &text(&format!("Answer {turn}:"), 100)));
        }
        messages.push(self.message("user", "And now?"));
        let limit = match self.rules {
            WireRules::AnthropicMessages => r#""max_tokens":9, "#,
            _ => "",
        };
        format!(
            r#" {{{limit}"{}":[ {} ],"x":1e0}}"#,
            self.rules.messages(),
            messages.join(" ,\n"),
        )
    }

    fn message(&self, role: &str, said: &str) -> String {
        match self.rules {
            WireRules::Gemini => {
                let role = if role == "user" { role } else { "model" };
                format!(r#"{{"role":"{role}","parts":[{{"text":"{said}"}}]}}"#)
            }
            WireRules::BedrockConverse => {
                format!(r#"{{"role":"{role}","content":[{{"text":"{said}"}}]}}"#)
            }
            _ => format!(r#"{{"content":"{said}","role":"{role}"}}"#),
        }
    }

    fn request(&self) -> Request<Bytes> {
        post(self.path, &[], self.body())
    }

    fn refuses(&self) -> Response<Script> {
        plain(self.status, self.refusal)
    }

    fn answers(&self) -> Response<Script> {
        plain(200, self.answer)
    }

    /// A body that the provider takes, with nothing changed but its messages.
    fn assert_fitted(&self, request: &Request<Bytes>) {
        let original = self.request();
        let length = request.body().len();
        assert!(length < original.body().len());
        assert_eq!(request.headers()["content-length"], length.to_string());
        assert_eq!(request.headers().len(), original.headers().len());
        assert_eq!(request.headers()["x-request-id"], "7");
        assert_eq!(request.uri(), original.uri());
        assert_eq!(request.method(), original.method());
        let body = std::str::from_utf8(request.body()).expect("UTF-8");
        assert!(body.ends_with(r#" ],"x":1e0}"#) && body.contains("And now?"));
        let value: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(self.rules.check(&value), Ok(()), "{body}");
    }
}

fn post(path: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Request<Bytes> {
    let body = body.into();
    let mut request = Request::post(format!("https://example.com{path}"))
        .header("content-length", body.len())
        .header("x-request-id", "7");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body).expect("a request")
}

fn plain(status: u16, body: &str) -> Response<Script> {
    response(status, JSON, Script::pieces([body]))
}

/// Sees that a request and its response go through as they are.
async fn assert_untouched(request: Request<Bytes>, status: u16, answer: &str) -> Vec<String> {
    let before = request.clone();
    let seen = send(100, request, [plain(status, answer)]).await;
    assert_eq!(seen.received.len(), 1);
    let sent = &seen.received[0];
    assert_eq!(sent.uri(), before.uri());
    assert_eq!(sent.method(), before.method());
    assert_eq!(sent.headers(), before.headers());
    // The very bytes.
    assert_eq!(sent.body().as_ptr(), before.body().as_ptr());
    assert_eq!(sent.body(), before.body());
    assert_eq!(seen.response.status(), status);
    assert_eq!(seen.reason(), None);
    let heard = seen.heard.clone();
    assert_eq!(seen.body().await, answer);
    heard
}

#[tokio::test]
async fn what_is_too_large_for_the_window_is_fitted_before_it_is_sent() {
    for kind in kinds() {
        let seen = send(600, kind.request(), [kind.answers()]).await;
        assert_eq!(seen.received.len(), 1, "{:?}", kind.rules);
        kind.assert_fitted(&seen.received[0]);
        assert_eq!(seen.heard[0], "fitted");
        assert_eq!(seen.reason(), Some(Reason::OverLimit));
        assert_eq!(seen.body().await, kind.answer);
    }
}

#[tokio::test]
async fn e1_an_overflow_in_the_words_of_each_provider_is_resent_once_and_smaller() {
    for kind in kinds() {
        let seen = send(9_000, kind.request(), [kind.refuses(), kind.answers()]).await;
        let [first, second] = &seen.received[..] else {
            panic!("{} calls of {:?}", seen.received.len(), kind.rules);
        };
        assert_eq!(first.body(), &kind.body());
        assert_eq!(first.headers(), kind.request().headers());
        kind.assert_fitted(second);
        assert_eq!(seen.response.status(), StatusCode::OK);
        assert_eq!(seen.reason(), Some(Reason::Overflow));
        assert_eq!(seen.body().await, kind.answer);
    }
}

#[tokio::test]
async fn e1_a_second_overflow_is_handed_on_as_it_came() {
    for kind in kinds() {
        let script = [kind.refuses(), kind.refuses(), kind.answers()];
        let seen = send(9_000, kind.request(), script).await;
        assert_eq!(seen.received.len(), 2, "{:?}", kind.rules);
        assert_eq!(seen.response.status(), kind.status);
        assert_eq!(seen.body().await, kind.refusal);
    }
}

#[tokio::test]
async fn e7_the_numbers_of_an_overflow_are_those_that_the_provider_gives() {
    for kind in kinds() {
        let seen = send(9_000, kind.request(), [kind.refuses(), kind.answers()]).await;
        assert_eq!(seen.overflows, [kind.numbers], "{:?}", kind.rules);
    }
    // An error code, and a delta, are no limits.
    for refusal in [
        r#"{"error":{"message":"invalid params, context window exceeds limit (2013)"}}"#,
        r#"{"error":"prompt too long; exceeded max context length by 4 tokens"}"#,
    ] {
        let [kind, ..] = kinds();
        let script = [plain(400, refusal), kind.answers()];
        let seen = send(9_000, kind.request(), script).await;
        assert_eq!(seen.overflows.len(), 1, "{refusal}");
        assert_eq!(seen.overflows[0].limit, None, "{refusal}");
    }
}

#[tokio::test]
async fn e2_a_rate_limit_is_not_resent() {
    for kind in kinds() {
        for (status, answer) in [
            (
                429,
                r#"{"error":{"message":"Request too large for gpt-x in organization o on tokens per min (TPM): Limit 30000, Requested 40000.","type":"tokens","code":"rate_limit_exceeded"}}"#,
            ),
            (
                413,
                r#"{"error":{"message":"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}"#,
            ),
            (
                429,
                r#"{"message":"Too many tokens, please wait before trying again."}"#,
            ),
            (
                400,
                r#"{"__type":"ThrottlingException","message":"Too many tokens, please wait before trying again."}"#,
            ),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            ),
        ] {
            let seen = send(9_000, kind.request(), [plain(status, answer)]).await;
            assert_eq!(seen.received.len(), 1, "{answer}");
            assert_eq!(seen.overflows, []);
            assert_eq!(seen.response.status(), status);
            assert_eq!(seen.body().await, answer);
        }
    }
}

#[tokio::test]
async fn e3_a_limit_of_bytes_is_not_resent() {
    for kind in kinds() {
        for answer in [
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes."}}"#,
            "<html><head><title>413 Request Entity Too Large</title></head></html>",
        ] {
            let seen = send(9_000, kind.request(), [plain(413, answer)]).await;
            assert_eq!(seen.received.len(), 1, "{answer}");
            assert_eq!(seen.overflows, []);
            assert_eq!(seen.body().await, answer);
        }
    }
}

/// The streams of three providers: what opens one, an overflow in it, and content.
fn streams() -> [(Kind, [&'static str; 3]); 3] {
    let [chat, responses, anthropic, ..] = kinds();
    [
        (
            chat,
            [
                r#"{"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
                r#"{"error":{"message":"The context window is full.","code":"context_length_exceeded"}}"#,
                r#"{"choices":[{"delta":{"content":"Yes."},"finish_reason":null}]}"#,
            ],
        ),
        (
            responses,
            [
                r#"{"type":"response.created","response":{"status":"in_progress","error":null}}"#,
                r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}"#,
                r#"{"type":"response.output_text.delta","delta":"Yes."}"#,
            ],
        ),
        (
            anthropic,
            [
                r#"{"type":"message_start","message":{"usage":{"input_tokens":9}}}"#,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 950 tokens > 700 maximum"}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}"#,
            ],
        ),
    ]
}

fn streamed(data: &[&str]) -> Response<Script> {
    response(200, SSE, Script::pieces([events(data)]))
}

#[tokio::test]
async fn e4_an_overflow_in_a_stream_is_resent_only_before_content() {
    for (kind, [opening, error, content]) in streams() {
        for refused in [&[error][..], &[opening, error]] {
            let script = [streamed(refused), streamed(&[opening, content])];
            let seen = send(9_000, kind.request(), script).await;
            assert_eq!(seen.received.len(), 2, "{:?}", kind.rules);
            kind.assert_fitted(&seen.received[1]);
            assert_eq!(seen.body().await, events(&[opening, content]));
        }
        let late = [opening, content, error];
        let seen = send(9_000, kind.request(), [streamed(&late)]).await;
        assert_eq!(seen.received.len(), 1);
        assert_eq!(seen.body().await, events(&late));
    }
}

#[tokio::test]
async fn e4_a_streamed_answer_comes_out_in_the_pieces_it_came_in() {
    for (kind, [opening, _, content]) in streams() {
        let whole = events(&[opening, content, "[DONE]"]);
        for size in [1, 7, 1_000] {
            let pieces = Script::pieces(whole.as_bytes().chunks(size));
            let seen = send(9_000, kind.request(), [response(200, SSE, pieces)]).await;
            assert_eq!(seen.received.len(), 1);
            let mut body = seen.response.into_body();
            let mut out = Vec::new();
            while let Some(frame) = body.frame().await {
                out.push(frame.expect("no error").into_data().expect("data"));
            }
            let expected: Vec<_> = whole.as_bytes().chunks(size).collect();
            assert_eq!(out, expected, "{:?}", kind.rules);
        }
    }
}

#[tokio::test]
async fn e5_a_stop_that_says_the_window_was_full_is_resent_once() {
    let [.., bedrock, _] = kinds();
    let [_, _, anthropic, ..] = kinds();
    for (kind, full, done) in [
        (
            anthropic,
            r#"{"type":"message","content":[{"type":"text","text":"Ye"}],"stop_reason":"model_context_window_exceeded","usage":{"input_tokens":1000,"output_tokens":1}}"#,
            r#"{"type":"message","content":[{"type":"text","text":"Ye"}],"stop_reason":"max_tokens","usage":{"input_tokens":1000,"output_tokens":1}}"#,
        ),
        (
            bedrock,
            r#"{"output":{"message":{"role":"assistant","content":[{"text":"Ye"}]}},"stopReason":"model_context_window_exceeded","usage":{"inputTokens":1000,"outputTokens":1}}"#,
            r#"{"output":{"message":{"role":"assistant","content":[{"text":"Ye"}]}},"stopReason":"max_tokens","usage":{"inputTokens":1000,"outputTokens":1}}"#,
        ),
    ] {
        let script = [plain(200, full), kind.answers()];
        let seen = send(9_000, kind.request(), script).await;
        assert_eq!(seen.received.len(), 2, "{:?}", kind.rules);
        kind.assert_fitted(&seen.received[1]);
        assert_eq!(seen.body().await, kind.answer);
        let seen = send(9_000, kind.request(), [plain(200, done)]).await;
        assert_eq!(seen.received.len(), 1);
        assert_eq!(seen.body().await, done);
    }
}

#[tokio::test]
async fn a_body_that_cant_be_read_is_forwarded_and_told() {
    for kind in kinds() {
        let body = kind.body();
        let list = kind.rules.messages();
        let torn = body[..body.len() - 9].to_owned();
        let twice = body.replacen('{', &format!(r#"{{"{list}":[],"#), 1);
        let wrong = format!(r#"{{"{list}":7}}"#);
        let trailing = format!("{body}{body}");
        for (body, place) in [
            (torn.into_bytes(), ""),
            (twice.into_bytes(), list),
            (wrong.into_bytes(), list),
            (trailing.into_bytes(), "the body"),
            (Vec::new(), "the body"),
            (b"\xff\xfe{\0}\0".to_vec(), "the body"),
        ] {
            let request = post(kind.path, &[], body);
            let heard = assert_untouched(request, 400, kind.refusal).await;
            assert!(
                heard[0].starts_with(&format!("unreadable: {place}")),
                "{heard:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_conversation_that_the_provider_has_is_left_alone_and_told() {
    let [_, kind, ..] = kinds();
    for continues in [
        r#"{"previous_response_id":"resp_1","#,
        r#"{"conversation":"conv_1","#,
    ] {
        let body = kind.body().replacen('{', continues, 1);
        let request = post(kind.path, &[], body);
        let heard = assert_untouched(request, 200, kind.answer).await;
        assert_eq!(heard[0], "elsewhere");
    }
}

#[tokio::test]
async fn other_traffic_is_left_alone_and_no_more_is_told() {
    for kind in kinds() {
        for headers in [
            &[("authorization", "AWS4-HMAC-SHA256 Credential=c")][..],
            &[("x-amz-content-sha256", "ab")],
            &[("content-digest", "sha-256=:ab=:")],
            &[("content-encoding", "gzip")],
            &[("content-type", "multipart/form-data; boundary=b")],
        ] {
            let request = post(kind.path, headers, kind.body());
            let heard = assert_untouched(request, 200, kind.answer).await;
            assert_eq!(heard, ["switched_off"]);
        }
        for path in ["/v1/embeddings", "/v1/messages/count_tokens", "/"] {
            let request = post(path, &[], kind.body());
            let heard = assert_untouched(request, 200, "{}").await;
            assert_eq!(heard, ["switched_off"]);
        }
        let mut request = kind.request();
        *request.method_mut() = Method::PUT;
        let heard = assert_untouched(request, 200, "{}").await;
        assert_eq!(heard, ["switched_off"]);
    }
}
