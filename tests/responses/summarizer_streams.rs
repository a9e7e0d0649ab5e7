//! A model that summarizes in a stream over HTTP, in each format.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use contextfit_providers::http::{HttpAnswer, HttpSummaryError, UnreadStream};
use contextfit_providers::wire::WireFormat;
use contextfit_tower::{
    BoxError, FailedSummary, FitError, Stop, SummarizeError, Summarizer, SummarizerExt,
    SummaryChunk, Usage,
};
use futures_util::{FutureExt, StreamExt};
use http::Response;
use http_body::{Body, Frame};
use serde_json::{Value, json};
use tokio::time::Sleep;

use crate::script::{Script, Step, response};
use crate::summarizer::{SUMMARY, answer, asked_of, endpoint, fit, rules};

/// All that stream as text.
const FORMATS: [WireFormat; 5] = [
    WireFormat::OpenAiChat,
    WireFormat::OpenAiResponses,
    WireFormat::AnthropicMessages,
    WireFormat::Gemini,
    WireFormat::OllamaChat,
];

/// What stands in a stream.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// What a stream opens with.
    Opens,
    /// Something to keep the connection open, which is nothing of the model.
    KeepsOpen,
    Thinks,
    Says(&'static str),
    CallsTool,
    Finishes {
        is_cut_off: bool,
    },
    Fails,
    /// What a stream closes with, by its own word.
    Closes,
}

use Part::*;

const DONE: Part = Finishes { is_cut_off: false };

/// A summary as most models stream it.
const WHOLE: [Part; 8] = [
    Opens,
    KeepsOpen,
    Thinks,
    Says("They "),
    KeepsOpen,
    Says("tidied up."),
    DONE,
    Closes,
];

