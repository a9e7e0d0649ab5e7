use std::fmt;

use contextfit_core::request::Native;
use tower_layer::Layer;

use super::Reporting;
use crate::{ContextFitLayer, NoRetry};

/// Applies [`Reporting`] to a service. Made by [`ContextFitLayer::reporting`].
#[derive(Clone)]
pub struct ReportingLayer<A = Native, C = NoRetry> {
    fit: ContextFitLayer<A, C>,
}

impl<A, C> ReportingLayer<A, C> {
    pub(in crate::context_fit) const fn new(fit: ContextFitLayer<A, C>) -> Self {
        Self { fit }
    }
}

impl<S, A: Clone, C: Clone> Layer<S> for ReportingLayer<A, C> {
    type Service = Reporting<S, A, C>;

    fn layer(&self, inner: S) -> Self::Service {
        Reporting::new(self.fit.layer(inner))
    }
}

impl<A, C> fmt::Debug for ReportingLayer<A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportingLayer")
            .field("fit", &self.fit)
            .finish()
    }
}
