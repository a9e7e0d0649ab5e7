use std::error::Error;

use contextfit::{BoxError, FitError};
use contextfit_testing::provider::{ProviderError, ProviderErrorKind, StructureError};
use serde::Serialize;

use super::number::grouped;
use super::tally::{Estimate, Heard, Obstacle};

/// Why a request came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub(crate) struct Fault {
    /// What it has in common with others.
    pub(crate) reason: &'static str,
    /// All there is to say, with the numbers of this request.
    pub(crate) text: String,
    /// The same for a person: thousands are set apart.
    pub(crate) shown: String,
}

impl Fault {
    /// A request that could not be fitted.
    pub(crate) fn refusal(error: &BoxError, heard: &Heard) -> Self {
        let Some(fit) = error.downcast_ref::<FitError>() else {
            return Self::new("an error of the provider", chain(&**error));
        };
        let reason = match fit {
            FitError::StillTooLong { source } => {
                return Self {
                    reason: "still too long",
                    text: still_too_long(&**source, heard, plain),
                    shown: still_too_long(&**source, heard, grouped),
                };
            }
            FitError::NoRoom(_) => "no room for a conversation",
            FitError::CannotFit { .. } | FitError::TooManyMessages { .. } => "nothing more to cut",
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

    /// A fault that somebody else has put into words.
    fn new(reason: &'static str, text: String) -> Self {
        Self {
            reason,
            shown: text.clone(),
            text,
        }
    }
}

impl From<Fault> for String {
    fn from(fault: Fault) -> Self {
        fault.text
    }
}

/// How a number is written.
type Written = fn(u64) -> String;

fn plain(number: u64) -> String {
    number.to_string()
}

/// Why a request is too long, whatever was cut.
fn still_too_long(error: &(dyn Error + 'static), heard: &Heard, written: Written) -> String {
    let mut text = error
        .downcast_ref()
        .and_then(|error| too_long(error, written))
        .unwrap_or_else(|| chain(error));
    if let Some(estimate) = heard.estimate {
        text += &estimate.clause(written);
    }
    if let Some(obstacle) = &heard.obstacle {
        text += &obstacle.clause(written);
    }
    text
}

/// The numbers of a provider that finds a request too long.
fn too_long(error: &ProviderError, written: Written) -> Option<String> {
    let ProviderErrorKind::ContextLength {
        prompt,
        output,
        window,
    } = error.kind
    else {
        return None;
    };
    let output = output.map_or_else(String::new, |output| {
        format!(" and {} of output asked for", written(output))
    });
    let (prompt, window) = (written(prompt), written(window));
    Some(format!(
        "the provider counts {prompt} tokens{output}, its window holds {window}"
    ))
}

impl Estimate {
    /// What the client had made of a request that is too long, within a sentence.
    fn clause(self, written: Written) -> String {
        let (prompt, fixed) = (written(self.prompt), written(self.fixed));
        format!("; the client had estimated {prompt}, {fixed} of it fixed")
    }
}

impl Obstacle {
    /// What it means for a request that is too long, as the end of a sentence.
    fn clause(&self, written: Written) -> String {
        match self {
            &Self::TooLittle {
                before,
                after,
                limit,
            } => format!(
                "; compaction brought an estimate of {} to {}, the limit was {}",
                written(before),
                written(after),
                written(limit)
            ),
            &Self::Stuck { needed, limit } => format!(
                "; its messages are estimated at {}, the limit was {}, and nothing more in them \
                 may be cut",
                written(needed),
                written(limit)
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
        let fault = Fault::refusal(&error, &heard);
        assert!(
            fault
                .shown
                .contains("counts 9,000 tokens and 500 of output")
        );
        assert!(fault.shown.contains("estimate of 10,000 to 7,000"));
        assert_eq!(
            fault.text,
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
        assert_eq!((&*fault.text, &*fault.shown), ("odd", "odd"));
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