/// A part of a stream, as its bytes.
fn written(format: WireFormat, part: Part) -> String {
    use WireFormat::*;
    let stop = |is_cut_off: bool, done: &'static str, length: &'static str| {
        if is_cut_off { length } else { done }
    };
    let data: Vec<Value> = match (format, part) {
        (OllamaChat, KeepsOpen) => return "\n".to_owned(),
        (AnthropicMessages, KeepsOpen) => vec![json!({"type": "ping"})],
        (_, KeepsOpen) => return ": processing\n\n".to_owned(),
        (OpenAiChat, Closes) => return "data: [DONE]\n\n".to_owned(),
        (AnthropicMessages, Closes) => vec![json!({"type": "message_stop"})],
        (_, Closes) => vec![],

        (OpenAiChat, Opens) => vec![chat(
            json!({"role": "assistant", "content": ""}),
            Value::Null,
        )],
        (OpenAiChat, Thinks) => vec![chat(json!({"reasoning_content": "Hm."}), Value::Null)],
        (OpenAiChat, Says(text)) => vec![chat(json!({"content": text}), Value::Null)],
        (OpenAiChat, CallsTool) => vec![chat(
            json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "delete_file", "arguments": ""}}]}),
            Value::Null,
        )],
        (OpenAiChat, Finishes { is_cut_off }) => vec![
            chat(json!({}), stop(is_cut_off, "stop", "length").into()),
            json!({"choices": [], "usage": {"prompt_tokens": 700, "completion_tokens": 9}}),
        ],
        (OpenAiChat | Gemini, Fails) => {
            vec![json!({"error": {"message": "overloaded", "code": 503}})]
        }

        (OpenAiResponses, Opens) => vec![
            json!({"type": "response.created", "response": {"status": "in_progress", "output": [], "error": null}}),
            json!({"type": "response.output_item.added", "item": {"type": "message", "content": []}}),
        ],
        (OpenAiResponses, Thinks) => {
            vec![json!({"type": "response.reasoning_summary_text.delta", "delta": "Hm."})]
        }
        (OpenAiResponses, Says(text)) => {
            vec![json!({"type": "response.output_text.delta", "delta": text})]
        }
        (OpenAiResponses, CallsTool) => vec![json!({
            "type": "response.output_item.added",
            "item": {"type": "function_call", "name": "delete_file", "arguments": ""},
        })],
        (OpenAiResponses, Finishes { is_cut_off }) => {
            let status = stop(is_cut_off, "completed", "incomplete");
            let why = is_cut_off.then(|| json!({"reason": "max_output_tokens"}));
            vec![
                json!({"type": "response.output_text.done", "text": SUMMARY}),
                json!({"type": format!("response.{status}"), "response": {
                    "status": status, "error": null, "incomplete_details": why,
                    "output": [{"type": "message", "content": [{"type": "output_text", "text": SUMMARY}]}],
                    "usage": {"input_tokens": 700, "output_tokens": 9},
                }}),
            ]
        }
        (OpenAiResponses, Fails) => vec![json!({
            "type": "response.failed",
            "response": {"status": "failed", "error": {"code": "server_error", "message": "overloaded"}},
        })],

        (AnthropicMessages, Opens) => vec![json!({"type": "message_start", "message": {
            "content": [], "stop_reason": null, "usage": {"input_tokens": 700, "output_tokens": 1},
        }})],
        (AnthropicMessages, Thinks) => vec![
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        ],
        (AnthropicMessages, Says(text)) => vec![
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": text}}),
        ],
        (AnthropicMessages, CallsTool) => vec![
            json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "c", "name": "delete_file", "input": {}}}),
        ],
        (AnthropicMessages, Finishes { is_cut_off }) => vec![json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop(is_cut_off, "end_turn", "max_tokens")},
            "usage": {"output_tokens": 9},
        })],
        (AnthropicMessages, Fails) => {
            vec![
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}),
            ]
        }

        (Gemini, Opens) => vec![json!({"usageMetadata": {"promptTokenCount": 700}})],
        (Gemini, Thinks) => vec![gemini(json!({"text": "Hm.", "thought": true}))],
        (Gemini, Says(text)) => vec![gemini(json!({"text": text}))],
        (Gemini, CallsTool) => vec![gemini(
            json!({"functionCall": {"name": "delete_file", "args": {}}}),
        )],
        (Gemini, Finishes { is_cut_off }) => vec![json!({
            "candidates": [{"finishReason": stop(is_cut_off, "STOP", "MAX_TOKENS")}],
            "usageMetadata": {"promptTokenCount": 700, "candidatesTokenCount": 9},
        })],

        (OllamaChat, Opens) => vec![ollama(json!({"content": ""}))],
        (OllamaChat, Thinks) => vec![ollama(json!({"content": "", "thinking": "Hm."}))],
        (OllamaChat, Says(text)) => vec![ollama(json!({"content": text}))],
        (OllamaChat, CallsTool) => vec![ollama(
            json!({"content": "", "tool_calls": [{"function": {"name": "delete_file", "arguments": {}}}]}),
        )],
        (OllamaChat, Finishes { is_cut_off }) => vec![json!({
            "message": {"role": "assistant", "content": ""}, "done": true,
            "done_reason": stop(is_cut_off, "stop", "length"),
            "prompt_eval_count": 700, "eval_count": 9,
        })],
        (OllamaChat, Fails) => vec![json!({"error": "overloaded"})],
        (format, part) => panic!("{format} streams no {part:?}"),
    };
    let event = |data: &Value| match format {
        OllamaChat => format!("{data}\n"),
        AnthropicMessages => {
            let name = data["type"].as_str().unwrap_or_default();
            format!("event: {name}\r\ndata: {data}\r\n\r\n")
        }
        _ => format!("data: {data}\n\n"),
    };
    data.iter().map(event).collect()
}

fn chat(delta: Value, finish: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": null})
}

fn gemini(part: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]})
}

fn ollama(mut message: Value) -> Value {
    message["role"] = "assistant".into();
    json!({"message": message, "done": false})
}

fn stream(format: WireFormat, parts: &[Part]) -> String {
    parts.iter().map(|part| written(format, *part)).collect()
}

fn streamed(format: WireFormat, pieces: &[&[u8]]) -> Response<Script> {
    let kind = match format {
        WireFormat::OllamaChat => "application/x-ndjson",
        _ => "text/event-stream",
    };
    response(200, kind, Script::pieces(pieces))
}

