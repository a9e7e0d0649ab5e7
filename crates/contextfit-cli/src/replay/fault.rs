use std::error::Error;

use contextfit::{BoxError, FitError};
use contextfit_testing::provider::{ProviderError, ProviderErrorKind, StructureError};
use serde::Serialize;

use super::tally::{Estimate, Heard, Obstacle};

/// Why a request came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub(crate) struct Fault {
    /// What it has in common with others.
    pub(crate) reason: &'static str,
    /// All there is to say, with the numbers of this request.
    pub(crate) text: String,
}

impl Fault {
    /// A request that could not be fitted.
    pub(crate) fn refusal(error: &BoxError, heard: &Heard) -> Self {
        let Some(fit) = error.downcast_ref::<FitError>() else {
            return Self::new("an error of the provider", chain(&**error));
        };
        let reason = match fit {
            FitError::StillTooLong { source } => {
                let found = source
                    .downcast_ref()
                    .and_then(too_long)
                    .unwrap_or_else(|| chain(&**source));
                let estimate = heard.estimate.map_or_else(String::new, Estimate::clause);
                let obstacle = heard.obstacle.as_ref();
                let obstacle = obstacle.map_or_else(String::new, Obstacle::clause);
                return Self::new("still too long", found + &estimate + &obstacle);
            }
            FitError::NoRoom(_) => "no room for a conversation",
            FitError::CannotFit { .. } => "nothing more to cut",
            FitError::Summarize(_) => "no usable summary",
            FitError::UnknownModel(_) => "an unknown model",
            FitError::Unreadable(_) => "unreadable for the layer",
            _ => "an error of the layer",
        };
        Self::new(reason, chain(fit))
    }

    /// A request that is malformed for the provider.
    pub(crate) fn malformed(error: &StructureError) -> Self {
        let reason = match error {
            StructureError::Empty => "no messages",
            StructureError::NoUser => "no message of the user",
            StructureError::NoCallId { .. } => "a result that names no call",
            StructureError::Stray { .. } => "a result without its call",
            StructureError::Duplicate { .. } => "two results for one call",
            StructureError::Unanswered { .. } => "calls without results",
            _ => "malformed",
        };
        Self::new(reason, error.to_string())
    }

    const fn new(reason: &'static str, text: String) -> Self {
        Self { reason, text }
    }
}

impl From<Fault> for String {
    fn from(fault: Fault) -> Self {
        fault.text
    }
}

/// The numbers of a provider that finds a request too long.
fn too_long(error: &ProviderError) -> Option<String> {
    let ProviderErrorKind::ContextLength {
        prompt,
        output,
        window,
    } = error.kind
    else {
        return None;
    };
    let output = output.map_or_else(String::new, |output| {
        format!(" and {output} of output asked for")
    });
    Some(format!(
        "the provider counts {prompt} tokens{output}, its window holds {window}"
    ))
}

impl Estimate {
    /// What the client had made of a request that is too long, within a sentence.
    fn clause(self) -> String {
        let Self { prompt, fixed } = self;
        format!("; the client had estimated {prompt}, {fixed} of it fixed")
    }
}

impl Obstacle {
    /// What it means for a request that is too long, as the end of a sentence.
    fn clause(&self) -> String {
        match self {
            Self::TooLittle {
                before,
                after,
                limit,
            } => format!(
                "; compaction brought an estimate of {before} to {after}, the limit was {limit}"
            ),
            Self::Stuck { needed, limit } => format!(
                "; its messages are estimated at {needed}, the limit was {limit}, and nothing \
                 more in them may be cut"
            ),
            Self::Refused(reason) => format!("; it can't be fitted again: {reason}"),
            Self::NoSummary(reason) => format!("; it can't be summarized again: {reason}"),
        }
    }
}

/// An error with all its sources.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        // Some errors say what their source says.
        if !text.ends_with(&next) {
            text = format!("{text}: {next}");
        }
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_too_long_says_how_long() {
        let source = ProviderError::context_length(9_000, Some(500), 8_000).into();
        let error = FitError::StillTooLong { source }.into();
        let heard = Heard {
            estimate: Some(Estimate {
                prompt: 7_000,
                fixed: 300,
            }),
            obstacle: Some(Obstacle::TooLittle {
                before: 10_000,
                after: 7_000,
                limit: 6_000,
            }),
            ..Heard::default()
        };
        assert_eq!(
            Fault::refusal(&error, &heard).text,
            "the provider counts 9000 tokens and 500 of output asked for, its window holds 8000; \
             the client had estimated 7000, 300 of it fixed; compaction brought an estimate of 10000 to 7000, the limit was 6000"
        );
        let text = Fault::refusal(&error, &Heard::default()).text;
        assert!(text.ends_with("its window holds 8000"), "{text}");
    }

    #[test]
    fn other_errors_say_what_they_say() {
        let error = FitError::CannotFit {
            needed: 4,
            limit: 3,
            fixed: 2,
            floor: 1,
        };
        let fault = Fault::refusal(&error.into(), &Heard::default());
        assert_eq!(fault.reason, "nothing more to cut");
        assert!(
            fault
                .text
                .contains("the messages need 4 tokens and may use 3")
        );
        let fault = Fault::refusal(&"odd".into(), &Heard::default());
        assert_eq!(fault.text, "odd");
    }

    #[test]
    fn malformed_requests_are_told_apart() {
        let stray = StructureError::Stray {
            message: 3,
            id: "call_1".into(),
        };
        assert_eq!(Fault::malformed(&stray).reason, "a result without its call");
        assert_eq!(
            Fault::malformed(&StructureError::Empty).reason,
            "no messages"
        );
    }
}
