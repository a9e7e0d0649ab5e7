//! What a stream says after its content was handed on.

use contextfit_tests::{Shape, chat};
use contextfit_tower::{Overflow, Stop, Usage};
use http_body::Body;
use http_body_util::BodyExt;

use crate::script::{Script, Step, events, response};
use crate::stack::{Heard, Stack, fine, read};

const SSE: &str = "text/event-stream";

/// The streams of the formats, each with the same usage at its end.
fn streams() -> Vec<(&'static str, String)> {
    vec![
        (
            SSE,
            events(&[
                r#"{"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
                r#"{"choices":[{"delta":{"content":"a"},"finish_reason":null}],"usage":null}"#,
                r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}"#,
                r#"{"choices":[],"usage":{"prompt_tokens":2600,"completion_tokens":7}}"#,
                "[DONE]",
            ]),
        ),
        (
            SSE,
            events(&[
                r#"{"type":"message_start","message":{"stop_reason":null,"usage":{"input_tokens":2600,"output_tokens":1}}}"#,
                r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}"#,
                r#"{"type":"message_stop"}"#,
            ]),
        ),
        (
            SSE,
            events(&[
                r#"{"type":"response.created","response":{"status":"in_progress","usage":null}}"#,
                r#"{"type":"response.output_text.delta","delta":"a"}"#,
                r#"{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":2600,"output_tokens":7}}}"#,
            ]),
        ),
        (
            SSE,
            events(&[
                r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":2600,"candidatesTokenCount":2}}"#,
                r#"{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2600,"candidatesTokenCount":7}}"#,
            ]),
        ),
        (
            "application/json",
            r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":2600,"candidatesTokenCount":2}},
                {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2600,"candidatesTokenCount":7}}]"#
                .to_owned(),
        ),
        (
            "application/x-ndjson",
            "{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":2600,\"eval_count\":7}\n"
                .to_owned(),
        ),
    ]
}

fn usage() -> Heard {
    Heard::Usage(Usage::new(2_600, 7).stop(Some(Stop::Done)))
}

#[tokio::test]
async fn the_usage_at_the_end_of_a_stream_is_reported_once_in_every_format() {
    for (kind, text) in streams() {
        for shape in Shape::RECOVERING {
            for piece in [1, 7, 90, text.len()] {
                let body = Script::pieces(text.as_bytes().chunks(piece));
                let stack = Stack::new(shape, [response(200, kind, body), fine()]);
                let answer = stack.send(chat(12, 100)).await;
                assert!(stack.heard().is_empty(), "{kind} {piece}");
                assert_eq!(read(answer).await, text.as_bytes());
                assert_eq!(stack.heard(), [usage()], "{shape:?} {kind} {piece}");
                assert_eq!(stack.left(), 1);
            }
        }
    }
}

#[tokio::test]
async fn a_reader_need_not_ask_for_more_than_the_last_frame() {
    for (kind, text) in streams() {
        let pieces: Vec<_> = text.split_inclusive('\n').collect();
        for is_sized in [false, true] {
            let body = Script::pieces(&pieces).sized(is_sized);
            let stack = Stack::new(Shape::Joint, [response(200, kind, body)]);
            let mut body = stack.send(chat(12, 100)).await.into_body();
            for _ in &pieces {
                body.frame().await.expect("a frame").expect("data");
            }
            assert_eq!(body.is_end_stream(), is_sized);
            // Where neither the stream nor the body says that this is all, somebody has to ask.
            if !is_sized && stack.heard().is_empty() {
                assert!(kind == "application/json" || text.contains("candidates"));
                assert!(body.frame().await.is_none());
            }
            assert_eq!(stack.heard(), [usage()], "{kind} {is_sized}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_given_up_reports_nothing() {
    for (kind, text) in streams() {
        let pieces: Vec<_> = text.split_inclusive('\n').collect();
        // The usage is in the last piece, or before one that says nothing.
        for frames in 0..pieces.len().saturating_sub(4).max(1) {
            let stack = Stack::new(Shape::Joint, [response(200, kind, Script::pieces(&pieces))]);
            let mut body = stack.send(chat(12, 100)).await.into_body();
            for _ in 0..frames {
                body.frame().await.expect("a frame").expect("data");
            }
            drop(body);
            assert!(stack.heard().is_empty(), "{kind} {frames}");
        }
    }
}

#[tokio::test]
async fn an_overflow_after_content_is_reported_and_nothing_is_sent_again() {
    let content = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    let error = r#"{"error":{"message":"prompt is too long"}}"#;
    let failed =
        r#"{"type":"response.failed","response":{"error":{"message":"prompt is too long"}}}"#;
    for error in [error, failed] {
        let text = events(&[content, error]);
        for piece in [1, 50, text.len()] {
            for shape in Shape::RECOVERING {
                let body = Script::pieces(text.as_bytes().chunks(piece));
                let stack = Stack::new(shape, [response(200, SSE, body), fine()]);
                let answer = stack.send(chat(12, 100)).await;
                assert_eq!(read(answer).await, text.as_bytes());
                assert_eq!(stack.heard(), [Heard::Overflow(Overflow::new())]);
                assert_eq!(stack.left(), 1);
            }
        }
    }
}

#[tokio::test]
async fn a_stream_that_fails_otherwise_reports_nothing() {
    let start =
        r#"{"type":"message_start","message":{"usage":{"input_tokens":2600,"output_tokens":1}}}"#;
    let content = r#"{"type":"content_block_start","index":0}"#;
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for text in [
        events(&[start, content, overloaded]),
        events(&[start, overloaded]),
    ] {
        let body = Script::pieces([&text]);
        let stack = Stack::new(Shape::Joint, [response(200, SSE, body)]);
        let answer = stack.send(chat(12, 100)).await;
        assert_eq!(read(answer).await, text.as_bytes());
        assert!(stack.heard().is_empty(), "not all was counted");
    }
}

#[tokio::test]
async fn a_stream_whose_usage_is_that_of_a_full_window_is_reported_as_an_overflow() {
    let text = events(&[
        r#"{"type":"message_start","message":{"usage":{"input_tokens":3000,"output_tokens":1}}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},"usage":{"output_tokens":1000}}"#,
        r#"{"type":"message_stop"}"#,
    ]);
    let body = Script::pieces([text]);
    let stack = Stack::new(Shape::Joint, [response(200, SSE, body), fine()]);
    read(stack.send(chat(12, 100)).await).await;
    let [
        Heard::Overflow(Overflow {
            input: Some(3_000), ..
        }),
    ] = *stack.heard()
    else {
        panic!("{:?}", stack.heard());
    };
    assert_eq!(stack.left(), 1);
}

#[tokio::test]
async fn what_breaks_off_after_content_reports_nothing() {
    let start = events(&[
        r#"{"type":"message_start","message":{"usage":{"input_tokens":2600,"output_tokens":1}}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
    ]);
    let body = Script::new([Step::Data(start.into()), Step::Fail("reset")]);
    let stack = Stack::new(Shape::Joint, [response(200, SSE, body)]);
    let mut body = stack.send(chat(12, 100)).await.into_body();
    body.frame().await.expect("a frame").expect("data");
    assert!(body.frame().await.expect("a frame").is_err());
    assert!(body.frame().await.is_none());
    assert!(stack.heard().is_empty(), "not all was counted");
}