/// All that an answer comes to, at once.
fn read(
    format: WireFormat,
    response: Response<impl Body<Data = Bytes, Error: Into<BoxError>>>,
) -> Vec<Result<SummaryChunk, BoxError>> {
    let chunks = HttpAnswer::new(format, response).collect();
    chunks.now_or_never().expect("nothing has to be waited for")
}

/// What comes of a summary that is streamed so.
async fn summarize(
    format: WireFormat,
    parts: &[Part],
) -> Result<(String, Option<Usage>), FitError> {
    let body = stream(format, parts);
    let endpoint = endpoint(format).streamed().expect("it streams");
    let (summarizer, _) = asked_of(endpoint, move || streamed(format, &[body.as_bytes()]));
    let fitted = fit(format, summarizer, FailedSummary::Refuse).await?;
    let usage = fitted.report.expect("it was too long").summarizer_usage;
    let sent = String::from_utf8(fitted.request.into_body().into());
    Ok((sent.expect("UTF-8"), usage))
}

#[test]
fn a41_a_stream_says_the_same_wherever_its_bytes_are_cut() {
    for format in FORMATS {
        let body = stream(format, &WHOLE);
        for cut in 0..=body.len() {
            let (start, rest) = body.as_bytes().split_at(cut);
            let chunks: Vec<SummaryChunk> = read(format, streamed(format, &[start, rest]))
                .into_iter()
                .collect::<Result<_, _>>()
                .expect("nothing fails");
            let mut usage = Usage::new(0, 0);
            let mut said = Vec::new();
            for chunk in chunks {
                match chunk {
                    SummaryChunk::Usage(more) => usage = usage.updated(more),
                    chunk => said.push(chunk),
                }
            }
            // Nothing else is output: neither what opens the stream nor what keeps it open.
            assert_eq!(
                said,
                [
                    SummaryChunk::Thinking,
                    SummaryChunk::Text("They ".to_owned()),
                    SummaryChunk::Text("tidied up.".to_owned()),
                    SummaryChunk::Finish(Stop::Done),
                ],
                "{format} {cut}"
            );
            assert_eq!(
                usage,
                Usage::new(700, 9).stop(Some(Stop::Done)),
                "{format} {cut}"
            );
        }
    }
}

#[tokio::test]
async fn a_summary_is_streamed_in_any_format_that_is_asked_for_it_in_its_own_way() {
    for format in FORMATS {
        let body = stream(format, &WHOLE);
        let endpoint = endpoint(format).streamed().expect("it streams");
        let (summarizer, asked) = asked_of(endpoint, move || streamed(format, &[body.as_bytes()]));
        let fitted = fit(format, summarizer, FailedSummary::Refuse).await;
        let fitted = fitted.unwrap_or_else(|error| panic!("{format}: {error:?}"));
        let usage = fitted.report.and_then(|report| report.summarizer_usage);
        assert_eq!(
            usage,
            Some(Usage::new(700, 9).stop(Some(Stop::Done))),
            "{format}"
        );
        let sent = String::from_utf8(fitted.request.into_body().into()).expect("UTF-8");
        assert!(sent.contains(SUMMARY) && !sent.contains("Hm."), "{format}");

        let asked = asked.lock().expect("nobody panicked");
        let body: Value = serde_json::from_slice(asked[0].body()).expect("JSON");
        rules(format)
            .check(&body)
            .unwrap_or_else(|broken| panic!("{format}: {broken:?}"));
        match format {
            WireFormat::Gemini => {
                assert_eq!(asked[0].uri().query(), Some("alt=sse"));
                assert!(body["stream"].is_null());
            }
            _ => assert_eq!(body["stream"], true, "{format}"),
        }
        let asks_for_usage = body["stream_options"]["include_usage"] == true;
        assert_eq!(asks_for_usage, format == WireFormat::OpenAiChat);
    }
    let format = WireFormat::BedrockConverse;
    let error = endpoint(format)
        .streamed()
        .expect_err("its streams aren't text");
    assert_eq!(error, UnreadStream { format });
}

