use async_openai::error::OpenAIError;
use contextfit_tower::{Either, Overflow, UsageOverflow};

use super::AsyncOpenAiUsage;
use crate::TextOverflow;
use crate::overflow::Verdict;

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
            OpenAIError::ApiError(error) if is_code(error.api_error.code.as_deref()) => {
                Verdict::Overflow(Overflow::new())
            }
            _ => Verdict::Unknown,
        })
}

/// Whether a code says it. No other does: a request that is too large for the tokens of a minute has
/// one of its own.
fn is_code(code: Option<&str>) -> bool {
    code == Some("context_length_exceeded")
}
