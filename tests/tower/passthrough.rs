//! A request that fits is moved through: the same texts, no summary, no copy that isn't needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::plan::Plan;
use contextfit_core::request::{
    AdapterError, ApplyError, EditConversation, Hints, Native, RequestAdapter, Switch,
};
use contextfit_testing::provider::ProviderError;
use contextfit_tests::{
    Entry, Erased, Log, Scribe, Shape, TooLong, bottom, chat, estimate, provider, ptrs, send, text,
};
use contextfit_tower::{
    BoxError, Calibrator, ChatUsageReader, ContextFitLayer, FitError, Fitter, OverflowRetryLayer,
    Replay, is_final_overflow,
};
use tower::{Layer, ServiceBuilder, ServiceExt};

/// An adapter that counts the copies it makes.
#[derive(Clone, Default)]
struct Copies(Arc<AtomicUsize>);

impl Copies {
    fn made(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl RequestAdapter<ChatRequest> for Copies {
    type View<'a> = &'a ChatRequest;

    fn view<'a>(&self, request: &'a ChatRequest) -> Result<&'a ChatRequest, AdapterError> {
        Ok(request)
    }

    fn apply(&self, request: &mut ChatRequest, plan: &Plan) -> Result<(), ApplyError> {
        request.apply(plan)
    }

    fn try_clone(&self, request: &ChatRequest) -> Option<ChatRequest> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(request.clone())
    }
}

#[tokio::test]
async fn a_request_that_fits_arrives_as_the_same_texts() {
    for shape in Shape::ALL {
        for request in [chat(12, 100), chat(0, 4), ChatRequest::new("a-model", [])] {
            let (provider, summarizer, log) = (provider(4_000), Scribe::default(), Log::default());
            let fitter = Fitter::builder()
                .window(4_000)
                .reserve(1_000)
                .summarizer(summarizer.clone())
                .observer(log.clone());
            let stack = shape.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            let _ = send(&stack, request.clone()).await;
            let received = provider.last_received().expect("sent");
            assert_eq!(received.request.messages, request.messages);
            assert_eq!(ptrs(&received.request), ptrs(&request), "{shape:?}");
            assert_eq!(summarizer.calls(), 0);
            assert_eq!(log.entries(), []);
        }
    }
}

#[tokio::test]
async fn what_is_kept_of_a_cut_request_is_the_same_texts() {
    let provider = provider(4_000);
    let fitter = Fitter::builder()
        .window(4_000)
        .reserve(1_000)
        .summarizer(Scribe::default());
    let stack = Shape::Fit.around(
        bottom(&provider),
        &fitter.build().expect("settings that work"),
    );
    let request = chat(40, 100);
    send(&stack, request.clone()).await.expect("answered");
    let received = provider.last_received().expect("sent");
    let (before, after) = (ptrs(&request), ptrs(&received.request));
    let new = after.iter().filter(|text| !before.contains(text)).count();
    assert_eq!(new, 1, "the summary alone is new");
}

#[tokio::test]
async fn copies_are_made_as_replay_says_and_only_for_a_recovery() {
    let (small, large) = (chat(3, 50), chat(12, 100));
    let shares = estimate(&large) as f64 / 4_000.0;
    assert!(estimate(&small) as f64 / 4_000.0 < 0.25 && shares > 0.5);
    for (replay, copies) in [
        (Replay::Always, [1, 1]),
        (Replay::WhenAbove(0.5), [0, 1]),
        (Replay::WhenAbove(0.9), [0, 0]),
        (Replay::Never, [0, 0]),
    ] {
        for (request, copies) in [&small, &large].into_iter().zip(copies) {
            for shape in Shape::ALL {
                let adapter = Copies::default();
                let provider = provider(4_000);
                let fitter = Fitter::builder()
                    .window(4_000)
                    .reserve(1_000)
                    .replay(replay)
                    .adapter(adapter.clone());
                let stack = shape.around(
                    bottom(&provider),
                    &fitter.build().expect("settings that work"),
                );
                send(&stack, request.clone()).await.expect("it fits");
                let copies = if shape == Shape::Fit { 0 } else { copies };
                assert_eq!(adapter.made(), copies, "{shape:?}, {replay:?}");
            }
        }
    }
}

