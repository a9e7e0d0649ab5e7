//! A stream is held back until its first content, and reported on after that.

use std::task::Poll;

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_testing::probe::ReadinessProbe;
use contextfit_testing::provider::{ProviderError, ProviderErrorKind};
use contextfit_tests::{
    Entry, Event, Log, Scribe, Script, Shape, Step, Streaming, chat, estimate, look, questions,
};
use contextfit_tower::{
    BoxError, Calibrator, Fitter, ItemKind, Overflow, OverflowClassifier, PeekFirst,
    PeekFirstLayer, Peeked, Scope, Stop, StreamOverflow, Usage, UsageOverflow, UsageReader,
    classifier_fn, is_final_overflow,
};
use futures_util::{FutureExt, StreamExt};
use tower::limit::ConcurrencyLimit;
use tower::{Layer, Service, ServiceExt};

use Event::{Created, Done, Text};
use Step::{Fails, Gives, Waits};

type Peeking = PeekFirst<ReadinessProbe<Streaming>, fn(&Event) -> ItemKind>;

fn peeking(provider: &Streaming) -> Peeking {
    let look: fn(&Event) -> ItemKind = look;
    PeekFirstLayer::new(look).layer(ReadinessProbe::new(provider.clone()))
}

/// An answer with a wait before each of its events.
fn answer() -> Vec<Step> {
    let events = [
        Created(None),
        Text("17 × 23"),
        Text(" is 391."),
        Done(900, 8),
    ];
    events
        .into_iter()
        .flat_map(|event| [Waits, Gives(event)])
        .collect()
}

fn events(steps: &[Step]) -> Vec<Event> {
    let events = steps.iter().filter_map(|step| match step {
        Gives(event) => Some(event.clone()),
        Fails(_) | Waits => None,
    });
    events.collect()
}

fn too_long() -> ProviderError {
    ProviderError::context_length(5_000, None, 3_600)
}

/// Reads usage where an event has it.
#[derive(Clone, Copy, Debug)]
struct EventUsage;

impl UsageReader<Event> for EventUsage {
    fn usage(&self, event: &Event) -> Option<Usage> {
        match *event {
            Created(prompt) => Some(Usage::new(prompt?, 1)),
            Text(_) => None,
            Done(prompt, output) => Some(Usage::new(prompt, output).stop(Some(Stop::Length))),
        }
    }
}

/// Recognises the overflows of the provider, wherever they come.
fn classifier() -> impl OverflowClassifier<Peeked<Script>, BoxError> + Clone + 'static {
    let errors = classifier_fn(|_, result: &Result<Peeked<Script>, BoxError>| {
        let error: &ProviderError = result.as_ref().err()?.downcast_ref()?;
        let &ProviderErrorKind::ContextLength { prompt, window, .. } = &error.kind else {
            return None;
        };
        Some(Overflow::new().input(prompt).limit(window, Scope::Input))
    });
    StreamOverflow::new(std::sync::Arc::new(errors)).usage(UsageOverflow::new(EventUsage))
}

fn fitter(log: &Log) -> Fitter {
    let builder = Fitter::builder().window(4_000).reserve(1_000);
    let builder = builder.summarizer(Scribe::default()).observer(log.clone());
    let builder = builder.calibrator(Calibrator::default());
    builder.build().expect("settings that work")
}

async fn send(
    shape: Shape,
    fitter: &Fitter,
    provider: &Streaming,
    request: ChatRequest,
) -> Result<Peeked<Script>, BoxError> {
    let stack = shape.around_with(peeking(provider), fitter, classifier());
    stack.oneshot(request).await
}

async fn read_all(stream: Peeked<Script>) -> Vec<Event> {
    stream.map(|item| item.expect("no error")).collect().await
}

#[tokio::test]
async fn an_overflow_before_any_content_is_recovered_from() {
    let opened = [Gives(Created(None)), Waits, Gives(Created(Some(5_000)))];
    for before in 0..=opened.len() {
        let mut fails = opened[..before].to_vec();
        fails.push(Fails(too_long()));
        for shape in Shape::RECOVERING {
            for request in [chat(12, 100), chat(40, 100)] {
                let provider = Streaming::new([fails.clone(), answer()]);
                let log = Log::default();
                let stream = send(shape, &fitter(&log), &provider, request).await;
                // Nothing of the first stream is seen.
                let given = read_all(stream.expect("recovered")).await;
                assert_eq!(given, events(&answer()), "{shape:?}");
                let sent = provider.received();
                assert_eq!(sent.len(), 2, "{shape:?}");
                assert!(estimate(&sent[1]) < estimate(&sent[0]));
                assert!(log.entries().contains(&Entry::Overflow(true)));
            }
        }
    }
}

