//! What was done to a request comes beside its response, if that is asked for.

use std::task::Poll;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::request::EditConversation;
use contextfit_testing::provider::SimulatedProvider;
use contextfit_tests::{
    Erased, Hesitant, Log, Scribe, Shape, TooLong, agent, bottom, chat, compacted_chat, provider,
    questions, send, unique,
};
use contextfit_tower::{
    BoxError, ChatUsageReader, ContextFitLayer, FitError, FittedResponse, Fitter, Overflow, Reason,
    Sent, chat_summarizer, classifier_fn,
};
use tokio_test::task;
use tower::limit::ConcurrencyLimit;
use tower::util::BoxCloneSyncService;
use tower::{Layer, Service, ServiceExt};

use crate::{built, small};

type Reported = BoxCloneSyncService<ChatRequest, FittedResponse<ChatResponse>, BoxError>;

/// The same stack as [`Shape::Fit`] and [`Shape::Joint`] are, with reports.
fn reporting(shape: Shape, inner: Erased, fitter: &Fitter) -> Reported {
    let layer = ContextFitLayer::new(fitter.clone());
    match shape {
        Shape::Fit => Reported::new(layer.reporting().layer(inner)),
        _ => Reported::new(layer.overflow_retry(TooLong).reporting().layer(inner)),
    }
}

#[tokio::test]
async fn a_report_is_of_what_was_sent_and_all_else_is_as_without() {
    let requests = [
        chat(3, 50),
        chat(12, 100),
        chat(40, 100),
        compacted_chat(),
        agent(3, 6, 80, unique),
        questions(1, 3_500),
    ];
    for request in requests {
        for shape in [Shape::Fit, Shape::Joint] {
            for overflows in [0, 1, 2] {
                let made = || {
                    let (provider, log) =
                        (provider(100_000).overflow_calls(overflows), Log::default());
                    let fitter = small().summarizer(Scribe::default()).observer(log.clone());
                    (provider, built(fitter), log)
                };
                let (plain, fitter, plain_log) = made();
                let without = send(&shape.around(bottom(&plain), &fitter), request.clone()).await;
                let (provider, fitter, log) = made();
                let stack = reporting(shape, bottom(&provider), &fitter);
                let with = stack.oneshot(request.clone()).await;

                assert_eq!(log.names(), plain_log.names());
                assert_eq!(sent(&provider), sent(&plain));
                let fitted = match (with, without) {
                    (Ok(fitted), Ok(response)) => {
                        assert_eq!(fitted.response, response);
                        fitted
                    }
                    (Err(error), Err(expected)) => {
                        assert_eq!(error.to_string(), expected.to_string());
                        continue;
                    }
                    (with, without) => panic!("{with:?} and {without:?}"),
                };
                let [.., last] = &sent(&provider)[..] else {
                    panic!("it was sent");
                };
                assert_eq!(fitted.report, log.reports().pop());
                let mut own = request.clone();
                if let Some(report) = &fitted.report {
                    assert_eq!(report.reason == Reason::Overflow, overflows > 0);
                    own.apply(&report.plan).expect("it was made for it");
                }
                assert_eq!(seen(&own), *last);
            }
        }
    }
}

/// What of a request a fit may change.
type Seen = (Vec<ChatMessage>, Option<u32>);

fn seen(request: &ChatRequest) -> Seen {
    (request.messages.clone(), request.max_tokens)
}

fn sent(provider: &SimulatedProvider) -> Vec<Seen> {
    let calls = provider.received().into_iter();
    calls.map(|call| seen(&call.request)).collect()
}

#[tokio::test]
async fn what_an_answer_costs_is_beside_it_where_somebody_reads_it() {
    let (provider, log) = (provider(100_000), Log::default());
    let fitter = built(small().observer(log.clone()));
    let layer = || ContextFitLayer::new(fitter.clone());
    let request = || chat(3, 50);
    let reads = layer().usage(ChatUsageReader).reporting();
    let fitted = reads.layer(bottom(&provider)).oneshot(request()).await;
    let usage = fitted.expect("answered").usage.expect("the answer says");
    assert_eq!(usage.input, contextfit_tests::estimate(&request()));
    let reads_none = layer().reporting();
    let fitted = reads_none.layer(bottom(&provider)).oneshot(request()).await;
    assert_eq!(fitted.expect("answered").usage, None);
}

