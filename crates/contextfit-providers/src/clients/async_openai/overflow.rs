use async_openai::error::{ApiError, OpenAIError};
use contextfit_tower::{Either, UsageOverflow};

use super::AsyncOpenAiUsage;
use crate::TextOverflow;
use crate::overflow::{OverflowTemplates, Verdict};

/// Recognises overflows of `async-openai`: by the code of an error, its status, its text, and by
/// what a response counted.
///
/// An error may be an `OpenAIError` or be in a box, and it may be the source of another.
///
/// Where a server doesn't cap the output by itself, a short stop is an overflow, too: take
/// `errors().or(UsageOverflow::new(AsyncOpenAiUsage).trust_short_stops(true))` for it.
#[must_use]
pub fn overflow<Kind>() -> Either<TextOverflow<Kind>, UsageOverflow<AsyncOpenAiUsage>> {
    errors().or(UsageOverflow::new(AsyncOpenAiUsage))
}

/// Recognises the errors of `async-openai` that are overflows, whatever the response: for services
/// of streams.
#[must_use]
pub fn errors<Kind>() -> TextOverflow<Kind> {
    TextOverflow::new()
        .status(|error: &OpenAIError| match error {
            OpenAIError::ApiError(error) => Some(error.status_code.as_u16()),
            OpenAIError::Reqwest(error) => Some(error.status()?.as_u16()),
            _ => None,
        })
        .verdict(|error: &OpenAIError| match error {
            OpenAIError::ApiError(error) => by_code(&error.api_error),
            _ => Verdict::Unknown,
        })
}

/// The code decides, and the text may have numbers. No other code says it: a request that is too
/// large for the tokens of a minute has one of its own.
fn by_code(error: &ApiError) -> Verdict {
    if error.code.as_deref() != Some("context_length_exceeded") {
        return Verdict::Unknown;
    }
    let said = OverflowTemplates::known().classify(&error.to_string(), None);
    Verdict::Overflow(said.overflow().unwrap_or_default())
}
