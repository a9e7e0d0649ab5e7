//! A body that was looked into is the body it was, and nothing waits for the look longer than it must.

use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::Poll;

use contextfit_providers::http::{PeekBody, PeekBodyLayer, Peeked};
use contextfit_tests::{Shape, chat};
use http::{HeaderMap, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use proptest::prelude::*;
use tokio_test::task;
use tower::{Layer, Service, ServiceExt, service_fn};

use crate::script::{Broken, Script, Step, events, response};
use crate::stack::{Heard, Stack, fine, read};

const SSE: &str = "text/event-stream";
const JSON: &str = "application/json";
const ROLE: &str = r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#;
const CONTENT: &str = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
const TOO_LONG: &str = r#"{"error":{"message":"prompt is too long"}}"#;

/// A service that gives this one response.
fn serving(
    response: Response<Script>,
) -> PeekBody<impl Service<(), Response = Response<Script>, Error = Broken>> {
    let mut response = Some(response);
    PeekBodyLayer::new().layer(service_fn(move |()| {
        let response = response.take().expect("one call");
        std::future::ready(Ok(response))
    }))
}

/// The response, as soon as it is there without any waiting.
fn peeked(response: Response<Script>) -> Response<Peeked<Script>> {
    let mut service = serving(response);
    let mut response = task::spawn(service.call(()));
    match response.poll() {
        Poll::Ready(response) => response.expect("a response"),
        Poll::Pending => panic!("it waits"),
    }
}

/// How often a body was polled when its response was handed on.
fn polls_before(status: u16, kind: &str, body: Script) -> usize {
    let polls = body.polls();
    peeked(response(status, kind, body));
    polls.load(Ordering::Relaxed)
}

/// Bodies of every kind, with their status and type.
fn bodies() -> Vec<(u16, &'static str, String)> {
    let answer = r#"{"choices":[{"message":{"content":"é{\"}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2600,"completion_tokens":9}}"#;
    let chunk = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":2600,"candidatesTokenCount":1}}"#;
    vec![
        (
            200,
            SSE,
            events(&[
                ROLE,
                CONTENT,
                r#"{"choices":[],"usage":{"prompt_tokens":2600,"completion_tokens":7}}"#,
                "[DONE]",
            ]),
        ),
        (200, SSE, events(&[ROLE, TOO_LONG])),
        (200, SSE, events(&[ROLE, CONTENT, TOO_LONG])),
        (
            200,
            SSE,
            "\u{feff}: c\r\n\r\nevent: ping\r\rdata: {\"type\":\"ping\"}\n\nevent:error\rdata:{\"error\":\r\ndata:\"prompt is too long\"}\r\n\r\n".to_owned(),
        ),
        (200, SSE, format!("\n {TOO_LONG}\n")),
        (200, SSE, "prompt is too long".to_owned()),
        (200, SSE, String::new()),
        (200, JSON, answer.to_owned()),
        (200, JSON, TOO_LONG.to_owned()),
        (200, JSON, format!("[{chunk},\n{chunk}]\n")),
        (
            200,
            "application/x-ndjson",
            format!("{ROLE}\n{CONTENT}\n{TOO_LONG}\n"),
        ),
        (
            200,
            "application/vnd.amazon.eventstream",
            TOO_LONG.to_owned(),
        ),
        (400, JSON, TOO_LONG.to_owned()),
        (400, JSON, r#"{"error":"no"}"#.to_owned()),
        (429, "text/plain", "prompt is too long".to_owned()),
    ]
}

/// What becomes of a body in these steps: what the observer heard, and whether there was a retry.
fn judged(status: u16, kind: &str, steps: Vec<Step>, is_sized: bool) -> (Vec<Heard>, bool) {
    tokio_test::block_on(async {
        let body = Script::new(steps).sized(is_sized);
        let stack = Stack::new(Shape::Joint, [response(status, kind, body), fine()]);
        read(stack.send(chat(12, 100)).await).await;
        (stack.heard(), stack.left() == 0)
    })
}

fn bytes_in(steps: &[Step]) -> u64 {
    let bytes = steps.iter().map(|step| match step {
        Step::Data(data) => data.len() as u64,
        _ => 0,
    });
    bytes.sum()
}

/// Sees that a body comes out of the service as it went in, step by step.
fn check_replay(status: u16, kind: &str, steps: &[Step], is_sized: bool) {
    let mut plain = pin!(Script::new(steps.iter().cloned()).sized(is_sized));
    let body = Script::new(steps.iter().cloned()).sized(is_sized);
    let mut rest = bytes_in(steps);
    let response = serving(response(status, kind, body)).oneshot(());
    let mut body = tokio_test::block_on(response)
        .expect("a response")
        .into_body();
    loop {
        // Who has read the start knows more of its length, and never anything else.
        let (hint, plain_hint) = (body.size_hint(), plain.size_hint());
        assert!((plain_hint.lower()..=rest).contains(&hint.lower()));
        assert_eq!(hint.exact(), plain_hint.exact().or(hint.exact()));
        assert!(hint.upper().is_none_or(|upper| upper >= rest));
        assert!(body.is_end_stream() || !plain.is_end_stream());
        let says_end = body.is_end_stream();
        let expected = tokio_test::block_on(plain.frame());
        let frame = tokio_test::block_on(body.frame());
        let shown = |frame: Option<Result<Frame<_>, _>>| {
            frame.map(|frame| frame.map(|frame| format!("{frame:?}")))
        };
        let is_over = expected.is_none();
        assert!(is_over || !says_end);
        if let Some(Ok(frame)) = &frame {
            rest -= frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        assert_eq!(shown(frame), shown(expected));
        if is_over {
            break;
        }
    }
    assert!(tokio_test::block_on(body.frame()).is_none());
}

fn steps(pieces: &[&[u8]]) -> Vec<Step> {
    let data = |piece: &&[u8]| Step::Data(bytes::Bytes::copy_from_slice(piece));
    pieces.iter().map(data).collect()
}

#[test]
fn a_cut_at_any_byte_changes_no_decision_and_no_byte() {
    for (status, kind, text) in bodies() {
        let whole = judged(status, kind, steps(&[text.as_bytes()]), false);
        for cut in 0..=text.len() {
            let (start, end) = text.as_bytes().split_at(cut);
            let steps = steps(&[start, end]);
            check_replay(status, kind, &steps, true);
            let decided = judged(status, kind, steps, cut % 2 == 0);
            assert_eq!(decided, whole, "{text:?} at {cut}");
        }
    }
}

/// What may come between the pieces of a body.
fn interludes() -> impl Strategy<Value = Option<Step>> {
    let empty = Step::Data(bytes::Bytes::new());
    prop_oneof![
        3 => Just(None),
        1 => Just(Some(Step::Wait)),
        1 => Just(Some(empty)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_body_comes_out_as_it_went_in_whatever_its_pieces(
        case in any::<prop::sample::Index>(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), interludes()), 0..12),
        end in prop_oneof![
            Just(None),
            Just(Some(Step::Trailers(HeaderMap::from_iter([(
                http::header::ETAG,
                http::HeaderValue::from_static("x"),
            )])))),
            Just(Some(Step::Fail("reset"))),
        ],
        is_sized: bool,
    ) {
        let bodies = bodies();
        let (status, kind, text) = case.get(&bodies);
        let mut cuts: Vec<_> = cuts
            .into_iter()
            .map(|(cut, step)| (cut.index(text.len() + 1), step))
            .collect();
        cuts.sort_by_key(|(cut, _)| *cut);
        let (mut steps, mut from) = (Vec::new(), 0);
        for (cut, step) in cuts {
            steps.push(Step::Data(text.as_bytes()[from..cut].to_vec().into()));
            steps.extend(step);
            from = cut;
        }
        steps.push(Step::Data(text.as_bytes()[from..].to_vec().into()));
        let whole = judged(*status, kind, vec![Step::Data(text.clone().into())], false);
        prop_assert_eq!(judged(*status, kind, steps.clone(), is_sized), whole);
        steps.extend(end);
        check_replay(*status, kind, &steps, is_sized);
    }
}

proptest! {
    #[test]
    fn any_bytes_come_out_as_they_went_in(
        pieces in proptest::collection::vec(
            "(\\{|\\}|\\[|\\]|\"|\\\\|data: |event:|error|\n|\r|:|,|1|null|é| ){0,12}",
            0..6,
        ),
        noise in proptest::collection::vec(any::<u8>(), 0..12),
        kind in prop_oneof![Just(SSE), Just(JSON), Just("application/x-ndjson")],
        status in prop_oneof![Just(200_u16), Just(400)],
    ) {
        let mut pieces: Vec<&[u8]> = pieces.iter().map(String::as_bytes).collect();
        pieces.push(&noise);
        let steps = steps(&pieces);
        check_replay(status, kind, &steps, false);
        let (_, is_again) = judged(status, kind, steps, false);
        prop_assert!(!is_again);
    }
}

#[test]
fn a_body_that_breaks_off_does_so_where_it_did() {
    for (kind, before) in [(SSE, ROLE), (SSE, CONTENT), (JSON, "{\"choices\":[")] {
        for status in [200, 400] {
            let data = if kind == SSE {
                events(&[before])
            } else {
                before.to_owned()
            };
            for steps in [
                vec![Step::Fail("reset")],
                vec![Step::Data(data.clone().into()), Step::Fail("reset")],
                vec![
                    Step::Data(data.clone().into()),
                    Step::Wait,
                    Step::Fail("reset"),
                    Step::Data("x".into()),
                ],
            ] {
                check_replay(status, kind, &steps, false);
            }
        }
    }
}

#[test]
fn content_is_handed_on_in_the_moment_it_comes() {
    for start in [
        vec![],
        vec![ROLE],
        vec![r#"{"type":"response.created"}"#, ROLE],
    ] {
        let mut steps: Vec<_> = start
            .iter()
            .map(|event| Step::Data(events(&[event]).into()))
            .collect();
        let opening = steps.len();
        steps.push(Step::Wait);
        // It ends within a frame, and more is to come.
        let content = format!("{}data: {{", events(&[CONTENT]));
        steps.extend([Step::Data(content.clone().into()), Step::Stall]);
        let body = Script::new(steps);
        let polls = body.polls();
        let mut service = serving(response(200, SSE, body));
        let mut response = task::spawn(service.call(()));
        assert!(response.poll().is_pending());
        assert!(response.is_woken());
        let Poll::Ready(Ok(response)) = response.poll() else {
            panic!("content has come, and it waits");
        };
        // The opening, the wait, the content; it didn't look for more.
        assert_eq!(polls.load(Ordering::Relaxed), opening + 2);
        let mut body = task::spawn(response.into_body());
        for _ in 0..=opening {
            let frame = body.enter(|cx, body| body.poll_frame(cx));
            assert!(matches!(frame, Poll::Ready(Some(Ok(_)))));
        }
        assert!(body.enter(|cx, body| body.poll_frame(cx)).is_pending());
    }
}

#[test]
fn what_is_over_by_its_own_word_is_not_waited_for() {
    let finish = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    for (kind, text) in [
        (SSE, events(&[ROLE, finish, "[DONE]"])),
        (SSE, events(&[r#"{"type":"message_stop"}"#])),
        (SSE, events(&[TOO_LONG])),
        (SSE, TOO_LONG.to_owned()),
        (JSON, r#"{"choices":[]}"#.to_owned()),
        (
            JSON,
            r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#.to_owned(),
        ),
        (
            "application/x-ndjson",
            r#"{"message":{},"done":true}"#.to_owned(),
        ),
    ] {
        // The server holds the connection open.
        let body = Script::new([Step::Data(text.into()), Step::Stall]);
        peeked(response(200, kind, body));
    }
}

#[test]
fn a_body_that_has_nothing_yet_is_left_alone_until_it_wakes() {
    for status in [200, 400] {
        let body = Script::new([Step::Data(events(&[ROLE]).into()), Step::Stall]);
        let polls = body.polls();
        let mut service = serving(response(status, SSE, body));
        let mut response = task::spawn(service.call(()));
        assert!(response.poll().is_pending());
        assert!(!response.is_woken());
        assert_eq!(polls.load(Ordering::Relaxed), 2);
    }
}

#[test]
fn what_can_not_be_an_overflow_is_not_read_at_all() {
    for (status, kind) in [
        (200, "text/html"),
        (200, "application/octet-stream"),
        (200, "application/vnd.amazon.eventstream"),
        (200, ""),
        (304, JSON),
        (302, SSE),
    ] {
        assert_eq!(
            polls_before(status, kind, Script::pieces(["a", "b"])),
            0,
            "{status} {kind}"
        );
    }
}

#[test]
fn no_more_is_held_back_than_it_takes() {
    const FRAME: usize = 64 * 1024;
    let frames = |first: &str, filler: &str| {
        let filler = filler.repeat(FRAME / filler.len());
        let mut frames = vec![Step::Data(first.to_owned().into())];
        frames.extend((0..400).map(|_| Step::Data(filler.clone().into())));
        Script::new(frames)
    };
    // 25 MiB each.
    assert!(polls_before(400, JSON, frames("{\"error\":\"", "x")) <= 2);
    assert!(polls_before(500, "text/html", frames("", "<p>no</p>")) <= 3);
    let ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n";
    assert!(polls_before(200, SSE, frames(ping, ping)) <= 18);
    assert!(polls_before(200, SSE, frames(ping, ": a comment\n")) <= 18);
    assert!(polls_before(200, SSE, frames("data: ", "x")) <= 18);
    assert!(polls_before(200, SSE, frames("plain text", "x")) <= 18);
    assert!(polls_before(200, JSON, frames("{\"a\":\"", "x")) <= 130);
    // Frames cost something, too, if there is nothing in them.
    let empty = (0..1_000_000).map(|_| Step::Data(bytes::Bytes::new()));
    assert!(polls_before(200, SSE, Script::new(empty)) <= 20_000);
}

#[test]
fn a_large_error_goes_through_whole() {
    let text = format!(
        "{{\"error\":\"{}prompt is too long\"}}",
        "x".repeat(10_000_000)
    );
    let pieces: Vec<_> = text.as_bytes().chunks(100_000).collect();
    let body = Script::pieces(&pieces);
    let response = peeked(response(400, JSON, body));
    let collected = tokio_test::block_on(read(response));
    assert!(collected == text.as_bytes());
}
