//! The same service, with what was done to a request beside its response.

mod future;
mod layer;
mod response;

pub use self::future::ReportingFuture;
pub use self::layer::ReportingLayer;
pub use self::response::FittedResponse;

use std::fmt;
use std::task::{Context, Poll};

use contextfit_core::request::{Native, RequestAdapter};
use tower_service::Service;

use super::ContextFit;
use crate::{BoxError, NoRetry, OverflowClassifier};

/// A [`ContextFit`] whose responses come with what was done to their requests: it gives
/// [`FittedResponse`]s. Made by [`ContextFitLayer::reporting`](super::ContextFitLayer::reporting).
///
/// It is ready, fails and may be dropped just as that, because it is driven by the same future.
///
/// An agent that owns its history has the next request begin where this one was fitted, instead of
/// having it fitted, and summarized, from the start each time:
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
/// use contextfit_core::request::EditConversation;
/// use contextfit_tower::{ContextFitLayer, Fitter, FittedResponse, HeadSummarizer};
/// use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit_tower::BoxError> {
/// let provider = service_fn(|request: ChatRequest| async move {
///     let reply = ChatMessage::assistant(format!("{} messages", request.messages.len()));
///     Ok::<_, std::io::Error>(ChatResponse::new(request.model, reply, "stop"))
/// });
/// let fitter = Fitter::builder().window(2_000).summarizer(HeadSummarizer).build()?;
/// let layer = ContextFitLayer::new(fitter).reporting();
/// let mut service = ServiceBuilder::new().layer(layer).service(provider);
///
/// let facts = (0..200).map(|turn| ChatMessage::user(format!("Fact {turn}: {}", "x".repeat(80))));
/// let mut history = ChatRequest::new("a-model", facts);
///
/// let fitted = service.ready().await?.call(history.clone()).await?;
/// let FittedResponse { response, report, .. } = fitted;
/// if let Some(report) = &report {
///     println!("{} of {} messages summarized", report.summarized, history.messages.len());
///     history.apply(&report.plan)?;
/// }
/// // The history is what the provider has read.
/// assert_eq!(response.text(), format!("{} messages", history.messages.len()));
///
/// // With the answer and the next question it fits as it is.
/// history.messages.push(ChatMessage::assistant(response.text()));
/// history.messages.push(ChatMessage::user("And what follows from that?"));
/// assert!(service.ready().await?.call(history).await?.report.is_none());
/// # Ok(()) }
/// ```
pub struct Reporting<S, A = Native, C = NoRetry> {
    fit: ContextFit<S, A, C>,
}

impl<S, A, C> Reporting<S, A, C> {
    const fn new(fit: ContextFit<S, A, C>) -> Self {
        Self { fit }
    }

    /// The inner service.
    pub const fn get_ref(&self) -> &S {
        self.fit.get_ref()
    }

    /// The inner service, to be changed.
    pub const fn get_mut(&mut self) -> &mut S {
        self.fit.get_mut()
    }

    /// The inner service, taken out.
    pub fn into_inner(self) -> S {
        self.fit.into_inner()
    }
}

impl<S: Clone, A: Clone, C: Clone> Clone for Reporting<S, A, C> {
    fn clone(&self) -> Self {
        Self::new(self.fit.clone())
    }
}

impl<S: fmt::Debug, A, C> fmt::Debug for Reporting<S, A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reporting")
            .field("inner", self.get_ref())
            .finish_non_exhaustive()
    }
}

impl<S, R, A, C> Service<R> for Reporting<S, A, C>
where
    S: Service<R> + Clone,
    S::Error: Into<BoxError>,
    A: RequestAdapter<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error> + Clone,
{
    type Response = FittedResponse<S::Response>;
    type Error = BoxError;
    type Future = ReportingFuture<S, R, A, C>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<R>::poll_ready(&mut self.fit, cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        ReportingFuture::new(self.fit.send(request))
    }
}
