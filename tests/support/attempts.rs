use std::sync::{Arc, Mutex, PoisonError};

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_tower::{BoxError, ContextFitLayer, Fitter, OverflowClassifier};
use tower::{Layer, ServiceExt, service_fn};

/// The requests that a provider gets to see when its first result is `first`, and all others are
/// answers: two if a classifier takes that result for an overflow, and else one.
pub async fn attempts<C, E>(
    fitter: Fitter,
    classifier: C,
    request: ChatRequest,
    first: Result<ChatResponse, E>,
) -> Vec<ChatRequest>
where
    C: OverflowClassifier<ChatResponse, E> + Clone,
    E: Into<BoxError>,
{
    let first = Arc::new(Mutex::new(Some(first)));
    let sent = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&sent);
    let provider = service_fn(move |request: ChatRequest| {
        let answer = ChatResponse::new(
            request.model.clone(),
            ChatMessage::assistant("Yes."),
            "stop",
        );
        seen.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
        let first = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        std::future::ready(first.unwrap_or(Ok(answer)))
    });
    let stack = ContextFitLayer::new(fitter)
        .overflow_retry(classifier)
        .layer(provider);
    // What comes of it is for others to look at.
    let _ = stack.oneshot(request).await;
    let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut sent)
}
