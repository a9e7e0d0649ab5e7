//! E4, E5, E6: an overflow that is found before anybody saw any of the response.

use contextfit_core::chat::ChatRequest;
use contextfit_providers::http::{HttpOverflow, HttpUsage};
use contextfit_tests::{Shape, chat};
use contextfit_tower::{Overflow, Usage, UsageOverflow};

use crate::script::{Script, Step, events, response};
use crate::stack::{Heard, Stack, fine, fine_events, read};

const TOO_LONG: &str = r#"{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}"#;
const SSE: &str = "text/event-stream";
const JSON: &str = "application/json";

/// What is handed on when a provider answers with this first, and then, if asked again, well; and
/// whether it was asked again.
async fn answered(
    classifier: HttpOverflow,
    shape: Shape,
    request: ChatRequest,
    (status, kind, body): (u16, &str, &str),
) -> (String, bool) {
    let first = response(status, kind, Script::pieces([body]));
    let stack = Stack::judged(classifier, shape, [first, fine()]);
    let response = stack.send(request).await;
    let body = String::from_utf8(read(response).await).expect("text");
    (body, stack.left() == 0)
}

/// Sees that a response means an overflow, or that it doesn't, whatever layers there are.
async fn check(first: (u16, &str, &str), is_overflow: bool) {
    for shape in Shape::RECOVERING {
        let (body, is_again) = answered(HttpOverflow::new(), shape, chat(12, 100), first).await;
        assert_eq!(is_again, is_overflow, "{shape:?} {first:?}");
        let expected = if is_overflow { &fine_events() } else { first.2 };
        assert_eq!(body, expected, "{shape:?}");
    }
    let (body, is_again) = answered(HttpOverflow::new(), Shape::Fit, chat(12, 100), first).await;
    assert_eq!((&*body, is_again), (first.2, false));
}

fn failed(kind: &str) -> String {
    format!(
        r#"{{"type":"{kind}","response":{{"status":"failed",{}}}}}"#,
        &TOO_LONG[1..TOO_LONG.len() - 1]
    )
}

