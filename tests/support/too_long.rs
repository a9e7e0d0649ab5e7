use contextfit_core::chat::ChatResponse;
use contextfit_testing::provider::{ProviderError, ProviderErrorKind};
use contextfit_tower::{BoxError, Overflow, OverflowClassifier, Scope, Sent};

/// Recognises the overflows of a simulated provider, with their numbers, also behind layers
/// that box errors.
#[derive(Clone, Copy, Debug)]
pub struct TooLong;

impl TooLong {
    fn overflow(error: &ProviderError) -> Option<Overflow> {
        let ProviderErrorKind::ContextLength {
            prompt,
            output,
            window,
        } = error.kind
        else {
            return None;
        };
        let overflow = Overflow::new().input(prompt).limit(window, Scope::Total);
        Some(output.map_or(overflow, |output| overflow.output(output)))
    }
}

impl OverflowClassifier<ChatResponse, ProviderError> for TooLong {
    fn classify(
        &self,
        _: &Sent<'_>,
        result: &Result<ChatResponse, ProviderError>,
    ) -> Option<Overflow> {
        Self::overflow(result.as_ref().err()?)
    }
}

impl OverflowClassifier<ChatResponse, BoxError> for TooLong {
    fn classify(&self, _: &Sent<'_>, result: &Result<ChatResponse, BoxError>) -> Option<Overflow> {
        Self::overflow(result.as_ref().err()?.downcast_ref()?)
    }
}
