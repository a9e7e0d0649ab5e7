//! What a real server answered: llama.cpp, with a window of 2 048 tokens.

use std::collections::BTreeMap;

use contextfit_providers::http::{HttpOverflow, HttpUsage};
use contextfit_tests::{Shape, chat};
use contextfit_tower::{Stop, Usage, UsageOverflow};
use serde::Deserialize;

use crate::script::{Script, response};
use crate::stack::{Heard, Stack, fine, fine_events, read};

#[derive(Clone, Deserialize)]
struct Recorded {
    status: u16,
    content_type: String,
    body: String,
}

impl Recorded {
    fn response(&self, piece: usize) -> http::Response<Script> {
        let pieces = self.body.as_bytes().chunks(piece);
        response(self.status, &self.content_type, Script::pieces(pieces))
    }
}

fn recorded() -> BTreeMap<String, Recorded> {
    serde_json::from_str(include_str!("data/llama_cpp.json")).expect("well formed")
}

#[tokio::test]
async fn its_overflow_is_recovered_from_at_every_endpoint_plain_or_streamed() {
    let recorded = recorded();
    let overflows = recorded
        .iter()
        .filter(|(name, _)| name.contains("overflow"));
    let mut endpoints = 0;
    for (name, recorded) in overflows {
        endpoints += 1;
        for piece in [1, 60, 4_000] {
            for shape in Shape::RECOVERING {
                let stack = Stack::new(shape, [recorded.response(piece), fine()]);
                let answer = stack.send(chat(12, 100)).await;
                assert_eq!(read(answer).await, fine_events().as_bytes(), "{name}");
                let heard = stack.heard();
                assert!(matches!(*heard, [Heard::Recovering(_)]), "{name} {heard:?}");
            }
        }
    }
    assert_eq!(endpoints, 6);
}

#[tokio::test]
async fn what_it_counted_is_read_at_every_endpoint_plain_or_streamed() {
    let (done, length) = (Some(Stop::Done), Some(Stop::Length));
    let recorded = recorded();
    for (name, usage) in [
        ("chat_ok", Usage::new(22, 16).stop(length)),
        ("chat_stream_ok", Usage::new(33, 6).cached(5).stop(length)),
        ("anthropic_ok", Usage::new(33, 15).cached(24).stop(done)),
        (
            "anthropic_stream_ok",
            Usage::new(33, 4).cached(32).stop(length),
        ),
        ("responses_ok", Usage::new(33, 16).cached(32).stop(done)),
        ("chat_full", Usage::new(1_914, 134).cached(3).stop(length)),
    ] {
        let recorded = &recorded[name];
        for piece in [1, 60, 4_000] {
            let stack = Stack::new(Shape::Joint, [recorded.response(piece), fine()]);
            let answer = stack.send(chat(12, 100)).await;
            assert_eq!(read(answer).await, recorded.body.as_bytes(), "{name}");
            assert_eq!(stack.heard(), [Heard::Usage(usage)], "{name} {piece}");
        }
    }
}

#[tokio::test]
async fn output_that_it_cut_short_for_want_of_room_is_an_overflow_if_that_is_trusted() {
    let full = recorded().remove("chat_full").expect("recorded");
    let mut request = chat(12, 100);
    request.max_tokens = Some(400);
    let trusting = UsageOverflow::new(HttpUsage).trust_short_stops(true);
    let classifier = HttpOverflow::new().usage(trusting);
    let stack = Stack::judged(classifier, Shape::Joint, [full.response(60), fine()]);
    stack.send(request).await;
    assert_eq!(stack.left(), 0);
}
