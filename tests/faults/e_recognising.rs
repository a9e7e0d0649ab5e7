//! E. An overflow is recognised while it can still be helped, and never after that.

use std::collections::VecDeque;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use contextfit_core::chat::ChatRequest;
use contextfit_testing::probe::ReadinessProbe;
use contextfit_testing::provider::{ProviderError, ProviderErrorKind};
use contextfit_tests::{Scribe, Shape, agent, chat, estimate, pending, questions, unique};
use contextfit_tower::{
    BoxError, Fitter, Overflow, OverflowClassifier, Scope, Sent, is_final_overflow,
};
use tower::{Service, ServiceExt};

/// What comes in a stream.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    /// The stream was opened: nothing that a user would see.
    Created,
    /// Some of the answer.
    Content(&'static str),
    /// The end, though the status said that all is well.
    Failed(ProviderError),
}

/// A response whose body is a stream.
#[derive(Clone, Debug, PartialEq)]
struct Streamed {
    /// The call that it answers, from 0.
    call: usize,
    /// The events that were there before the response was: a classifier may look at them.
    early: usize,
    events: VecDeque<Event>,
}

impl Streamed {
    async fn next(&mut self) -> Option<Event> {
        pending(1).await;
        self.events.pop_front()
    }

    async fn read_all(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// What a provider does at a call: it streams, or it refuses.
type Act = Result<Vec<Event>, ProviderError>;

/// A provider that answers with streams, by a script.
#[derive(Clone)]
struct Streaming {
    script: Arc<[Act]>,
    early: usize,
    received: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Streaming {
    fn new(script: &[Act], early: usize) -> Self {
        Self {
            script: script.into(),
            early,
            received: Arc::default(),
        }
    }

    fn received(&self) -> Vec<ChatRequest> {
        self.received.lock().expect("nobody panicked").clone()
    }
}

impl Service<ChatRequest> for Streaming {
    type Response = Streamed;
    type Error = BoxError;
    type Future = Ready<Result<Streamed, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ChatRequest) -> Self::Future {
        let mut received = self.received.lock().expect("nobody panicked");
        let call = received.len();
        received.push(request);
        let act = self.script.get(call).expect("a call that the script knows");
        ready(match act.clone() {
            Ok(events) => Ok(Streamed {
                call,
                early: self.early.min(events.len()),
                events: events.into(),
            }),
            Err(error) => Err(error.into()),
        })
    }
}

/// Recognises an overflow by the error, or by an error among the early events of a stream that
/// nothing but its opening stands before.
#[derive(Clone, Copy, Debug)]
struct Early;

impl OverflowClassifier<Streamed, BoxError> for Early {
    fn classify(&self, _: &Sent<'_>, result: &Result<Streamed, BoxError>) -> Option<Overflow> {
        let error = match result {
            Err(error) => error.downcast_ref()?,
            Ok(streamed) => {
                let mut early = streamed.events.iter().take(streamed.early);
                let Event::Failed(error) = early.find(|event| **event != Event::Created)? else {
                    return None;
                };
                error
            }
        };
        let ProviderError { kind, .. } = error;
        let &ProviderErrorKind::ContextLength { prompt, window, .. } = kind else {
            return None;
        };
        Some(Overflow::new().input(prompt).limit(window, Scope::Input))
    }
}

fn too_long() -> ProviderError {
    ProviderError::context_length(5_000, None, 4_000)
}

/// Sends a request through the layers.
async fn stream(
    shape: Shape,
    request: ChatRequest,
    provider: &Streaming,
) -> Result<Streamed, BoxError> {
    let fitter = Fitter::builder()
        .window(4_000)
        .reserve(1_000)
        .summarizer(Scribe::default());
    let fitter = fitter.build().expect("settings that work");
    let probe = ReadinessProbe::new(provider.clone());
    let stack = shape.around_with(probe, &fitter, Early);
    stack.oneshot(request).await
}

fn requests() -> [ChatRequest; 3] {
    [chat(12, 100), chat(40, 100), agent(3, 6, 80, unique)]
}

#[tokio::test]
async fn e4_nothing_is_sent_again_once_there_was_content() {
    use Event::{Content, Created, Failed};
    for events in [
        vec![Content("The port"), Failed(too_long())],
        vec![Content("The port"), Content(" is"), Failed(too_long())],
        vec![Created, Content("The port"), Failed(too_long())],
        vec![
            Created,
            Created,
            Content(""),
            Content("8080"),
            Failed(too_long()),
        ],
        vec![
            Created,
            Content("The port"),
            Failed(ProviderError::scripted(503)),
        ],
        vec![Created, Content("The port")],
    ] {
        // However much of it was there before anybody could read it.
        for early in 0..=events.len() {
            for shape in Shape::ALL {
                for request in requests() {
                    let provider = Streaming::new(&[Ok(events.clone())], early);
                    let streamed = stream(shape, request, &provider).await.expect("a stream");
                    assert_eq!(streamed.read_all().await, events, "{shape:?}");
                    // Not when the error was read, either.
                    assert_eq!(provider.received().len(), 1);
                }
            }
        }
    }
}

#[tokio::test]
async fn e4_an_overflow_that_nobody_saw_coming_is_passed_on() {
    use Event::{Created, Failed};
    // It arrives after the response was given out.
    for events in [
        vec![Failed(too_long())],
        vec![Created, Failed(too_long())],
        vec![Created, Created, Failed(too_long())],
    ] {
        for early in 0..events.len() {
            for shape in Shape::ALL {
                let provider = Streaming::new(&[Ok(events.clone())], early);
                let streamed = stream(shape, chat(12, 100), &provider).await;
                assert_eq!(streamed.expect("a stream").read_all().await, events);
                assert_eq!(provider.received().len(), 1, "{shape:?}");
            }
        }
    }
}

#[tokio::test]
async fn e4_an_overflow_at_the_start_of_a_stream_is_recovered_from_before_anybody_sees_it() {
    use Event::{Content, Created, Failed};
    for overflow in [
        Ok(vec![Failed(too_long())]),
        Ok(vec![Created, Failed(too_long())]),
        Err(too_long()),
    ] {
        for answer in [
            vec![Created, Content("The port is 8080."), Content("Done.")],
            // A second recovery there isn't, wherever the error stands.
            vec![Created, Content("The port"), Failed(too_long())],
            vec![Created, Failed(too_long())],
            vec![],
        ] {
            for shape in Shape::RECOVERING {
                for request in requests() {
                    let script = [overflow.clone(), Ok(answer.clone())];
                    let provider = Streaming::new(&script, 2);
                    let streamed = stream(shape, request, &provider).await;
                    let streamed = streamed.expect("a stream");
                    assert_eq!(streamed.call, 1, "the second one");
                    assert_eq!(streamed.read_all().await, answer, "{shape:?}");
                    let sizes: Vec<_> = provider.received().iter().map(estimate).collect();
                    assert!(sizes.len() == 2 && sizes[1] < sizes[0]);
                }
            }
        }
    }
}

#[tokio::test]
async fn e4_a_stream_that_can_not_be_replaced_is_given_out_whole() {
    use Event::{Created, Failed};
    let overflow = vec![Created, Failed(too_long())];
    for shape in Shape::RECOVERING {
        for request in requests() {
            // The second call is refused, for whatever reason.
            for refusal in [ProviderError::scripted(503), too_long()] {
                let script = [Ok(overflow.clone()), Err(refusal)];
                let provider = Streaming::new(&script, 2);
                let streamed = stream(shape, request.clone(), &provider).await;
                let streamed = streamed.expect("the first stream");
                assert_eq!((streamed.call, provider.received().len()), (0, 2));
                assert_eq!(streamed.read_all().await, overflow);
            }
            // Both are refused: then there is no stream to give out.
            let provider = Streaming::new(&[Err(too_long()), Err(too_long())], 2);
            let error = stream(shape, request, &provider)
                .await
                .expect_err("refused");
            assert_eq!(is_final_overflow(&*error), shape == Shape::Joint);
        }
        // There is nothing to make smaller.
        let provider = Streaming::new(&[Ok(overflow.clone())], 2);
        let streamed = stream(shape, questions(1, 2_500), &provider).await;
        assert_eq!(streamed.expect("the stream").read_all().await, overflow);
        assert_eq!(provider.received().len(), 1);
    }
}

#[tokio::test]
async fn e4_an_empty_stream_is_passed_on() {
    for events in [vec![], vec![Event::Created]] {
        for shape in Shape::ALL {
            for request in requests() {
                let provider = Streaming::new(&[Ok(events.clone())], 2);
                let streamed = stream(shape, request, &provider).await;
                assert_eq!(streamed.expect("a stream").read_all().await, events);
                assert_eq!(provider.received().len(), 1, "{shape:?}");
            }
        }
    }
}
