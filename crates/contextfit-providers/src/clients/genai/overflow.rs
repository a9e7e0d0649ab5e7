use contextfit_tower::{Either, UsageOverflow};
use genai::Error;

use super::GenaiUsage;
use crate::TextOverflow;
use crate::overflow::{OverflowTemplates, Verdict};

/// Recognises overflows of `genai`: by the status of an error, its text, and by what a response
/// counted.
///
/// An error may be a `genai::Error` or be in a box, and it may be the source of another.
#[must_use]
pub fn overflow<Kind>() -> Either<TextOverflow<Kind>, UsageOverflow<GenaiUsage>> {
    errors().or(UsageOverflow::new(GenaiUsage))
}

/// Recognises the errors of `genai` that are overflows, whatever the response: for services of
/// streams.
#[must_use]
pub fn errors<Kind>() -> TextOverflow<Kind> {
    TextOverflow::new()
        .status(|error: &Error| Some(error.status()?.as_u16()))
        .verdict(|error: &Error| match error {
            // Its text has the whole request in it, and there anything may be said.
            Error::ChatResponseGeneration { cause, .. } => {
                let said = OverflowTemplates::known().classify(cause, None);
                said.overflow()
                    .map_or(Verdict::NotOverflow, Verdict::Overflow)
            }
            _ => Verdict::Unknown,
        })
}
