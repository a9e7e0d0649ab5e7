use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use contextfit_core::chat::ChatRequest;
use contextfit_core::cut::CutPolicy;
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::request::RequestAdapter;
use contextfit_core::table::Pins;
use contextfit_testing::probe::ReadinessProbe;
use contextfit_tests::{Scribe, chat};
use contextfit_tower::{BoxError, ContextFitLayer, Fitter, OverflowClassifier};
use serde_json::Value;
use tower::{Layer, ServiceExt, service_fn};

/// A client: its types, and how a chat is written in them.
pub(crate) trait Kind: Copy + 'static {
    type Adapter: RequestAdapter<Self::Request> + Copy + Send + Sync + 'static;
    type Request: Send + Sync + 'static;
    type Response: Send + 'static;
    type Error: std::error::Error + Send + Sync + 'static;

    fn adapter() -> Self::Adapter;
    fn classifier() -> impl OverflowClassifier<Self::Response, Self::Error> + Clone + 'static;
    fn request(chat: &ChatRequest) -> Self::Request;
    /// The other way, as far as a chat can say it.
    fn chat(request: &Self::Request) -> ChatRequest;
    /// All of it.
    fn json(request: &Self::Request) -> Value;
    fn answer() -> Self::Response;
    fn too_long() -> Self::Error;
}

/// How a request is to be sent.
pub(crate) struct Setup {
    pub(crate) window: u64,
    pub(crate) policy: Arc<dyn CutPolicy>,
    pub(crate) pins: Pins,
    /// So many calls are answered with an overflow.
    pub(crate) overflows: usize,
    pub(crate) scribe: Scribe,
}

impl Setup {
    pub(crate) fn new(window: u64, policy: Arc<dyn CutPolicy>) -> Self {
        Self {
            window,
            policy,
            pins: Pins::BOTH,
            overflows: 0,
            scribe: Scribe::new("They worked."),
        }
    }

    /// Sends a request through the layers, and says what the provider received.
    pub(crate) async fn send<K: Kind>(
        &self,
        request: K::Request,
    ) -> (Result<K::Response, BoxError>, Vec<K::Request>) {
        let received = Arc::new(Mutex::new(Vec::new()));
        let (log, overflows) = (Arc::clone(&received), self.overflows);
        let provider = service_fn(move |request: K::Request| {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push(request);
            ready(if log.len() <= overflows {
                Err(K::too_long())
            } else {
                Ok(K::answer())
            })
        });
        let fitter = Fitter::builder()
            .window(self.window)
            .reserve(0)
            .adapter(K::adapter())
            .policy(Arc::clone(&self.policy))
            .pins(self.pins)
            .summarizer(self.scribe.clone())
            .build()
            .expect("settings that work");
        let layer = ContextFitLayer::new(fitter).overflow_retry(K::classifier());
        let result = layer
            .layer(ReadinessProbe::new(provider))
            .oneshot(request)
            .await;
        let received =
            std::mem::take(&mut *received.lock().unwrap_or_else(PoisonError::into_inner));
        (result, received)
    }
}

/// Tokens of a whole request.
pub(crate) fn estimate<K: Kind>(request: &K::Request) -> u64 {
    let adapter = K::adapter();
    let view = adapter.view(request).expect("readable");
    measure(&view, &CharEstimator::default()).prompt()
}

/// Windows for a request, without a reserve: just too small, and much too small.
pub(crate) fn windows<K: Kind>(request: &K::Request) -> [u64; 2] {
    [estimate::<K>(request) - 1, estimate::<K>(request) / 2]
}

/// Whether a result is taken for an overflow: the request is sent again, smaller.
pub(crate) async fn is_overflow<K, E, C>(result: Result<K::Response, E>, classifier: C) -> bool
where
    K: Kind,
    E: Into<BoxError> + Send + 'static,
    C: OverflowClassifier<K::Response, E> + Clone + 'static,
{
    let (first, calls) = (
        Arc::new(Mutex::new(Some(result))),
        Arc::new(AtomicUsize::new(0)),
    );
    let counter = Arc::clone(&calls);
    let provider = service_fn(move |_: K::Request| {
        counter.fetch_add(1, Ordering::Relaxed);
        let first = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        ready(first.unwrap_or_else(|| Ok(K::answer())))
    });
    let fitter = Fitter::builder().window(10_000).adapter(K::adapter());
    let layer = ContextFitLayer::new(fitter.build().expect("settings that work"));
    let stack = layer.overflow_retry(classifier).layer(provider);
    let _ = stack.oneshot(K::request(&chat(20, 60))).await;
    calls.load(Ordering::Relaxed) == 2
}
