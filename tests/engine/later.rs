//! What a response says only after it was handed on.

use std::sync::{Arc, Mutex};

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_testing::probe::ReadinessProbe;
use contextfit_tests::{Shape, chat, questions};
use contextfit_tower::{
    BoxError, Calibrator, Fitter, LateReport, NoRetry, Overflow, OverflowClassifier, Scope, Sent,
    Usage, classifier_fn, observer_fn,
};
use tower::{ServiceExt, service_fn};

use crate::small;

/// A response that can carry what reports on it later.
#[derive(Debug, Default)]
struct Response {
    report: Option<LateReport>,
}

/// When a classifier tells what it reads.
#[derive(Clone, Copy, Debug)]
enum Tells {
    Now(Usage),
    Later,
    Overflow(Overflow),
}

impl OverflowClassifier<Response, BoxError> for Tells {
    fn classify(&self, _: &Sent<'_>, _: &Result<Response, BoxError>) -> Option<Overflow> {
        match *self {
            Self::Overflow(overflow) => Some(overflow),
            Self::Now(_) | Self::Later => None,
        }
    }

    fn usage(&self, _: &Response) -> Option<Usage> {
        match *self {
            Self::Now(usage) => Some(usage),
            Self::Later | Self::Overflow(_) => None,
        }
    }

    fn report_later(&self, response: &mut Response, report: LateReport) {
        response.report = Some(report);
    }

    fn recovers(&self) -> bool {
        // Nothing is to be sent again: what is told now is compared with what is told later.
        false
    }
}

/// A fitter, and all that its observer heard, in words.
fn fitter() -> (Fitter, Arc<Mutex<Vec<String>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&heard);
    let builder = small()
        .calibrator(Calibrator::default())
        .observer(observer_fn(move |event| {
            hears
                .lock()
                .expect("nobody panicked")
                .push(format!("{event:?}"));
        }));
    (builder.build().expect("settings that work"), heard)
}

/// The response of a provider that always answers.
async fn answer<C>(shape: Shape, fitter: &Fitter, request: ChatRequest, classifier: C) -> Response
where
    C: OverflowClassifier<Response, BoxError> + Clone + 'static,
{
    let provider = service_fn(async |_: ChatRequest| Ok::<_, BoxError>(Response::default()));
    let stack = shape.around_with(ReadinessProbe::new(provider), fitter, classifier);
    stack.oneshot(request).await.expect("an answer")
}

/// The same request with one more exchange.
fn grown(mut request: ChatRequest) -> ChatRequest {
    request.messages.push(ChatMessage::assistant("Yes."));
    request.messages.push(ChatMessage::user("Why?"));
    request
}

#[tokio::test]
async fn what_is_told_later_does_what_it_does_when_it_is_told_at_once() {
    let (usage, overflow) = (
        Usage::new(900, 40),
        Overflow::new().input(3_900).limit(2_000, Scope::Total),
    );
    for shape in Shape::RECOVERING {
        // One that fits, and one that is cut: what is learned is learned of what was sent.
        for request in [questions(3, 100), chat(40, 100)] {
            for (at_once, is_overflow) in [
                (Tells::Now(usage), false),
                (Tells::Overflow(overflow), true),
            ] {
                let (now, heard_now) = fitter();
                answer(shape, &now, request.clone(), at_once).await;
                let (later, heard_later) = fitter();
                let response = answer(shape, &later, request.clone(), Tells::Later).await;
                let report = response.report.expect("it was handed over");
                // On whichever task the response is read.
                let told = tokio::spawn(async move {
                    if is_overflow {
                        report.overflow(overflow);
                    } else {
                        report.usage(usage);
                    }
                });
                told.await.expect("no panic");

                let heard = heard_now.lock().expect("nobody panicked").clone();
                assert_eq!(
                    *heard_later.lock().expect("nobody panicked"),
                    heard,
                    "{shape:?}"
                );
                assert!(!heard.is_empty());
                let next = grown(request.clone());
                let measured = |fitter: &Fitter| fitter.measure(&next).expect("readable");
                assert_eq!(measured(&later), measured(&now), "{shape:?}");
                // A limit that was learned shows in what a fit allows.
                let explained = |fitter: &Fitter| format!("{:?}", fitter.explain(&next));
                assert_eq!(explained(&later), explained(&now), "{shape:?}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_told_later_is_learned() {
    let request = questions(3, 100);
    let (fitter, _) = fitter();
    let response = answer(Shape::Joint, &fitter, request.clone(), Tells::Later).await;
    let report = response.report.expect("it was handed over");
    assert_eq!(report.sent().model, Some("a-model"));
    report.usage(Usage::new(900, 40));
    let measured = fitter.measure(&grown(request.clone())).expect("readable");
    assert_eq!(measured.prompt(), 900 + 5 + 5);
}

#[tokio::test]
async fn what_is_never_told_does_nothing() {
    let request = questions(3, 100);
    for shape in Shape::RECOVERING {
        let (fitter, heard) = fitter();
        let before = fitter.measure(&grown(request.clone())).expect("readable");
        drop(answer(shape, &fitter, request.clone(), Tells::Later).await);
        let after = fitter.measure(&grown(request.clone())).expect("readable");
        assert_eq!(before, after);
        let heard = heard.lock().expect("nobody panicked");
        assert!(heard.iter().all(|event| event.starts_with("Passed")));
    }
}

#[tokio::test]
async fn a_report_finds_the_classifier_that_takes_it_wherever_it_stands() {
    let blind = classifier_fn(|_, _: &Result<Response, BoxError>| None);
    let request = questions(3, 100);
    let (fitter, _) = fitter();
    let boxed: Arc<dyn OverflowClassifier<Response, BoxError>> = Arc::new(Box::new(Tells::Later));
    let found = [
        answer(Shape::Joint, &fitter, request.clone(), boxed).await,
        answer(
            Shape::Joint,
            &fitter,
            request.clone(),
            Tells::Later.or(NoRetry),
        )
        .await,
        answer(
            Shape::Joint,
            &fitter,
            request.clone(),
            blind.or(Tells::Later),
        )
        .await,
    ];
    for (number, response) in found.iter().enumerate() {
        assert!(response.report.is_some(), "{number}");
    }
    // There is no use for one where all was told.
    let told = answer(
        Shape::Joint,
        &fitter,
        request,
        Tells::Now(Usage::new(900, 40)),
    )
    .await;
    assert!(told.report.is_none());
}