#[tokio::test]
async fn e4_an_error_status_is_judged_by_its_body() {
    for status in [400, 413, 422, 500] {
        for kind in [JSON, SSE, "text/plain", ""] {
            check((status, kind, TOO_LONG), true).await;
        }
    }
    check((400, "text/html", "<p>prompt is too long</p>"), true).await;
    // The status counts, too.
    check((400, JSON, r#"{"error":"the context window"}"#), true).await;
    check((500, JSON, r#"{"error":"the context window"}"#), false).await;
    check((429, JSON, r#"{"error":"the context window"}"#), false).await;
    check((400, JSON, r#"{"error":"no such model"}"#), false).await;
    check((500, JSON, ""), false).await;
}

#[tokio::test]
async fn e4_an_error_in_a_stream_is_an_overflow_if_it_comes_before_content() {
    let named = format!("event: error\ndata: {TOO_LONG}\n\n");
    let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 219898 tokens > 200000 maximum"}}"#;
    for before in [
        "",
        ": a comment\n\n\n",
        "event: ping\ndata: {\"type\":\"ping\"}\n\n",
        "retry: 500\n\ndata: {\"type\":\"response.created\",\"response\":{\"error\":null}}\n\ndata: {\"type\":\"response.in_progress\",\"response\":{}}\n\n",
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9}}}\n\n",
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null},\"finish_reason\":null}]}\n\n",
    ] {
        for error in [
            named.clone(),
            events(&[TOO_LONG]),
            events(&[anthropic]),
            events(&[&failed("response.failed")]),
            "event: error\ndata: prompt is too long\n\n".to_owned(),
            "event:error\n:HTTP_STATUS/400\ndata:{\"code\":\"InvalidParameter\",\"message\":\"Range of input length should be [1, 6000]\"}\n\n".to_owned(),
            // No blank line ends it.
            format!("data: {TOO_LONG}"),
        ] {
            check((200, SSE, &format!("{before}{error}")), true).await;
        }
    }
    let content = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    for content in [content, r#"{"type":"content_block_start","index":0}"#] {
        check((200, SSE, &events(&[content, TOO_LONG])), false).await;
    }
    // Errors that are something else, and content that speaks of one.
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let quoted = r#"{"choices":[{"delta":{"content":"prompt is too long"}}]}"#;
    // A status may stand in the error where that of the response says nothing.
    let coded =
        |code: u16| format!(r#"{{"error":{{"code":{code},"message":"the context window"}}}}"#);
    check((200, SSE, &events(&[&coded(400)])), true).await;
    for other in [overloaded, quoted, &coded(500)] {
        check((200, SSE, &events(&[other, "[DONE]"])), false).await;
    }
}

#[tokio::test]
async fn e4_an_error_without_the_form_of_a_stream_is_found_in_it() {
    for body in [
        TOO_LONG.to_owned(),
        format!("\n{TOO_LONG}\n"),
        format!("[{TOO_LONG}]"),
        r#""prompt is too long""#.to_owned(),
        "Internal error: prompt is too long\n".to_owned(),
        "prompt is too long".to_owned(),
    ] {
        for kind in [SSE, "text/event-stream; charset=utf-8"] {
            check((200, kind, &body), true).await;
        }
    }
}

#[tokio::test]
async fn e4_an_error_in_a_plain_body_of_status_200_is_found() {
    let minimax = r#"{"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit"}}"#;
    let old = r#"{"object":"error","message":"This model's maximum context length is 8192 tokens.","code":400}"#;
    for kind in [JSON, "application/problem+json", "application/x-ndjson"] {
        for body in [TOO_LONG, minimax, old] {
            check((200, kind, body), true).await;
        }
        check(
            (
                200,
                kind,
                r#"{"choices":[{"message":{"content":"prompt is too long"}}]}"#,
            ),
            false,
        )
        .await;
    }
    let first = r#"{"message":{"role":"assistant","content":""},"done":false}"#;
    check(
        (
            200,
            "application/x-ndjson",
            &format!("{first}\n{TOO_LONG}\n"),
        ),
        true,
    )
    .await;
    let first = r#"{"message":{"role":"assistant","content":"a"},"done":false}"#;
    check(
        (
            200,
            "application/x-ndjson",
            &format!("{first}\n{TOO_LONG}\n"),
        ),
        false,
    )
    .await;
    // What isn't an answer of a model isn't read.
    check((200, "text/html", TOO_LONG), false).await;
    check((302, JSON, TOO_LONG), false).await;
}

#[tokio::test]
async fn e4_an_empty_stream_is_an_overflow_if_the_prompt_was_about_as_large_as_the_window() {
    let role = events(&[r#"{"choices":[{"delta":{"role":"assistant"}}]}"#]);
    for body in ["", ": ping\n\n", "data: [DONE]\n\n", &role] {
        // 2 500 tokens of 4 000, and 3 700.
        check((200, SSE, body), false).await;
        let trusting = HttpOverflow::new().trust_empty(true);
        for (classifier, turns, is_overflow) in [
            (HttpOverflow::new(), 12, false),
            (HttpOverflow::new(), 18, true),
            (trusting, 12, true),
        ] {
            let first = (200, SSE, body);
            let (_, is_again) = answered(classifier, Shape::Retry, chat(turns, 100), first).await;
            assert_eq!(is_again, is_overflow, "{turns} {body}");
        }
    }
    // It says why it stopped: that is an answer, if a short one.
    let stopped = events(&[r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#]);
    let first = (200, SSE, &*stopped);
    let (_, is_again) = answered(HttpOverflow::new(), Shape::Retry, chat(18, 100), first).await;
    assert!(!is_again);
}

#[tokio::test]
async fn e5_an_answer_that_says_that_the_window_was_full_is_an_overflow() {
    let choice = |reason: &str| {
        format!(
            r#"{{"choices":[{{"message":{{"content":"The"}},"finish_reason":"{reason}"}}],"usage":{{"prompt_tokens":2600,"completion_tokens":1}}}}"#
        )
    };
    check((200, JSON, &choice("model_context_window_exceeded")), true).await;
    check((200, JSON, &choice("length")), false).await;
    check((200, JSON, &choice("stop")), false).await;
    let full = r#"{"type":"message","content":[],"stop_reason":"model_context_window_exceeded","usage":{"input_tokens":3000,"output_tokens":0}}"#;
    check((200, JSON, full), true).await;

    // A stream without content, which says so at its end.
    let stream = |input: u64| {
        events(&[
            r#"{"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
            &format!(
                r#"{{"choices":[],"usage":{{"prompt_tokens":{input},"completion_tokens":0}}}}"#
            ),
            "[DONE]",
        ])
    };
    check((200, SSE, &stream(3_990)), true).await;
    check((200, SSE, &stream(2_600)), false).await;
}

#[tokio::test]
async fn e5_what_counts_as_a_full_window_can_be_set() {
    let short = r#"{"choices":[{"message":{"content":"The"},"finish_reason":"length"}],"usage":{"prompt_tokens":3900,"completion_tokens":90}}"#;
    let trusting = UsageOverflow::new(HttpUsage).trust_short_stops(true);
    let mut request = chat(12, 100);
    request.max_tokens = Some(500);
    for (usage, is_overflow) in [(UsageOverflow::new(HttpUsage), false), (trusting, true)] {
        let classifier = HttpOverflow::new().usage(usage);
        let (_, is_again) = answered(
            classifier,
            Shape::Joint,
            request.clone(),
            (200, JSON, short),
        )
        .await;
        assert_eq!(is_again, is_overflow);
    }
}

#[tokio::test]
async fn e6_more_tokens_than_the_window_has_are_an_overflow_in_every_format() {
    for (over, fits) in [
        (
            r#"{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":4100,"completion_tokens":9}}"#,
            r#"{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":2600,"completion_tokens":9}}"#,
        ),
        (
            r#"{"type":"message","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":100,"cache_read_input_tokens":4000,"output_tokens":9}}"#,
            r#"{"type":"message","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":2600,"cache_read_input_tokens":0,"output_tokens":9}}"#,
        ),
        (
            r#"{"object":"response","status":"completed","output":[],"usage":{"input_tokens":4100,"output_tokens":9}}"#,
            r#"{"object":"response","status":"completed","output":[],"usage":{"input_tokens":2600,"output_tokens":9}}"#,
        ),
        (
            r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":4100}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":2600}}"#,
        ),
        (
            r#"{"output":{"message":{"content":[{"text":"a"}]}},"stopReason":"end_turn","usage":{"inputTokens":4100,"outputTokens":9}}"#,
            r#"{"output":{"message":{"content":[{"text":"a"}]}},"stopReason":"end_turn","usage":{"inputTokens":2600,"outputTokens":9}}"#,
        ),
        (
            r#"{"message":{"content":"a"},"done":true,"prompt_eval_count":4100,"eval_count":9}"#,
            r#"{"message":{"content":"a"},"done":true,"prompt_eval_count":2600,"eval_count":9}"#,
        ),
    ] {
        check((200, JSON, over), true).await;
        check((200, JSON, fits), false).await;
        let stack = Stack::new(
            Shape::Joint,
            [response(200, JSON, Script::pieces([over])), fine()],
        );
        stack.send(chat(12, 100)).await;
        // It was paid all the same.
        let [
            Heard::Usage(Usage { input: 4_100, .. }),
            Heard::Recovering(Overflow {
                input: Some(4_100), ..
            }),
        ] = *stack.heard()
        else {
            panic!("{:?}", stack.heard());
        };
        // One that fits is learned from, at once.
        let fits = response(200, JSON, Script::pieces([fits]));
        let stack = Stack::new(Shape::Joint, [fits]);
        stack.send(chat(12, 100)).await;
        let [Heard::Usage(Usage { input: 2_600, .. })] = *stack.heard() else {
            panic!("{:?}", stack.heard());
        };
    }
}

#[tokio::test]
async fn what_is_compressed_is_passed_on_unread() {
    for encoding in ["gzip", "br", "identity"] {
        let body = Script::new([Step::Data(TOO_LONG.as_bytes().into())]);
        let polls = body.polls();
        let mut first = response(400, JSON, body);
        let encoding_value = encoding.parse().expect("a value");
        first
            .headers_mut()
            .insert("content-encoding", encoding_value);
        let stack = Stack::new(Shape::Joint, [first, fine()]);
        stack.send(chat(12, 100)).await;
        let polls = polls.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(polls > 0, encoding == "identity", "{encoding}");
    }
}
