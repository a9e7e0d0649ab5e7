//! Middleware that makes a request smaller when the provider finds it too long, and sends it
//! once more.
//!
//! ```
//! use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
//! use contextfit_tower::{
//!     Fitter, HeadSummarizer, Overflow, OverflowRetryLayer, Scope, classifier_fn,
//! };
//! use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit_tower::BoxError> {
//! // A provider that takes eight messages.
//! #[derive(Debug, thiserror::Error)]
//! #[error("too long: {0} messages")]
//! struct TooLong(usize);
//!
//! let provider = service_fn(|request: ChatRequest| async move {
//!     let messages = request.messages.len();
//!     if messages > 8 {
//!         return Err(TooLong(messages));
//!     }
//!     let reply = ChatMessage::assistant(format!("{messages} messages"));
//!     Ok(ChatResponse::new(request.model, reply, "stop"))
//! });
//!
//! let classifier = classifier_fn(|_, result: &Result<ChatResponse, TooLong>| {
//!     result.as_ref().err().map(|_| Overflow::new())
//! });
//! let fitter = Fitter::builder().window(8_000).summarizer(HeadSummarizer).build()?;
//! let mut service = ServiceBuilder::new()
//!     .layer(OverflowRetryLayer::new(fitter, classifier))
//!     .service(provider);
//!
//! let chat = (0..12).map(|turn| ChatMessage::user(format!("{turn}: {}", "x".repeat(2_000))));
//! let chat = ChatRequest::new("a-model", chat);
//! assert_eq!(service.ready().await?.call(chat).await?.text(), "3 messages");
//! # Ok(()) }
//! ```

mod future;
mod layer;

pub use self::future::ResponseFuture;
pub use self::layer::OverflowRetryLayer;

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use contextfit_core::request::{Native, RequestAdapter};
use tower_service::Service;

use crate::delivery::{Delivery, Recovery};
use crate::fitter::Fitter;
use crate::{OverflowClassifier, RetryBudget};

/// Makes a request smaller when the provider finds it too long, and sends it once more.
///
/// It takes the numbers the provider gives into account, sends nothing again that it couldn't make
/// smaller, and returns a second overflow unchanged. Use it where requests are not to be touched
/// before a provider complains; to have both, see
/// [`ContextFitLayer::overflow_retry`](crate::ContextFitLayer::overflow_retry). Stacked by hand, it
/// belongs inside of [`ContextFit`](crate::ContextFit), and then pins belong on messages: hints that
/// name them by their index mean the request before it was cut. A second overflow is then an
/// ordinary error of the inner service, which [`is_final_overflow`](crate::is_final_overflow)
/// doesn't know.
///
/// See the [module docs](self) for an example.
pub struct OverflowRetry<S, C, A = Native> {
    inner: S,
    fitter: Fitter<A>,
    classifier: C,
    budget: Option<Arc<dyn RetryBudget>>,
}

impl<S, C, A> OverflowRetry<S, C, A> {
    const fn new(
        inner: S,
        fitter: Fitter<A>,
        classifier: C,
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
}

impl<S: Clone, C: Clone, A: Clone> Clone for OverflowRetry<S, C, A> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            fitter: self.fitter.clone(),
            classifier: self.classifier.clone(),
            budget: self.budget.clone(),
        }
    }
}

impl<S: fmt::Debug, C, A> fmt::Debug for OverflowRetry<S, C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverflowRetry")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<S, R, C, A> Service<R> for OverflowRetry<S, C, A>
where
    S: Service<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error> + Clone,
    A: RequestAdapter<R> + Clone,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S, R, C, A>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let recovery = self.fitter.size(&request).map(|size| {
            Recovery::new(&request, size, &self.inner, &self.fitter, &self.classifier)
                .within(self.budget.as_ref())
        });
        ResponseFuture::new(Delivery::new(self.inner.call(request), recovery, None))
    }
}
