use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::poll_fn;
use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use contextfit_benches::now;
use contextfit_providers::http::{HttpFitLayer, PeekBodyLayer};
use contextfit_tower::Fitter;
use http::Response;
use http_body::{Body, Frame};
use serde::de::IgnoredAny;
use tower::{Layer, ServiceExt, service_fn};

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{row, title};

/// Looking into a response, in times of one parse that keeps nothing.
const LOOKED_INTO: Option<Goal> = Some(Goal::AtMost(3.0));
const EVENTS: usize = 1_000;

/// A body in these frames.
struct Frames<'a>(std::iter::Cloned<std::slice::Iter<'a, Bytes>>);

impl Body for Frames<'_> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(Frame::data).map(Ok))
    }
}

/// Responses as they come from a provider, looked into and handed on, against one parse of the JSON
/// in them.
pub(crate) fn print() {
    for (name, length, batch, rounds) in [("4 KB", 4_000, 200, 300), ("1 MB", 1_000_000, 1, 300)] {
        title(&format!("A plain answer of {name}, in times of one parse"));
        let body = Bytes::from(answer(length));
        let documents = [body.clone()];
        compare(&documents, &[body], "application/json", batch, rounds);
    }
    title("A stream of 1 000 events, in times of one parse of each");
    let documents = events();
    let frames: Vec<Bytes> = documents
        .iter()
        .map(|event| [b"data: ", &event[..], b"\n\n"].concat().into())
        .collect();
    compare(&documents, &frames, "text/event-stream", 1, 300);
}

fn compare(documents: &[Bytes], frames: &[Bytes], kind: &str, batch: u32, rounds: usize) {
    let respond = || {
        let response = Response::builder().header("content-type", kind);
        let body = Frames(frames.iter().cloned());
        response.body(body).expect("a response")
    };
    let peek =
        PeekBodyLayer::new().layer(service_fn(|()| async { Ok::<_, Infallible>(respond()) }));
    let fitter = Fitter::builder().window(100_000).build().expect("settings");
    let fit = HttpFitLayer::new(fitter).layer(service_fn(|_: http::Request<Bytes>| async {
        Ok::<_, Infallible>(respond())
    }));
    let request =
        Bytes::from_static(br#"{"model":"m","messages":[{"role":"user","content":"Hi."}]}"#);
    let mut all = Comparison::default();
    let parse = all.add("one parse", None, || {
        for _ in 0..batch {
            for document in documents {
                black_box(serde_json::from_slice::<IgnoredAny>(black_box(document)))
                    .expect("it is JSON");
            }
        }
    });
    let bare = all.add("handed on bare", None, || {
        for _ in 0..batch {
            drain(respond());
        }
    });
    all.add("looked into", LOOKED_INTO, || {
        for _ in 0..batch {
            let response = now(peek.oneshot(())).expect("a response");
            drain(response);
        }
    });
    all.add("a request, read to its end", None, || {
        for _ in 0..batch {
            let request = http::Request::post("/v1/chat/completions").body(request.clone());
            let response = now(fit.clone().oneshot(request.expect("a request")));
            drain(response.expect("a response"));
        }
    });
    let sides = all.measure(rounds);
    for side in &sides {
        let ratio = side.times.ratio(&sides[parse].times);
        row(&side.name, ratio, 2, side.goal);
    }
    for side in &sides[bare + 1..] {
        let over = side.times.nanoseconds_over(&sides[bare].times) / 1e3 / f64::from(batch);
        row(&format!("{}, in µs", side.name), over, 1, None);
    }
}

/// Takes a response to its end, frame by frame.
fn drain<B: Body<Data = Bytes> + Unpin>(response: Response<B>) {
    let mut body = response.into_body();
    while let Some(frame) = now(poll_fn(|cx| Pin::new(&mut body).poll_frame(cx))) {
        black_box(frame.ok());
    }
}

/// An answer of so many bytes, with a line break in it where one would be.
fn answer(length: usize) -> String {
    let line = r#"    let total = items.iter().map(Item::price).sum(); // said \"so\"\n"#;
    let text = line.repeat(length / line.len());
    format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":"{text}","refusal":null}},"logprobs":null,"finish_reason":"stop"}}],{USAGE},"service_tier":"default"}}"#
    )
}

const USAGE: &str = r#""usage":{"prompt_tokens":1200,"completion_tokens":40,"total_tokens":1240,"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0}}"#;

fn events() -> Vec<Bytes> {
    let event = |choice: &str, more: &str| {
        let mut event = String::from(
            r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":["#,
        );
        write!(event, "{choice}]{more}}}").expect("a string takes everything");
        Bytes::from(event)
    };
    let chunk = |delta: &str| {
        event(
            &format!(r#"{{"index":0,"delta":{{{delta}}},"finish_reason":null}}"#),
            "",
        )
    };
    let mut events = vec![chunk(r#""role":"assistant","content":"""#)];
    events.extend((0..EVENTS - 3).map(|at| chunk(&format!(r#""content":" word{at}""#))));
    events.push(event(
        r#"{"index":0,"delta":{},"finish_reason":"stop"}"#,
        "",
    ));
    events.push(event("", &format!(",{USAGE}")));
    events
}
