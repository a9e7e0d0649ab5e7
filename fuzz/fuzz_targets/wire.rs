//! A body is read or given back, and what is made of one that was read is one again.

#![no_main]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use contextfit_core::cut::Cut;
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::plan::{Clip, Plan, Step};
use contextfit_core::request::{Conversation, EditConversation, Piece};
use contextfit_providers::wire::{WireFormat, WireRequest};
use contextfit_tower::{Fitter, HeadSummarizer};
use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;

fuzz_target!(|input: &[u8]| {
    let [which, seed, body @ ..] = input else {
        return;
    };
    let format = WireFormat::ALL[usize::from(*which) % WireFormat::ALL.len()];
    match WireRequest::parse(format, body.to_vec()) {
        Ok(request) => {
            check_plan(format, &request, u64::from(*seed));
            check_fit(format, request, u64::from(*seed));
        }
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.place().is_empty());
            assert_eq!(error.into_body(), body);
        }
    }
});

/// Any plan that can be carried out leaves a body of the format, with all that is kept in it.
fn check_plan(format: WireFormat, request: &WireRequest, mut seed: u64) {
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let len = request.len();
    let mut cut = Cut::none(len);
    let mut clips = Vec::new();
    for message in 0..len {
        if next(3) == 0 {
            cut.add(message..message + 1);
            continue;
        }
        let mut pieces = 0;
        request.pieces(message, &mut |piece| {
            piece.for_each_text(|text| drop(text.decode()));
            let is_text = matches!(piece, Piece::Text(_) | Piece::ToolResult { .. });
            if is_text && next(2) == 0 {
                clips.push(Clip { message, piece: pieces, text: "\"\\\n".into(), omitted_chars: 1 });
            }
            pieces += 1;
        });
    }
    // A text that can't be clipped is refused, and nothing is changed.
    let plan = Plan::new(cut, "sum\"".to_owned(), clips).max_output_tokens(Some(1));
    let mut edited = request.clone();
    if edited.apply(&plan).is_err() {
        assert_eq!(edited.body(), request.body());
        let kept = Plan::new(Cut::of(len, 0..len / 2), "sum".to_owned(), Vec::new());
        return if edited.apply(&kept).is_ok() { check_kept(request, &edited, &kept) };
    }
    check_kept(request, &edited, &plan);
    let merged = edited.clone().merge_neighbours();
    for body in [merged.into_body(), edited.into_body()] {
        assert_read(format, &body, request);
    }
}

/// The engine, too, makes a body of the format of it, or nothing.
fn check_fit(format: WireFormat, request: WireRequest, seed: u64) {
    let needed = measure(&request, &CharEstimator::default()).prompt();
    let fitter = Fitter::builder().window(needed * (seed % 101) / 100 + 4).reserve(0);
    let Ok(fitter) = fitter.summarizer(HeadSummarizer).build() else {
        return;
    };
    let mut fit = pin!(fitter.fit(request.clone()));
    match fit.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Pending => panic!("there is nothing to wait for"),
        Poll::Ready(Ok(fitted)) => {
            if let Some(report) = &fitted.report {
                check_kept(&request, &fitted.request, &report.plan);
                let measured = fitter.measure(&fitted.request).expect("it was measured before");
                assert_eq!(measured.prompt(), report.tokens_after);
            }
            assert_read(format, &fitted.request.into_body(), &request);
        }
        Poll::Ready(Err(failure)) => assert_eq!(failure.request.body(), request.body()),
    }
}

/// What is read here can be nested deeper than `serde_json` goes.
fn assert_read(format: WireFormat, body: &[u8], request: &WireRequest) {
    let read = WireRequest::parse(format, body.to_vec());
    assert!(read.is_ok(), "{read:?} in {}", String::from_utf8_lossy(body));
    if serde_json::from_slice::<&RawValue>(request.body()).is_ok() {
        serde_json::from_slice::<&RawValue>(body).expect("JSON");
    }
}

/// What is kept is as it was written, in its order.
fn check_kept(before: &WireRequest, after: &WireRequest, plan: &Plan) {
    let (Some(before), Some(after)) = (messages(before.body()), messages(after.body())) else {
        return;
    };
    if before.len() != plan.len() {
        return;
    }
    assert_eq!(plan.steps().count(), after.len());
    let mut after: Vec<_> = after.iter().map(|message| message.get()).collect();
    // The summary goes behind one that the provider made.
    for step in plan.steps() {
        if let Step::Keep(message) = step {
            let place = after.iter().position(|after| *after == before[message].get());
            after.drain(..=place.expect("a message that is kept"));
        }
    }
}

/// The messages as they are written, where they stand in one list.
fn messages(body: &[u8]) -> Option<Vec<Box<RawValue>>> {
    let body: std::collections::BTreeMap<String, Box<RawValue>> = serde_json::from_slice(body).ok()?;
    let mut lists = ["messages", "input", "contents"].iter().filter_map(|name| body.get(*name));
    let list = lists.next()?;
    lists.next().is_none().then(|| serde_json::from_str(list.get()).ok())?
}
