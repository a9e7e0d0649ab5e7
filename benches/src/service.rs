use std::convert::Infallible;
use std::fmt::Debug;
use std::future::{Future, Ready, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use contextfit_core::chat::ChatRequest;
use contextfit_tower::{
    ContextFitLayer, Fitter, HeadSummarizer, Overflow, OverflowClassifier, classifier_fn,
};
use tower::Service;
use tower::util::ServiceFn;
use tower_layer::Layer;

/// Somewhere for a request to go. It comes back unchanged.
pub type Way<'a> = Box<dyn FnMut(ChatRequest) -> ChatRequest + 'a>;

type Provider = ServiceFn<fn(ChatRequest) -> Ready<Result<ChatRequest, Infallible>>>;

/// The least a service can do: it is always ready, and gives the request back at once.
fn provider() -> Provider {
    tower::service_fn(|request| ready(Ok(request)))
}

/// Sees no overflow, as it is with nearly every response.
fn too_long() -> impl OverflowClassifier<ChatRequest, Infallible> + Clone {
    classifier_fn(|_, result: &Result<ChatRequest, Infallible>| {
        result.as_ref().is_err().then(Overflow::new)
    })
}

/// A fitter for which every history of these benches fits.
///
/// # Panics
///
/// Never: its settings are valid.
#[must_use]
pub fn roomy_fitter() -> Fitter {
    let fitter = Fitter::builder().window(100_000_000).build();
    fitter.expect("the settings are valid")
}

/// Fitters with the shipped policies, in the order of [`planners`](crate::planners), for a window
/// that is too small. Their summary is the head of what is cut, so that nothing is waited for.
///
/// # Panics
///
/// The window is too small for anything.
#[must_use]
pub fn over_limit_fitters(window: u64) -> [Fitter; 2] {
    let builder = || {
        let builder = Fitter::builder().window(window);
        builder.summarizer(HeadSummarizer)
    };
    [builder(), builder().recent_budget()].map(|it| it.build().expect("the settings are valid"))
}

/// The way without any layer: a service that is always ready and answers at once.
#[must_use]
pub fn bare() -> (&'static str, Way<'static>) {
    let mut service = provider();
    ("bare service", Box::new(move |it| send(&mut service, it)))
}

/// All ways to find out that a request fits, by name. The last one makes a copy for a resend.
#[must_use]
pub fn fits_ways(fitter: &Fitter) -> [(&'static str, Way<'_>); 4] {
    let layer = ContextFitLayer::new(fitter.clone());
    let mut plain = layer.layer(provider());
    let mut retrying = layer.overflow_retry(too_long()).layer(provider());
    let measure = |request| {
        fitter.measure(&request).expect("its model is known");
        request
    };
    let fit = |request| {
        let fitted = now(fitter.fit(request)).expect("it fits");
        fitted.request
    };
    [
        ("Fitter::measure", Box::new(measure)),
        ("Fitter::fit", Box::new(fit)),
        ("ContextFit", Box::new(move |it| send(&mut plain, it))),
        (
            "ContextFit with retry",
            Box::new(move |it| send(&mut retrying, it)),
        ),
    ]
}

/// Sends a request, the way a caller of any service does, and takes it back.
fn send<S>(service: &mut S, request: ChatRequest) -> ChatRequest
where
    S: Service<ChatRequest, Response = ChatRequest, Error: Debug>,
{
    let ready = service.poll_ready(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(ready, Poll::Ready(Ok(()))), "it is always ready");
    now(service.call(request)).expect("nothing fails here")
}

/// The output of a future that has nothing to wait for.
pub fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("there is nothing to wait for"),
    }
}
