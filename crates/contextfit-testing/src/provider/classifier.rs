use contextfit_core::chat::ChatResponse;
use contextfit_tower::{ChatUsageReader, Overflow, OverflowClassifier, Scope, Sent, UsageOverflow};

use super::{ProviderError, ProviderErrorKind};

/// Recognises the overflows of a [`SimulatedProvider`](super::SimulatedProvider), however it
/// shows them: as an error with its numbers, or as an answer from a window that was full.
///
/// It goes by what is typed in the error, not by its text, so it is exact and stands in for
/// a classifier of real providers where that isn't what is tested. What is
/// [silently truncated](super::Overflowing::TruncateSilently) it can't see: nothing in such an
/// answer says so.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit_tower::BoxError> {
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_testing::provider::{SimulatedOverflow, SimulatedProvider};
/// use contextfit_tower::{ContextFitLayer, Fitter, HeadSummarizer};
/// use tower::{ServiceBuilder, ServiceExt};
///
/// // The client believes in a window four times as large as it is.
/// let fitter = Fitter::builder().window(8_000).summarizer(HeadSummarizer).build()?;
/// let provider = SimulatedProvider::new(2_000);
/// let service = ServiceBuilder::new()
///     .layer(ContextFitLayer::new(fitter).overflow_retry(SimulatedOverflow))
///     .service(provider.clone());
///
/// let facts = (0..100).map(|fact| ChatMessage::user(format!("Fact {fact}: {}", "so on ".repeat(20))));
/// let response = service.oneshot(ChatRequest::new("a-model", facts)).await?;
/// assert_eq!(response.text(), "Done.");
/// assert_eq!((provider.totals().overflows, provider.totals().answered), (1, 1));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulatedOverflow;

impl OverflowClassifier<ChatResponse, ProviderError> for SimulatedOverflow {
    fn classify(
        &self,
        sent: &Sent<'_>,
        result: &Result<ChatResponse, ProviderError>,
    ) -> Option<Overflow> {
        match result {
            Ok(_) => UsageOverflow::new(ChatUsageReader).classify(sent, result),
            Err(error) => of_error(&error.kind),
        }
    }
}

/// The overflow that an error is, with all its numbers.
fn of_error(kind: &ProviderErrorKind) -> Option<Overflow> {
    let &ProviderErrorKind::ContextLength {
        prompt,
        output,
        window,
    } = kind
    else {
        return None;
    };
    let overflow = Overflow::new().input(prompt);
    Some(match output {
        Some(output) => overflow.output(output).limit(window, Scope::Total),
        None => overflow.limit(window, Scope::Input),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Overflowing, SimulatedProvider, StructureError};
    use super::*;
    use contextfit_core::chat::{ChatMessage, ChatRequest};
    use contextfit_tower::{ContextFitLayer, Fitter, observer_fn};
    use std::sync::{Arc, Mutex};
    use tower::{ServiceBuilder, ServiceExt};

    /// The overflow that a layer hears of, for a request of 17 tokens.
    async fn heard(provider: SimulatedProvider, max_tokens: Option<u32>) -> Option<Overflow> {
        let heard = Arc::new(Mutex::new(None));
        let ear = Arc::clone(&heard);
        let fitter = Fitter::builder()
            .window(100)
            .observer(observer_fn(move |event| {
                if let contextfit_tower::FitEvent::Overflow { overflow, .. } = event {
                    *ear.lock().unwrap() = Some(*overflow);
                }
            }))
            .build()
            .unwrap();
        let mut request =
            ChatRequest::new("m", [ChatMessage::user("go go go go go go go go go go")]);
        request.max_tokens = max_tokens;
        let service = ServiceBuilder::new()
            .layer(ContextFitLayer::new(fitter).overflow_retry(SimulatedOverflow))
            .service(provider);
        // What comes of it is another matter: this message can't be made smaller.
        let _ = service.oneshot(request).await;
        *heard.lock().unwrap()
    }

    #[tokio::test]
    async fn an_error_gives_all_its_numbers() {
        let input = Overflow::new().input(17).limit(16, Scope::Input);
        assert_eq!(heard(SimulatedProvider::new(16), None).await, Some(input));
        let total = Overflow::new().input(17).output(5).limit(20, Scope::Total);
        assert_eq!(
            heard(SimulatedProvider::new(20), Some(5)).await,
            Some(total)
        );
        assert_eq!(heard(SimulatedProvider::new(22), Some(5)).await, None);
    }

    #[tokio::test]
    async fn an_answer_from_a_full_window_is_one() {
        let provider = SimulatedProvider::new(100)
            .hidden_tokens(90)
            .overflow(Overflowing::FullWindow);
        let full = Overflow::new().input(100).limit(100, Scope::Input);
        assert_eq!(heard(provider, None).await, Some(full));
    }

    #[test]
    fn other_errors_are_none() {
        for error in [
            ProviderError::structure(StructureError::Empty),
            ProviderError::scripted(429),
            ProviderError::scripted(400),
        ] {
            assert_eq!(of_error(&error.kind), None);
        }
    }
}
