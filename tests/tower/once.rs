//! A request is recovered once, and never more than that.

use contextfit_core::chat::ChatResponse;
use contextfit_testing::probe::ReadinessProbe;
use contextfit_testing::provider::{
    Overflowing, ProviderError, ProviderErrorKind, SimulatedProvider,
};
use contextfit_tests::{
    Entry, Erased, Log, Scribe, Shape, TooLong, Transient, bottom, chat, estimate, provider,
    questions, send,
};
use contextfit_tower::{
    BoxError, ChatUsageReader, ContextFitLayer, FitError, Fitter, OverflowClassifier,
    OverflowRetryLayer, UsageOverflow, is_final_overflow,
};
use tower::retry::Retry;
use tower::{Layer, ServiceExt};

const ALWAYS: usize = usize::MAX;

fn fitter() -> Fitter {
    let builder = Fitter::builder()
        .window(4_000)
        .reserve(1_000)
        .summarizer(Scribe::default());
    builder.build().expect("settings that work")
}

fn overflows(calls: usize) -> SimulatedProvider {
    provider(4_000).overflow_calls(calls)
}

#[tokio::test]
async fn an_overflow_is_recovered_from() {
    for shape in Shape::RECOVERING {
        for request in [chat(12, 100), chat(40, 100)] {
            let provider = overflows(1);
            let stack = shape.around(bottom(&provider), &fitter());
            send(&stack, request).await.expect("recovered");
            let sent = provider.received();
            assert_eq!(sent.len(), 2);
            assert!(
                estimate(&sent[1].request) < estimate(&sent[0].request),
                "{shape:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_second_overflow_is_the_end() {
    for shape in Shape::RECOVERING {
        // The third call would be answered; it is never made.
        for calls in [2, 3, ALWAYS] {
            for request in [chat(12, 100), chat(40, 100)] {
                let provider = overflows(calls);
                let stack = shape.around(bottom(&provider), &fitter());
                send(&stack, request).await.expect_err("it overflows again");
                assert_eq!(provider.calls(), 2, "{shape:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_joint_service_says_that_it_is_final_and_why() {
    let provider = overflows(2);
    let stack = Shape::Joint.around(bottom(&provider), &fitter());
    let error = send(&stack, chat(12, 100))
        .await
        .expect_err("it overflows again");
    assert!(is_final_overflow(&*error));
    let Some(FitError::StillTooLong { source }) = error.downcast_ref() else {
        panic!("{error:?}");
    };
    let said: &ProviderError = source.downcast_ref().expect("what the provider said");
    assert!(matches!(said.kind, ProviderErrorKind::ContextLength { .. }));
}

#[tokio::test]
async fn overflow_retry_alone_gives_the_providers_error_unchanged() {
    let provider = overflows(2);
    let stack =
        OverflowRetryLayer::new(fitter(), TooLong).layer(ReadinessProbe::new(provider.clone()));
    let error: ProviderError = stack
        .oneshot(chat(12, 100))
        .await
        .expect_err("it overflows again");
    let sent = estimate(&provider.last_received().expect("two calls").request);
    assert_eq!(error, ProviderError::context_length(4_001, None, 4_000));
    assert!(sent < estimate(&chat(12, 100)));
    assert_eq!(provider.calls(), 2);
}

#[tokio::test]
async fn what_can_not_be_made_smaller_is_not_sent_again() {
    for shape in Shape::RECOVERING {
        let provider = overflows(ALWAYS);
        let stack = shape.around(bottom(&provider), &fitter());
        let error = send(&stack, questions(1, 1_500))
            .await
            .expect_err("it overflows");
        assert_eq!(provider.calls(), 1, "{shape:?}");
        assert_eq!(is_final_overflow(&*error), shape == Shape::Joint);
    }
}

#[tokio::test]
async fn a_recovery_without_a_usable_summary_is_none() {
    let summarizers = [Scribe::new(""), Scribe::new("word ".repeat(10_000))];
    for (shape, summarizer) in Shape::RECOVERING
        .into_iter()
        .flat_map(|shape| summarizers.clone().map(|one| (shape, one)))
    {
        let provider = overflows(1);
        let fitter = Fitter::builder()
            .window(4_000)
            .reserve(1_000)
            .summarizer(summarizer);
        let stack = shape.around(
            bottom(&provider),
            &fitter.build().expect("settings that work"),
        );
        send(&stack, chat(12, 100)).await.expect_err("it overflows");
        assert_eq!(provider.calls(), 1, "{shape:?}");
    }
}

#[tokio::test]
async fn an_error_that_is_no_overflow_is_passed_on() {
    for shape in Shape::ALL {
        let provider = provider(4_000).fail_after(0, 429);
        let stack = shape.around(bottom(&provider), &fitter());
        let error = send(&stack, chat(12, 100)).await.expect_err("scripted");
        let error: &ProviderError = error.downcast_ref().expect("the provider's own");
        assert_eq!(*error, ProviderError::scripted(429));
        assert_eq!(provider.calls(), 1);
    }
    // Also when it comes after an overflow.
    for shape in Shape::RECOVERING {
        let provider = overflows(1).fail_after(1, 429);
        let stack = shape.around(bottom(&provider), &fitter());
        let error = send(&stack, chat(12, 100)).await.expect_err("scripted");
        assert!(!is_final_overflow(&*error));
        assert!(error.downcast_ref::<ProviderError>().is_some(), "{error:?}");
        assert_eq!(provider.calls(), 2);
    }
}

#[tokio::test]
async fn a_success_that_is_an_overflow_is_recovered_from_once() {
    for overflowing in [Overflowing::FullWindow, Overflowing::TruncateSilently] {
        for (calls, made) in [(1, 2), (2, 2), (ALWAYS, 2)] {
            // The prompt counts for more than the window that the client knows.
            let provider = provider(5_000).overflow(overflowing).overflow_calls(calls);
            let classifier = OverflowClassifier::<ChatResponse, BoxError>::or(
                TooLong,
                UsageOverflow::new(ChatUsageReader),
            );
            let layer = ContextFitLayer::new(fitter()).overflow_retry(classifier);
            let stack = Erased::new(layer.layer(bottom(&provider)));
            let response = send(&stack, chat(12, 100)).await.expect("a success");
            assert_eq!(provider.calls(), made, "{overflowing:?}");
            let is_whole = response.usage.expect("counted").prompt_tokens < 4_000;
            assert_eq!(is_whole, calls == 1);
        }
    }
}

fn retried(stack: Erased) -> Erased {
    Erased::new(Retry::new(Transient(9), stack))
}

#[tokio::test]
async fn a_retry_outside_does_not_multiply_the_calls() {
    let log = Log::default();
    for (request, calls) in [
        (chat(12, 100), 2),
        (chat(40, 100), 2),
        // Nothing to cut …
        (questions(1, 1_500), 1),
    ] {
        let provider = overflows(ALWAYS);
        let stack = retried(Shape::Joint.around(bottom(&provider), &fitter()));
        let error = send(&stack, request).await.expect_err("it overflows");
        assert!(is_final_overflow(&*error));
        assert_eq!(provider.calls(), calls);
    }
    // … and no room: not even sent.
    let provider = provider(4_000);
    let fitter = Fitter::builder().window(50).observer(log.clone());
    let fitter = fitter.build().expect("settings that work");
    let stack = retried(Shape::Joint.around(bottom(&provider), &fitter));
    let mut request = chat(1, 10);
    request.max_tokens = Some(50);
    send(&stack, request).await.expect_err("no room");
    assert_eq!(provider.calls(), 0);
    assert_eq!(log.entries().len(), 1, "refused once");
    assert!(matches!(log.entries()[0], Entry::Refused(_)));
}

#[tokio::test]
async fn a_retry_outside_retries_what_is_transient() {
    let provider = provider(4_000).fail_after(0, 503);
    let stack = retried(Shape::Joint.around(bottom(&provider), &fitter()));
    send(&stack, chat(12, 100)).await.expect_err("always");
    assert_eq!(provider.calls(), 10);
}