#[tokio::test]
async fn a_second_overflow_in_a_stream_is_final() {
    let fails = vec![Gives(Created(None)), Fails(too_long())];
    let provider = Streaming::new([fails]);
    let given = send(
        Shape::Joint,
        &fitter(&Log::default()),
        &provider,
        chat(12, 100),
    )
    .await;
    assert!(is_final_overflow(&*given.expect_err("too long")));
    assert_eq!(provider.received().len(), 2);
}

#[tokio::test]
async fn an_overflow_after_content_is_reported_and_nothing_is_sent_again() {
    let fails = vec![
        Gives(Created(None)),
        Gives(Text("17")),
        Waits,
        Fails(too_long()),
    ];
    for shape in Shape::RECOVERING {
        let provider = Streaming::new([fails.clone(), answer()]);
        let log = Log::default();
        let fitter = fitter(&log);
        let request = chat(12, 100);
        let before = fitter.explain(&request).expect("readable").budget;
        let stream = send(shape, &fitter, &provider, request.clone()).await;
        let mut stream = stream.expect("there was content");
        for event in [Created(None), Text("17")] {
            let given = stream.next().await.expect("an item");
            assert_eq!(given.expect("no error"), event);
        }
        assert_eq!(log.entries(), vec![], "{shape:?}");
        let error = stream.next().await.expect("an item").expect_err("it fails");
        assert!(error.is::<ProviderError>());
        assert_eq!(log.entries(), vec![Entry::Overflow(false)], "{shape:?}");
        // What it taught holds for the next request.
        let after = fitter.explain(&request).expect("readable").budget;
        assert!(after.expect("room").limit < before.expect("room").limit);
        assert!(stream.next().await.is_none());
        assert_eq!(provider.received().len(), 1);
    }
}