/// What comes of a provider whose first answer is one, and means that there was no room; all later
/// ones fail.
async fn first_answer(request: ChatRequest) -> (FittedResponse<ChatResponse>, Log) {
    let log = Log::default();
    let fitter = built(small().observer(log.clone()));
    let provider = provider(100_000).fail_after(1, 503);
    let no_room =
        |_: &Sent<'_>, result: &Result<_, _>| result.as_ref().ok().map(|_| Overflow::new());
    let layer = ContextFitLayer::new(fitter)
        .overflow_retry(classifier_fn(no_room))
        .usage(ChatUsageReader)
        .reporting();
    let fitted = layer.layer(bottom(&provider)).oneshot(request).await;
    assert_eq!(provider.calls(), 2);
    (fitted.expect("the first answer"), log)
}

#[tokio::test]
async fn where_the_first_answer_stands_its_report_and_its_cost_do() {
    let (fitted, log) = first_answer(chat(12, 100)).await;
    assert_eq!(log.names(), ["passed", "usage", "overflow", "fitted"]);
    assert!(fitted.report.is_none() && fitted.usage.is_some());
    let (fitted, log) = first_answer(chat(40, 100)).await;
    assert_eq!(log.names(), ["fitted", "usage", "overflow", "fitted"]);
    assert_eq!(fitted.report.as_ref(), log.reports().first());
    assert!(fitted.usage.is_some());
}

#[tokio::test]
async fn an_output_that_was_lowered_is_in_the_report() {
    let (provider, log) = (provider(4_000), Log::default());
    let mut request = chat(12, 100);
    request.max_tokens = Some(2_000);
    // It believes in a larger window.
    let fitter = Fitter::builder().window(100_000).lower_output_first(true);
    let fitter = built(fitter.observer(log.clone()));
    let stack = reporting(Shape::Joint, bottom(&provider), &fitter);
    let fitted = stack.oneshot(request.clone()).await.expect("answered");
    assert_eq!(log.names(), ["passed", "overflow", "fitted", "recovered"]);
    let report = fitted.report.expect("it was changed");
    request.apply(&report.plan).expect("it was made for it");
    assert_eq!(Some(&seen(&request)), sent(&provider).last());
    assert!(request.max_tokens < Some(2_000));
}

#[tokio::test]
async fn a_request_that_is_refused_is_an_error_as_without() {
    let fitter = built(small().when_stuck(contextfit_tower::WhenStuck::Refuse));
    let provider = provider(100_000);
    let stack = reporting(Shape::Joint, bottom(&provider), &fitter);
    let error = stack
        .oneshot(questions(1, 3_500))
        .await
        .expect_err("refused");
    assert!(matches!(
        error.downcast_ref(),
        Some(FitError::CannotFit { .. })
    ));
    assert_eq!(provider.calls(), 0);
}

#[test]
fn a_request_given_up_at_any_point_leaves_the_stack_usable() {
    // More polls than any request here needs.
    const ENOUGH: usize = 200;
    for request in [chat(12, 100), chat(40, 100)] {
        let mut points = 0;
        loop {
            let provider = provider(100_000).overflow_calls(1);
            let limited = ConcurrencyLimit::new(Hesitant::new(bottom(&provider), 2), 1);
            let limited = Erased::new(limited);
            let fitter = small().summarizer(chat_summarizer(limited.clone(), "a-summarizer"));
            let mut stack = reporting(Shape::Joint, limited, &built(fitter));
            let mut ends = |request: ChatRequest, after: usize| {
                let mut response = task::spawn(async { stack.ready().await?.call(request).await });
                (0..after).find_map(|_| match response.poll() {
                    Poll::Ready(result) => Some(result),
                    Poll::Pending => None,
                })
            };
            let ended = ends(request.clone(), points).is_some();
            // The scripted overflow may still be to come.
            ends(chat(1, 20), ENOUGH);
            assert!(matches!(ends(chat(40, 100), ENOUGH), Some(Ok(_))));
            if ended {
                break;
            }
            points += 1;
        }
        assert!(points > 4, "there were points to give up at");
    }
}

#[test]
fn a_response_with_its_report_prints_nothing_of_either() {
    let fitter = built(small());
    let stack = reporting(Shape::Fit, bottom(&provider(100_000)), &fitter);
    let mut fitted = task::spawn(stack.oneshot(chat(40, 100)));
    let Poll::Ready(Ok(fitted)) = fitted.poll() else {
        panic!("answered at once");
    };
    assert!(fitted.response.text() == "Done." && fitted.report.is_some());
    let printed = format!("{fitted:?} {:?}", fitted.clone().map(|_| "Done."));
    assert!(!printed.contains("Done.") && !printed.contains("Question"));
}
