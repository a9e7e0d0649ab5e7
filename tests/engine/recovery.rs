//! The second attempt.

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::request::{EditConversation, Hints, Native, RequestAdapter};
use contextfit_testing::provider::ProviderError;
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{
    Log, Scribe, Shape, bottom, chat, compacted_chat, estimate, provider, ptr, ptrs, send, texts,
};
use contextfit_tower::{BoxError, Fitter, Overflow, Reason, Scope, classifier_fn};

use crate::{ask, envelope, recovering, small, t, talk};

#[tokio::test]
async fn an_overflow_without_numbers_is_recovered_from_beside_a_large_fixed_part() {
    for (system, messages, takes) in [
        (2_500, talk(14, 100), 3_500),
        (2_500, talk(15, 100), 3_400),
        (1_500, talk(30, 60), 2_600),
        (4_500, talk(13, 80), 5_100),
    ] {
        for overflow in [
            Overflow::new(),
            // Numbers that don't say that anything is too long are none.
            Overflow::new().input(5).limit(10, Scope::Input),
        ] {
            for shape in Shape::RECOVERING {
                for summarizer in [Some(Scribe::default()), None] {
                    let provider = provider(takes);
                    let mut fitter = Fitter::builder().summary_keys(summary_keys()).window(8_000);
                    if let Some(summarizer) = summarizer {
                        fitter = fitter.summarizer(summarizer);
                    }
                    let fitter = fitter.build().expect("settings that work");
                    let classifier = classifier_fn(move |_, result: &Result<_, BoxError>| {
                        let _: &ProviderError = result.as_ref().err()?.downcast_ref()?;
                        let _: &Result<ChatResponse, _> = result;
                        Some(overflow)
                    });
                    let stack = recovering(shape, bottom(&provider), &fitter, classifier);
                    let system = ChatMessage::system(t(system));
                    let request = ask(std::iter::once(system).chain(messages.clone()));
                    assert!(estimate(&request) > takes);
                    send(&stack, request).await.expect("recovered");
                    assert_eq!(provider.calls(), 2);
                }
            }
        }
    }
}

/// The requests of the tests below: the first is cut before it is sent, the second isn't, the
/// third was compacted before.
fn requests() -> [ChatRequest; 3] {
    [chat(40, 100), chat(12, 100), compacted_chat()]
}

#[tokio::test]
async fn pins_by_index_hold_in_the_second_attempt() {
    for request in requests() {
        for pins in [vec![5], vec![6, 13], vec![20]] {
            let provider = provider(4_000).overflow_calls(1);
            let hints = pins.clone();
            let fitter = small()
                .summarizer(Scribe::default())
                .adapter(Native.with_hints(move |_: &ChatRequest| {
                    hints.iter().copied().fold(Hints::default(), Hints::pin)
                }))
                .build()
                .expect("settings that work");
            let stack = Shape::Joint.around(bottom(&provider), &fitter);
            send(&stack, request.clone()).await.expect("recovered");
            let received = provider.received();
            assert_eq!(received.len(), 2);
            for call in received {
                let sent = ptrs(&call.request);
                for &pin in &pins {
                    let pinned = &request.messages[pin];
                    assert!(sent.contains(&ptr(pinned)), "{pin} of call {}", call.number);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_report_of_a_recovery_is_about_the_callers_request() {
    for request in requests() {
        for summarizer in [Some(Scribe::default()), None] {
            for shape in [Shape::Joint, Shape::Retry] {
                let (provider, log) = (provider(9_000).overflow_calls(1), Log::default());
                let mut fitter = small().observer(log.clone());
                if let Some(summarizer) = summarizer.clone() {
                    fitter = fitter.summarizer(summarizer);
                }
                let fitter = fitter.build().expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                send(&stack, request.clone()).await.expect("recovered");
                let sent = provider.last_received().expect("sent");
                assert_eq!(sent.number, 1);

                let reports = log.reports();
                let report = reports.last().expect("a report");
                assert_eq!(report.reason, Reason::Overflow);
                assert_eq!(report.tokens_before, estimate(&request));
                assert_eq!(report.tokens_after, estimate(&sent.request));
                let mut own = request.clone();
                own.apply(&report.plan).expect("it is about this one");
                assert_eq!(texts(&own), texts(&sent.request));
            }
        }
    }
}

#[tokio::test]
async fn a_recovery_counts_each_message_once() {
    for (request, before) in requests().into_iter().zip([0, 0, 7]) {
        for summarizer in [Some(Scribe::default()), None] {
            for shape in [Shape::Joint, Shape::Retry] {
                let provider = provider(9_000).overflow_calls(1);
                let (scribe, mut fitter) = (summarizer.clone(), small());
                if let Some(summarizer) = summarizer.clone() {
                    fitter = fitter.summarizer(summarizer);
                }
                let fitter = fitter.build().expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                send(&stack, request.clone()).await.expect("recovered");
                let sent = provider.last_received().expect("sent");
                let found = envelope(&sent.request);
                let kept = sent.request.messages.len() - 1;
                let given = request.messages.len() - usize::from(before > 0);
                assert_eq!(found.messages, (given - kept) as u64 + before);
                match scribe {
                    Some(scribe) => {
                        assert_eq!(found.omitted, 0);
                        // The record that the summarizer is given is the one before both attempts.
                        let jobs = scribe.jobs();
                        let last = jobs.last().expect("a job");
                        assert_eq!(last.messages as u64 + before, found.messages);
                        let previous = (before > 0).then_some("Port 8080 was chosen.");
                        assert_eq!(last.previous.as_deref(), previous);
                    }
                    None => assert_eq!(found.omitted, found.messages - before),
                }
            }
        }
    }
}
