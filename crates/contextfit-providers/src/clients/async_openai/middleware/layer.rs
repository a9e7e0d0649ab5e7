use std::fmt;

use contextfit_core::request::Native;
use contextfit_tower::{ContextFitLayer, Fitter};
use tower_layer::Layer;

use super::FactoryFit;
use super::send_factory::SendFactory;
use crate::http::{HttpOverflow, PeekBody};

/// Applies [`FactoryFit`] to a service of `HttpRequestFactory`.
///
/// See the [module docs](super) for an example.
#[derive(Clone)]
pub struct FactoryFitLayer<A = Native, C = HttpOverflow> {
    fitter: Fitter<A>,
    classifier: C,
}

impl<A> FactoryFitLayer<A> {
    /// Makes requests fit, and recovers from the overflows that a [`HttpOverflow`] recognises.
    #[must_use]
    pub fn new(fitter: Fitter<A>) -> Self {
        Self {
            fitter,
            classifier: HttpOverflow::new(),
        }
    }

    /// Recognises overflows in another way. [`NoRetry`](contextfit_tower::NoRetry) recognises none.
    #[must_use]
    pub fn overflow<C>(self, classifier: C) -> FactoryFitLayer<A, C> {
        FactoryFitLayer {
            fitter: self.fitter,
            classifier,
        }
    }
}

impl<S, A: Clone, C: Clone> Layer<S> for FactoryFitLayer<A, C> {
    type Service = FactoryFit<S, A, C>;

    fn layer(&self, inner: S) -> Self::Service {
        let layer = ContextFitLayer::new(self.fitter.clone());
        let layer = layer.overflow_retry(self.classifier.clone());
        FactoryFit {
            inner: layer.layer(PeekBody::new(SendFactory::new(inner))),
        }
    }
}

impl<A, C> fmt::Debug for FactoryFitLayer<A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FactoryFitLayer")
            .field("fitter", &self.fitter)
            .finish_non_exhaustive()
    }
}