#[tokio::test]
async fn a41_an_error_fails_all_of_a_stream_whatever_came_before() {
    for format in FORMATS {
        for parts in [
            &[Opens, Fails][..],
            &[Opens, Says(SUMMARY), Fails],
            &[Opens, Says(SUMMARY), Fails, DONE, Closes],
        ] {
            let error = summarize(format, parts).await.expect_err("it fails");
            let FitError::Summarize(SummarizeError::Failed(source)) = error else {
                panic!("{format}: {error:?}");
            };
            let said = source.downcast_ref::<HttpSummaryError>();
            assert!(
                matches!(said, Some(HttpSummaryError::Said { text }) if text.contains("overloaded")),
                "{format}: {source:?}"
            );
        }
    }
}

#[tokio::test]
async fn a40_a_stream_that_is_full_or_ends_early_is_no_summary() {
    for format in FORMATS {
        for parts in [
            &[Opens, Says(SUMMARY), Finishes { is_cut_off: true }, Closes][..],
            // Nobody said that it was done.
            &[Opens, Says(SUMMARY)],
            &[Opens, Thinks],
        ] {
            let error = summarize(format, parts).await.expect_err("it is half");
            assert!(
                matches!(error, FitError::Summarize(SummarizeError::CutOff)),
                "{format}: {error:?}"
            );
        }
    }
}

#[test]
fn a40_a_stream_that_breaks_off_at_any_byte_never_says_that_it_is_done() {
    for format in FORMATS {
        let before = stream(format, &[Opens, Thinks, Says(SUMMARY)]);
        let body = before.clone() + &stream(format, &[DONE, Closes]);
        let mark = match format {
            WireFormat::OpenAiChat => "\"stop\"",
            WireFormat::OpenAiResponses => "\"completed\"",
            WireFormat::AnthropicMessages => "\"end_turn\"",
            WireFormat::Gemini => "\"STOP\"",
            _ => "\"done_reason\"",
        };
        let says_done = before.len() + body[before.len()..].find(mark).expect("it finishes");
        for end in 1..body.len() {
            let chunks = read(format, streamed(format, &[&body.as_bytes()[..end]]));
            let is_done = chunks
                .iter()
                .any(|chunk| matches!(chunk, Ok(SummaryChunk::Finish(_))));
            assert!(!is_done || end > says_done, "{format} {end}");
            let is_unread = chunks.iter().any(Result::is_err);
            // As long as nothing is there.
            assert!(
                !is_unread || end < "event: m".len(),
                "{format} {end}: {chunks:?}"
            );
        }
    }
}

#[tokio::test]
async fn a41_the_last_reason_to_stop_counts() {
    let full = Finishes { is_cut_off: true };
    for format in [
        WireFormat::OpenAiChat,
        WireFormat::Gemini,
        WireFormat::AnthropicMessages,
    ] {
        let done = summarize(format, &[Opens, Says(SUMMARY), full, DONE, Closes]).await;
        let (sent, usage) = done.unwrap_or_else(|error| panic!("{format}: {error:?}"));
        assert!(sent.contains(SUMMARY));
        assert_eq!(
            usage.and_then(|usage| usage.stop),
            Some(Stop::Done),
            "{format}"
        );
        let cut_off = summarize(format, &[Opens, Says(SUMMARY), DONE, full, Closes]).await;
        assert!(
            matches!(cut_off, Err(FitError::Summarize(SummarizeError::CutOff))),
            "{format}: {cut_off:?}"
        );
    }
}

