//! Middleware that makes each request fit before it is sent.
//!
//! ```
//! use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
//! use contextfit_tower::{ContextFitLayer, Fitter, HeadSummarizer};
//! use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit_tower::BoxError> {
//! let fitter = Fitter::builder().window(2_000).summarizer(HeadSummarizer).build()?;
//!
//! let provider = service_fn(|request: ChatRequest| async move {
//!     let reply = ChatMessage::assistant(format!("{} messages", request.messages.len()));
//!     Ok::<_, std::io::Error>(ChatResponse::new(request.model, reply, "stop"))
//! });
//! let mut service =
//!     ServiceBuilder::new().layer(ContextFitLayer::new(fitter)).service(provider);
//!
//! // A request that fits goes through as it is …
//! let short = ChatRequest::new("a-model", [ChatMessage::user("hello")]);
//! assert_eq!(service.ready().await?.call(short).await?.text(), "1 messages");
//!
//! // … and one that doesn't is cut: the task, a summary, and what is recent remain.
//! let long = (0..200).map(|turn| ChatMessage::user(format!("Fact {turn}: {}", "x".repeat(80))));
//! let long = ChatRequest::new("a-model", long);
//! assert_ne!(service.ready().await?.call(long).await?.text(), "200 messages");
//! # Ok(()) }
//! ```

mod future;
mod layer;
mod reporting;
mod sending;

pub use self::future::ResponseFuture;
pub use self::layer::ContextFitLayer;
pub use self::reporting::{FittedResponse, Reporting, ReportingFuture, ReportingLayer};

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use contextfit_core::request::{Native, RequestAdapter};
use tower_service::Service;

use self::sending::Sending;
use crate::delivery::Recovery;
use crate::fitter::{Fit, Fitter, Start};
use crate::{BoxError, NoRetry, OverflowClassifier, RetryBudget};

/// Makes each request fit before it is sent, and with
/// [`overflow_retry`](ContextFitLayer::overflow_retry) recovers once if the provider finds it too
/// long all the same.
///
/// A request that fits is moved through: no copy, the same bytes. (With a retry, a copy of it is
/// kept, as [`Replay`](crate::Replay) says.) For one that doesn't, the reservation of the inner
/// service is given back while the summary is written, and a clone is driven to readiness
/// afterwards: so a summarizer behind the same concurrency limit can't deadlock.
///
/// If the compiler says that it isn't a `Service`: the inner service has to be `Clone`, its error
/// `Into<BoxError>`, a request type of your own needs
/// [`EditConversation`](contextfit_core::request::EditConversation) or a foreign one
/// [`FitterBuilder::adapter`](crate::FitterBuilder::adapter), and a classifier has to be one for
/// the inner service's own response and error.
///
/// See the [module docs](self) for an example.
pub struct ContextFit<S, A = Native, C = NoRetry> {
    inner: S,
    fitter: Fitter<A>,
    classifier: Option<C>,
    budget: Option<Arc<dyn RetryBudget>>,
}

impl<S, A, C> ContextFit<S, A, C> {
    const fn new(
        inner: S,
        fitter: Fitter<A>,
        classifier: Option<C>,
        budget: Option<Arc<dyn RetryBudget>>,
    ) -> Self {
        Self {
            inner,
            fitter,
            classifier,
            budget,
        }
    }

    inner_service_accessors!();

    /// Starts to fit and send a request.
    fn send<R>(&mut self, request: R) -> Sending<S, R, A, C>
    where
        S: Service<R> + Clone,
        A: RequestAdapter<R> + Clone,
        C: OverflowClassifier<S::Response, S::Error> + Clone,
    {
        let start = self.fitter.start(&request, None);
        let size = start.as_ref().ok().and_then(Start::size);
        let recovery = self
            .classifier
            .as_ref()
            .zip(size)
            .map(|(classifier, size)| {
                Recovery::new(&request, size, &self.inner, &self.fitter, classifier)
                    .within(self.budget.as_ref())
            });
        if let Ok(Start::Untouched(_)) = start {
            return Sending::delivering(self.inner.call(request), recovery);
        }
        self.give_back_reservation();
        let fit = Fit::new(self.fitter.clone(), request, start);
        Sending::fitting(fit, self.inner.clone(), self.fitter.clone(), recovery)
    }
}

impl<S: Clone, A, C> ContextFit<S, A, C> {
    /// Drops the instance that is ready, and with it whatever it reserved. A summarizer may need
    /// that, and it would be held in vain while a summary is written.
    fn give_back_reservation(&mut self) {
        self.inner = self.inner.clone();
    }
}

impl<S: Clone, A: Clone, C: Clone> Clone for ContextFit<S, A, C> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            fitter: self.fitter.clone(),
            classifier: self.classifier.clone(),
            budget: self.budget.clone(),
        }
    }
}

impl<S: fmt::Debug, A, C> fmt::Debug for ContextFit<S, A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextFit")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<S, R, A, C> Service<R> for ContextFit<S, A, C>
where
    S: Service<R> + Clone,
    S::Error: Into<BoxError>,
    A: RequestAdapter<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error> + Clone,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = ResponseFuture<S, R, A, C>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: R) -> Self::Future {
        ResponseFuture::new(self.send(request))
    }
}
