//! The layers around a provider that answers by a script.

use std::collections::VecDeque;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use contextfit_core::chat::ChatRequest;
use contextfit_providers::TextOverflow;
use contextfit_providers::http::{HttpOverflow, PeekBodyLayer, Peeked};
use contextfit_testing::probe::ReadinessProbe;
use contextfit_tests::{Scribe, Shape};
use contextfit_tower::{BoxError, FitEvent, Fitter, Overflow, Usage, observer_fn};
use http::Response;
use http_body_util::BodyExt;
use tower::{Layer, Service, ServiceExt};

use crate::script::{Script, events, response};

/// Answers with these responses, one a call.
#[derive(Clone)]
struct Provider {
    responses: Arc<Mutex<VecDeque<Response<Script>>>>,
}

impl Service<ChatRequest> for Provider {
    type Response = Response<Script>;
    type Error = BoxError;
    type Future = Ready<Result<Response<Script>, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: ChatRequest) -> Self::Future {
        let mut responses = self.responses.lock().expect("nobody panicked");
        let response = responses.pop_front();
        ready(response.ok_or_else(|| "a call that the script doesn't know".into()))
    }
}

/// What the observer was told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Heard {
    Usage(Usage),
    Overflow(Overflow),
    /// The same, and a smaller request is sent.
    Recovering(Overflow),
}

/// A stack, and what its observer was told.
pub(crate) struct Stack {
    shape: Shape,
    classifier: HttpOverflow,
    fitter: Fitter,
    heard: Arc<Mutex<Vec<Heard>>>,
    responses: Arc<Mutex<VecDeque<Response<Script>>>>,
}

impl Stack {
    pub(crate) fn new(shape: Shape, responses: impl IntoIterator<Item = Response<Script>>) -> Self {
        Self::judged(HttpOverflow::new(), shape, responses)
    }

    /// A stack with a classifier of its own.
    pub(crate) fn judged(
        classifier: HttpOverflow,
        shape: Shape,
        responses: impl IntoIterator<Item = Response<Script>>,
    ) -> Self {
        let heard = Arc::<Mutex<Vec<Heard>>>::default();
        let hears = Arc::clone(&heard);
        let observer = observer_fn(move |event| {
            let mut heard = hears.lock().expect("nobody panicked");
            match *event {
                FitEvent::Usage { usage, .. } => heard.push(Heard::Usage(usage)),
                FitEvent::Overflow {
                    overflow,
                    recovering,
                    ..
                } => heard.push(if recovering {
                    Heard::Recovering(overflow)
                } else {
                    Heard::Overflow(overflow)
                }),
                _ => {}
            }
        });
        let fitter = Fitter::builder()
            .window(4_000)
            .reserve(1_000)
            .summarizer(Scribe::default())
            .observer(observer);
        Self {
            shape,
            classifier,
            fitter: fitter.build().expect("settings that work"),
            heard,
            responses: Arc::new(Mutex::new(responses.into_iter().collect())),
        }
    }

    pub(crate) async fn send(&self, request: ChatRequest) -> Response<Peeked<Script>> {
        let responses = Arc::clone(&self.responses);
        let inner = PeekBodyLayer::new().layer(ReadinessProbe::new(Provider { responses }));
        let classifier = self.classifier.clone().or(TextOverflow::new());
        let stack = self.shape.around_with(inner, &self.fitter, classifier);
        stack.oneshot(request).await.expect("a response")
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("nobody panicked").clone()
    }

    /// Responses that nobody asked for.
    pub(crate) fn left(&self) -> usize {
        self.responses.lock().expect("nobody panicked").len()
    }
}

/// Reads all data of a body.
pub(crate) async fn read(response: Response<Peeked<Script>>) -> Vec<u8> {
    let body = response.into_body().collect().await;
    body.expect("a whole body").to_bytes().to_vec()
}

/// An answer that a provider gives to what isn't too long.
pub(crate) fn fine() -> Response<Script> {
    response(200, "text/event-stream", Script::pieces([fine_events()]))
}

pub(crate) fn fine_events() -> String {
    events(&[
        r#"{"choices":[{"delta":{"content":"The port is 8080."},"finish_reason":null}]}"#,
        "[DONE]",
    ])
}