#[tokio::test]
async fn c3_a_model_that_calls_a_tool_in_a_stream_has_summarized_nothing() {
    for format in FORMATS {
        let parts = [Opens, Says(SUMMARY), CallsTool, DONE, Closes];
        let error = summarize(format, &parts)
            .await
            .expect_err("it called a tool");
        assert!(
            matches!(error, FitError::Summarize(SummarizeError::CalledTool)),
            "{format}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_answers_in_the_other_way_is_read_all_the_same() {
    for format in FORMATS {
        let plain = answer(format, SUMMARY, false).to_string();
        let events = stream(format, &WHOLE);
        for (is_streamed, body) in [(true, plain), (false, events)] {
            let mut endpoint = endpoint(format);
            if is_streamed {
                endpoint = endpoint.streamed().expect("it streams");
            }
            let (summarizer, _) = asked_of(endpoint, move || {
                response(200, "application/json", Script::pieces([&body]))
            });
            let fitted = fit(format, summarizer, FailedSummary::Refuse).await;
            let fitted = fitted.unwrap_or_else(|error| panic!("{format}: {error:?}"));
            let sent = String::from_utf8(fitted.request.into_body().into()).expect("UTF-8");
            assert!(sent.contains(SUMMARY), "{format}");
        }
    }
    // Gemini's stream is one large array unless asked for events.
    let array = format!(
        "[{},\n{}]",
        gemini(json!({"text": SUMMARY})),
        json!({"candidates": [{"finishReason": "STOP"}]})
    );
    for cut in 1..array.len() {
        let (start, rest) = array.as_bytes().split_at(cut);
        let chunks = read(
            WireFormat::Gemini,
            streamed(WireFormat::Gemini, &[start, rest]),
        );
        let said: Vec<_> = chunks.into_iter().map(Result::unwrap).collect();
        let text = SummaryChunk::Text(SUMMARY.to_owned());
        assert_eq!(said, [text, SummaryChunk::Finish(Stop::Done)], "{cut}");
    }
}

#[tokio::test]
async fn what_is_over_by_its_own_word_is_not_waited_for() {
    for format in [
        WireFormat::OpenAiChat,
        WireFormat::OpenAiResponses,
        WireFormat::AnthropicMessages,
        WireFormat::OllamaChat,
    ] {
        let whole = Step::Data(stream(format, &WHOLE).into());
        let body = Script::new([whole, Step::Stall]);
        let chunks = read(format, response(200, "text/event-stream", body));
        assert!(chunks.iter().all(Result::is_ok), "{format}: {chunks:?}");
    }
}

#[test]
fn what_can_not_be_read_is_an_error_and_costs_no_more_than_its_bound() {
    let format = WireFormat::OpenAiChat;
    let fails = |status: u16, steps: Vec<Step>| {
        let response = response(status, "text/event-stream", Script::new(steps));
        let mut chunks = read(format, response);
        let error = chunks.pop().expect("it fails").expect_err("it fails");
        assert!(chunks.iter().all(Result::is_ok));
        *error
            .downcast::<HttpSummaryError>()
            .expect("an error of ours")
    };
    let data = |text: &str| Step::Data(Bytes::copy_from_slice(text.as_bytes()));
    for body in [
        "",
        "Bad gateway\n",
        "data: {broken}\n\n",
        "\u{1f}\u{8b} compressed",
    ] {
        let error = fails(200, vec![data(body)]);
        assert!(
            matches!(error, HttpSummaryError::Unreadable(_)),
            "{body}: {error}"
        );
    }
    let said = r#"{"error":{"message":"slow down"}}"#;
    let error = fails(429, vec![data(said)]);
    assert!(
        matches!(&error, HttpSummaryError::Status { status, text } if *status == 429 && text == said)
    );
    // Of an error no more is waited for than is told.
    let error = fails(500, vec![data(&"x".repeat(9_000)), Step::Stall]);
    assert!(matches!(error, HttpSummaryError::Status { text, .. } if text.len() == 2_048));

    let mebibyte = data(&" ".repeat(1024 * 1024));
    // All of it, and one event.
    let error = fails(
        200,
        [vec![mebibyte.clone(); 65], vec![Step::Stall]].concat(),
    );
    assert!(
        matches!(error, HttpSummaryError::TooLong { most } if most == 64 << 20),
        "{error}"
    );
    let event = [
        vec![data("data: ")],
        vec![mebibyte; 9],
        vec![data("\n\n"), Step::Stall],
    ];
    let error = fails(200, event.concat());
    assert!(
        matches!(error, HttpSummaryError::TooLong { most } if most == 8 << 20),
        "{error}"
    );
}

/// A body whose pieces come one every 50 seconds, the first one too.
struct Paced {
    pieces: VecDeque<Bytes>,
    sleep: Pin<Box<Sleep>>,
}

impl Paced {
    const PACE: Duration = Duration::from_secs(50);

    fn new<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self {
            pieces: pieces.into_iter().map(Bytes::copy_from_slice).collect(),
            sleep: Box::pin(tokio::time::sleep(Self::PACE)),
        }
    }
}

impl Body for Paced {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.pieces.is_empty() {
            return Poll::Ready(None);
        }
        ready!(self.sleep.as_mut().poll(cx));
        let piece = self.pieces.pop_front();
        self.sleep = Box::pin(tokio::time::sleep(Self::PACE));
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// Has a model summarize that puts out each of these 50 seconds after the other, given up after a minute
/// without output.
async fn paced(format: WireFormat, pieces: Vec<String>) -> Result<(), FitError> {
    let endpoint = endpoint(format).streamed().expect("it streams");
    let (summarizer, _) = asked_of(endpoint, move || {
        Response::new(Paced::new(pieces.iter().map(String::as_bytes)))
    });
    let patient = summarizer.stall_timeout(Duration::from_secs(60));
    fit(format, patient, FailedSummary::Refuse)
        .await
        .map(|_| ())
}

fn is_stalled(result: &Result<(), FitError>) -> bool {
    matches!(
        result,
        Err(FitError::Summarize(SummarizeError::Stalled { .. }))
    )
}

#[tokio::test(start_paused = true)]
async fn a41_thoughts_and_words_keep_a_call_alive_however_long_it_takes() {
    for format in FORMATS {
        // What opens a stream is no output, and 50 seconds later there has to be some.
        let begins = [Opens, Thinks].map(|part| written(format, part)).concat();
        let parts = [Thinks, Thinks, Says("They "), Says("tidied up."), DONE];
        let pieces = parts.map(|part| written(format, part)).into_iter();
        let result = paced(format, std::iter::once(begins).chain(pieces).collect()).await;
        assert!(result.is_ok(), "{format}: {result:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a41_headers_and_what_keeps_a_connection_open_are_no_output() {
    for format in FORMATS {
        for first in [
            vec![Opens],
            vec![Opens, Thinks],
            vec![Opens, Says("They ")],
            vec![],
        ] {
            let open = [KeepsOpen; 5].map(|part| written(format, part));
            let rest = [Says(SUMMARY), DONE].map(|part| written(format, part));
            let pieces = [stream(format, &first)].into_iter().chain(open).chain(rest);
            let result = paced(format, pieces.collect()).await;
            assert!(is_stalled(&result), "{format} {first:?}: {result:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_plain_answer_has_to_be_there_in_time_whatever_pieces_its_bytes_come_in() {
    for format in WireFormat::ALL {
        for (pieces, is_late) in [(1, false), (2, true)] {
            let body = answer(format, SUMMARY, false).to_string();
            let (summarizer, _) = asked_of(endpoint(format), move || {
                let (start, rest) = body.as_bytes().split_at(body.len() / 2);
                Response::new(match pieces {
                    1 => Paced::new([body.as_bytes()]),
                    _ => Paced::new([start, rest]),
                })
            });
            let patient = summarizer.stall_timeout(Duration::from_secs(60));
            let result = fit(format, patient, FailedSummary::Refuse)
                .await
                .map(|_| ());
            assert_eq!(is_stalled(&result), is_late, "{format}: {result:?}");
        }
    }
}

#[test]
fn traces_are_told_the_name_of_the_model() {
    let name = |format| {
        let (summarizer, _) = asked_of(endpoint(format), || Response::new(Script::new([])));
        summarizer.model().map(str::to_owned)
    };
    assert_eq!(name(WireFormat::OpenAiChat).as_deref(), Some("cheap"));
    // Its URL is one of a proxy, which doesn't say.
    assert_eq!(name(WireFormat::Gemini), None);
}
