use contextfit_core::chat::{ChatRequest, ChatResponse};
use contextfit_core::request::RequestAdapter;
use contextfit_testing::probe::ReadinessProbe;
use contextfit_testing::provider::{Counting, SimulatedProvider};
use contextfit_tower::{BoxError, ContextFitLayer, Fitter, OverflowClassifier, OverflowRetryLayer};
use tower::util::BoxCloneSyncService;
use tower::{Layer, Service, ServiceExt};

use super::TooLong;

/// Any stack.
pub type Erased = BoxCloneSyncService<ChatRequest, ChatResponse, BoxError>;

/// The ways to use the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `ContextFit` without recovery.
    Fit,
    /// `ContextFit` with recovery, in one service.
    Joint,
    /// `OverflowRetry` without `ContextFit`.
    Retry,
    /// `ContextFit` around `OverflowRetry`, stacked by hand.
    Stacked,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Fit, Self::Joint, Self::Retry, Self::Stacked];
    /// Those that recover from an overflow.
    pub const RECOVERING: [Self; 3] = [Self::Joint, Self::Retry, Self::Stacked];
    /// Those that fit a request before it is sent.
    pub const FITTING: [Self; 3] = [Self::Fit, Self::Joint, Self::Stacked];

    /// Puts the layers around a service.
    pub fn around<S, A>(self, inner: S, fitter: &Fitter<A>) -> Erased
    where
        S: Service<ChatRequest, Response = ChatResponse, Error = BoxError>,
        S: Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        A: RequestAdapter<ChatRequest> + Clone + Send + Sync + 'static,
    {
        self.around_with(inner, fitter, TooLong)
    }

    /// [`around`](Self::around), with what recognises an overflow.
    pub fn around_with<S, A, T, C>(
        self,
        inner: S,
        fitter: &Fitter<A>,
        classifier: C,
    ) -> BoxCloneSyncService<ChatRequest, T, BoxError>
    where
        S: Service<ChatRequest, Response = T, Error = BoxError> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        A: RequestAdapter<ChatRequest> + Clone + Send + Sync + 'static,
        T: Send + 'static,
        C: OverflowClassifier<T, BoxError> + Clone + 'static,
    {
        let fit = ContextFitLayer::new(fitter.clone());
        let retry = OverflowRetryLayer::new(fitter.clone(), classifier.clone());
        match self {
            Self::Fit => BoxCloneSyncService::new(fit.layer(inner)),
            Self::Joint => BoxCloneSyncService::new(fit.overflow_retry(classifier).layer(inner)),
            Self::Retry => BoxCloneSyncService::new(retry.layer(inner)),
            Self::Stacked => BoxCloneSyncService::new(fit.layer(retry.layer(inner))),
        }
    }
}

/// A provider with a window, which counts as the default estimator does.
#[must_use]
pub fn provider(window: u64) -> SimulatedProvider {
    SimulatedProvider::new(window).counting(Counting::Estimate { factor: 1.0 })
}

/// The lowest part of a stack: a provider whose readiness is watched, its errors boxed.
#[must_use]
pub fn bottom(provider: &SimulatedProvider) -> Erased {
    Erased::new(ReadinessProbe::new(provider.clone()).map_err(BoxError::from))
}

/// Sends a request through a clone of a stack.
///
/// # Errors
///
/// What the stack returns.
pub async fn send(stack: &Erased, request: ChatRequest) -> Result<ChatResponse, BoxError> {
    stack.clone().oneshot(request).await
}