#[test]
fn content_is_handed_on_as_it_comes_with_what_was_held_before_it() {
    let provider = Streaming::new([answer()]);
    let request = ChatRequest::new("a-model", []);
    let mut future = tokio_test::task::spawn(peeking(&provider).oneshot(request));
    // One poll for each wait and each item: none in advance, none left out.
    assert!(future.poll().is_pending());
    assert_eq!(provider.polls(), 1);
    assert!(future.is_woken() && future.poll().is_pending());
    assert_eq!(provider.polls(), 3);
    let Poll::Ready(stream) = future.poll() else {
        panic!("there is content");
    };
    assert_eq!(provider.polls(), 4);

    let mut stream = tokio_test::task::spawn(stream.expect("no error"));
    let mut next = || match stream.poll_next() {
        Poll::Ready(item) => Some(item.map(|item| item.expect("no error"))),
        Poll::Pending => None,
    };
    assert_eq!(next(), Some(Some(Created(None))));
    assert_eq!(next(), Some(Some(Text("17 × 23"))));
    assert_eq!(provider.polls(), 4);
    for (given, polls) in [
        (None, 5),
        (Some(Some(Text(" is 391."))), 6),
        (None, 7),
        (Some(Some(Done(900, 8))), 8),
        (Some(None), 9),
        // The inner stream isn't polled after its end: it would panic.
        (Some(None), 9),
    ] {
        assert_eq!(next(), given);
        assert_eq!(provider.polls(), polls);
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_an_answer_is_told_apart() {
    let opened = vec![Gives(Created(None)), Waits];
    let complete = vec![Gives(Created(None)), Gives(Done(900, 0))];
    for (steps, is_empty) in [
        (vec![], true),
        (opened, true),
        (complete, false),
        (answer(), false),
    ] {
        for trust in [false, true] {
            let provider = Streaming::new([steps.clone(), answer()]);
            let classifier =
                StreamOverflow::new(classifier_fn(|_, _: &Result<Peeked<Script>, BoxError>| {
                    None
                }));
            let classifier = std::sync::Arc::new(classifier.trust_empty(trust));
            let fitter = fitter(&Log::default());
            let stack = Shape::Joint.around_with(peeking(&provider), &fitter, classifier);
            let stream = stack.oneshot(chat(12, 100)).await.expect("no error");

            let again = is_empty && trust;
            assert_eq!(provider.received().len(), if again { 2 } else { 1 });
            assert_eq!(stream.is_empty(), is_empty && !trust);
            let all = if again { answer() } else { steps.clone() };
            assert_eq!(read_all(stream).await, events(&all));
        }
    }
}

#[tokio::test]
async fn no_more_is_held_than_is_set() {
    let endless = vec![Gives(Created(None)); 1_000];
    for (most, held) in [
        (None, PeekFirstLayer::<()>::MOST_HELD),
        (Some(5), 5),
        (Some(0), 1),
    ] {
        let provider = Streaming::new([endless.clone()]);
        let mut layer = PeekFirstLayer::new(look);
        if let Some(most) = most {
            layer = layer.most_held(most);
        }
        let service = layer.layer(provider.clone());
        let stream = service.oneshot(chat(1, 1)).await.expect("no error");
        assert_eq!(provider.polls(), held);
        assert!(!stream.is_empty());
        assert_eq!(read_all(stream).await.len(), 1_000);
    }
}

/// The same request with one more exchange.
fn grown(mut request: ChatRequest) -> ChatRequest {
    request.messages.push(ChatMessage::assistant("Yes."));
    request.messages.push(ChatMessage::user("Why?"));
    request
}

#[tokio::test]
async fn usage_at_the_end_of_a_stream_teaches_and_a_stream_that_is_given_up_does_not() {
    let request = questions(3, 100);
    // At the end, or the prompt at the start and only the output at the end.
    let mut apart = answer();
    apart[1] = Gives(Created(Some(900)));
    apart[7] = Gives(Done(0, 8));
    for steps in [answer(), apart] {
        for read in 0..=5 {
            let provider = Streaming::new([steps.clone()]);
            let log = Log::default();
            let fitter = fitter(&log);
            let next = grown(request.clone());
            let measured = || fitter.measure(&next).expect("readable").prompt();
            let untaught = measured();
            let stream = send(Shape::Joint, &fitter, &provider, request.clone()).await;
            let mut stream = stream.expect("an answer");
            for _ in 0..read {
                stream.next().await;
            }
            drop(stream);
            // Four events, and the end.
            let taught = if read == 5 { 900 + 5 + 5 } else { untaught };
            assert_eq!(measured(), taught, "{read} read of {steps:?}");
            assert_eq!(log.entries(), vec![]);
        }
    }
}

#[tokio::test]
async fn usage_that_means_an_overflow_is_reported_as_one() {
    // The prompt and the output are the window.
    let mut full = answer();
    full[7] = Gives(Done(3_992, 8));
    let provider = Streaming::new([full]);
    let log = Log::default();
    let fitter = fitter(&log);
    let stream = send(Shape::Joint, &fitter, &provider, questions(3, 100)).await;
    read_all(stream.expect("an answer")).await;
    assert_eq!(log.entries(), vec![Entry::Overflow(false)]);
    assert_eq!(provider.received().len(), 1);
}

#[test]
fn a_stream_that_is_peeked_at_takes_no_place_among_the_calls() {
    let provider = Streaming::new([answer()]);
    let limited = ConcurrencyLimit::new(provider.clone(), 1);
    let mut service = PeekFirstLayer::new(look).layer(limited);
    for _ in 0..2 {
        assert!(service.ready().now_or_never().is_some());
        let future = service.call(ChatRequest::new("a-model", []));
        let mut future = tokio_test::task::spawn(future);
        assert!(future.poll().is_pending());
        std::mem::forget(future);
    }
    assert_eq!(provider.received().len(), 2);
}

#[test]
fn back_pressure_is_passed_on() {
    let (mut service, mut handle) =
        tower_test::mock::spawn_layer::<ChatRequest, Script, _>(PeekFirstLayer::new(look));
    handle.allow(0);
    assert!(service.poll_ready().is_pending());
    handle.allow(1);
    assert!(service.poll_ready().is_ready());
    let mut future = tokio_test::task::spawn(service.call(ChatRequest::new("a-model", [])));
    assert!(service.poll_ready().is_pending());
    assert!(future.poll().is_pending());
    let (_, respond) = handle
        .next_request()
        .now_or_never()
        .flatten()
        .expect("called");
    respond.send_error("no connection");
    let Poll::Ready(Err(error)) = future.poll() else {
        panic!("an error of the inner service");
    };
    assert_eq!(error.to_string(), "no connection");
}