#[tokio::test]
async fn who_only_reads_usage_makes_no_copy() {
    let adapter = Copies::default();
    let fitter = Fitter::builder()
        .window(4_000)
        .calibrator(Calibrator::default())
        .adapter(adapter.clone())
        .build()
        .expect("settings that work");
    let provider = provider(4_000).hidden_tokens(500);
    let layer = ContextFitLayer::new(fitter.clone()).usage(ChatUsageReader);
    let stack = Erased::new(layer.layer(bottom(&provider)));
    let request = chat(3, 50);
    send(&stack, request.clone()).await.expect("it fits");
    let known = fitter.measure(&request).expect("readable");
    assert_eq!((known.hidden, adapter.made()), (500, 0));
}

#[tokio::test]
async fn a_copy_that_was_not_made_is_not_resent() {
    for (replay, calls) in [
        (Replay::Always, 2),
        (Replay::WhenAbove(0.5), 2),
        (Replay::WhenAbove(0.9), 1),
        (Replay::Never, 1),
    ] {
        for shape in Shape::RECOVERING {
            let (provider, log) = (provider(4_000).overflow_calls(1), Log::default());
            let fitter = Fitter::builder()
                .window(4_000)
                .reserve(1_000)
                .replay(replay)
                .observer(log.clone());
            let stack = shape.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            let result = send(&stack, chat(12, 100)).await;
            assert_eq!(result.is_ok(), calls == 2, "{shape:?}, {replay:?}");
            assert_eq!(provider.calls(), calls);
            assert_eq!(log.entries()[0], Entry::Overflow(calls == 2));
        }
    }
}

/// A request that nobody can copy.
struct Single(ChatRequest);

/// Knows [`Single`].
#[derive(Clone)]
struct Singles;

impl RequestAdapter<Single> for Singles {
    type View<'a> = &'a ChatRequest;

    fn view<'a>(&self, request: &'a Single) -> Result<&'a ChatRequest, AdapterError> {
        Ok(&request.0)
    }

    fn apply(&self, request: &mut Single, plan: &Plan) -> Result<(), ApplyError> {
        request.0.apply(plan)
    }

    fn try_clone(&self, _: &Single) -> Option<Single> {
        None
    }
}

#[tokio::test]
async fn a_request_that_can_not_be_copied_is_fitted_and_its_overflow_reported() {
    for (request, overflows) in [
        (chat(12, 100), 0),
        (chat(12, 100), 1),
        (chat(40, 100), 0),
        (chat(40, 100), 1),
    ] {
        let (provider, log) = (provider(4_000).overflow_calls(overflows), Log::default());
        let fitter = Fitter::builder()
            .window(4_000)
            .reserve(1_000)
            .observer(log.clone());
        let fitter = fitter.adapter(Singles).build().expect("settings that work");
        let stack = ServiceBuilder::new()
            .layer(ContextFitLayer::new(fitter.clone()).overflow_retry(TooLong))
            .map_request(|request: Single| request.0)
            .service(bottom(&provider));
        let result = stack.oneshot(Single(request.clone())).await;
        assert_eq!(provider.calls(), 1);
        if overflows == 0 {
            result.expect("answered");
            continue;
        }
        let error: BoxError = result.expect_err("it overflows");
        assert!(is_final_overflow(&*error));
        assert!(matches!(
            error.downcast_ref(),
            Some(FitError::StillTooLong { .. })
        ));
        assert_eq!(log.entries().last(), Some(&Entry::Overflow(false)));

        // Without `ContextFit`, the provider's own error.
        let provider = provider.overflow_calls(2);
        let stack = OverflowRetryLayer::new(fitter, TooLong)
            .layer(bottom(&provider).map_request(|request: Single| request.0));
        let error = stack
            .oneshot(Single(request))
            .await
            .expect_err("it overflows");
        assert!(error.downcast_ref::<ProviderError>().is_some());
    }
}

#[tokio::test]
async fn a_request_that_is_switched_off_is_left_alone() {
    let mut too_large = chat(40, 100);
    too_large.messages[0] = ChatMessage::system(text("Obey.", 5_000));
    for shape in Shape::ALL {
        for request in [chat(3, 50), chat(40, 100), too_large.clone()] {
            let (provider, summarizer, log) = (provider(4_000), Scribe::default(), Log::default());
            let fitter = Fitter::builder()
                .window(4_000)
                .summarizer(summarizer.clone())
                .observer(log.clone())
                .adapter(Native.with_hints(|_: &ChatRequest| Hints::default().switch(Switch::Off)));
            let stack = shape.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            let _ = send(&stack, request.clone()).await;
            let received = provider.last_received().expect("sent");
            assert_eq!(ptrs(&received.request), ptrs(&request));
            assert_eq!((provider.calls(), summarizer.calls()), (1, 0));
            assert_eq!(log.entries(), []);
        }
    }
}
