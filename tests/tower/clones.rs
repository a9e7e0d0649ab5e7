//! Clones share no state of a request.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_testing::provider::{Outcome, ProviderError};
use contextfit_tests::{Log, Scribe, Shape, TooLong, bottom, chat, provider, ptr, send, texts};
use contextfit_tower::{BoxError, ContextFitLayer, Fitter, FitterBuilder, OverflowRetryLayer};
use tokio::task::JoinSet;
use tokio_test::{assert_pending, assert_ready, assert_ready_ok, task};
use tower::{Service, ServiceExt, service_fn};
use tower_test::mock;

fn fitter() -> FitterBuilder {
    Fitter::builder().window(4_000).reserve(1_000)
}

fn answer(text: &str) -> ChatResponse {
    ChatResponse::new("a-model", ChatMessage::assistant(text), "stop")
}

#[test]
fn an_overflow_of_one_request_is_nothing_to_another() {
    macro_rules! check {
        ($layer:expr) => {
            let (mut one, mut provider) = mock::spawn_layer::<ChatRequest, ChatResponse, _>($layer);
            let mut other = one.clone();
            let mut next =
                || assert_ready!(task::spawn(provider.next_request()).poll()).expect("a request");
            // Both are on their way; one overflows and is summarized …
            assert_ready_ok!(one.poll_ready());
            assert_ready_ok!(other.poll_ready());
            let mut first = task::spawn(one.call(chat(12, 100)));
            let short = chat(3, 50);
            let mut second = task::spawn(other.call(short.clone()));
            assert_pending!(first.poll());
            assert_pending!(second.poll());
            let (_, respond) = next();
            respond.send_error(ProviderError::context_length(9_000, None, 8_000));
            assert_pending!(first.poll());
            // … while the other is sent as it is, and answered.
            let (sent, respond) = next();
            assert_eq!(
                sent.messages.iter().map(ptr).collect::<Vec<_>>(),
                short.messages.iter().map(ptr).collect::<Vec<_>>()
            );
            assert_pending!(second.poll());
            respond.send_response(answer("second"));
            assert_eq!(assert_ready_ok!(second.poll()).text(), "second");
            // A third one through the very instance isn't touched either.
            assert_ready_ok!(one.poll_ready());
            let mut third = task::spawn(one.call(short.clone()));
            assert_pending!(third.poll());
            let (sent, respond) = next();
            assert_eq!(texts(&sent), texts(&short));
            respond.send_response(answer("third"));
            assert_eq!(assert_ready_ok!(third.poll()).text(), "third");

            assert_pending!(first.poll());
            let (sent, respond) = next();
            assert!(sent.messages.len() < chat(12, 100).messages.len());
            respond.send_response(answer("first"));
            assert_eq!(assert_ready_ok!(first.poll()).text(), "first");
        };
    }
    let fitter = || {
        let summarizer = Scribe::default().pending(1);
        fitter()
            .summarizer(summarizer)
            .build()
            .expect("settings that work")
    };
    check!(ContextFitLayer::new(fitter()).overflow_retry(TooLong));
    check!(OverflowRetryLayer::new(fitter(), TooLong));
}

#[tokio::test]
async fn each_request_has_a_recovery_of_its_own() {
    for shape in Shape::RECOVERING {
        // Every other call overflows.
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let provider = service_fn(move |_: ChatRequest| {
            let overflows = counted.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
            let error = ProviderError::context_length(5_000, None, 4_000);
            ready(if overflows {
                Err(BoxError::from(error))
            } else {
                Ok(answer("Done."))
            })
        });
        let fitter = fitter()
            .summarizer(Scribe::default())
            .build()
            .expect("settings that work");
        let mut stack = shape.around(provider, &fitter);
        for request in 1..=3 {
            send(&stack, chat(12, 100)).await.expect("recovered");
            assert_eq!(calls.load(Ordering::Relaxed), 4 * request - 2, "{shape:?}");
            // Through the very instance too.
            let service = stack.ready().await.expect("always ready");
            service.call(chat(40, 100)).await.expect("recovered");
        }
    }
}

#[tokio::test]
async fn twenty_clones_with_one_conversation_do_the_same_thing_each() {
    for shape in Shape::ALL {
        let (provider, log) = (provider(100_000), Log::default());
        let summarizer = Scribe::default().pending(3);
        let fitter = fitter()
            .summarizer(summarizer.clone())
            .observer(log.clone());
        let stack = shape.around(
            bottom(&provider),
            &fitter.build().expect("settings that work"),
        );
        let request = chat(40, 100);
        let before: Vec<_> = texts(&request);

        let mut requests = JoinSet::new();
        for _ in 0..20 {
            let (stack, request) = (stack.clone(), request.clone());
            requests.spawn(async move { send(&stack, request).await });
        }
        for response in requests.join_all().await {
            response.expect("answered");
        }
        let received = provider.received();
        assert_eq!(received.len(), 20);
        let first = texts(&received[0].request);
        for call in &received {
            assert_eq!(call.outcome, Outcome::Answered);
            assert_eq!(texts(&call.request), first);
        }
        assert_eq!(
            texts(&request),
            before,
            "the caller's history is the caller's"
        );
        let fits = if shape == Shape::Retry { 0 } else { 20 };
        assert_eq!(summarizer.calls(), fits, "a summary each, and no more");
        let reports = log.reports();
        assert_eq!(reports.len(), fits);
        assert!(reports.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
