use serde::Serialize;

use super::fault::Fault;

/// What became of one request.
///
/// The names are those of the JSON; the numbers of all steps add up to the [`Totals`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Step {
    /// Which request it is, from 1.
    pub(crate) request: usize,
    /// How many messages the agent asked with.
    pub(crate) messages: usize,
    /// The provider's count of the request as the agent asked it.
    pub(crate) tokens_asked: u64,
    /// The provider's count of all that it received for it, answered or not.
    pub(crate) tokens_sent: u64,
    /// Fits that changed it: one before it was sent, one after an overflow.
    pub(crate) compactions: u64,
    /// How often the provider found it too long.
    pub(crate) overflows: u64,
    /// 1 if it overflowed and was answered in the end.
    pub(crate) recoveries: u64,
    /// Calls of the summarizer.
    pub(crate) summarizer_calls: u64,
    /// An exact count of what the summarizer read and wrote.
    pub(crate) summarizer_tokens: u64,
    /// Why it ended in an error, if it could not be fitted.
    pub(crate) refused: Option<Fault>,
    /// What the provider found malformed in it.
    pub(crate) structure_error: Option<Fault>,
    /// The provider's count of the last prompt that it received.
    #[serde(skip)]
    pub(crate) prompt: u64,
    /// The client's estimate of that prompt.
    #[serde(skip)]
    pub(crate) estimate: Option<u64>,
    /// The provider's count of the whole history up to it, as it was recorded.
    #[serde(skip)]
    pub(crate) whole: u64,
}

/// What became of all requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Totals {
    pub(crate) requests: u64,
    pub(crate) tokens_asked: u64,
    pub(crate) tokens_sent: u64,
    pub(crate) compactions: u64,
    pub(crate) overflows: u64,
    pub(crate) recoveries: u64,
    pub(crate) summarizer_calls: u64,
    pub(crate) summarizer_tokens: u64,
    pub(crate) refusals: u64,
    pub(crate) structure_errors: u64,
}

impl Totals {
    /// Adds up all steps.
    pub(crate) fn of(steps: &[Step]) -> Self {
        let sum = |number: fn(&Step) -> u64| steps.iter().map(number).fold(0, u64::saturating_add);
        Self {
            requests: sum(|_| 1),
            tokens_asked: sum(|step| step.tokens_asked),
            tokens_sent: sum(|step| step.tokens_sent),
            compactions: sum(|step| step.compactions),
            overflows: sum(|step| step.overflows),
            recoveries: sum(|step| step.recoveries),
            summarizer_calls: sum(|step| step.summarizer_calls),
            summarizer_tokens: sum(|step| step.summarizer_tokens),
            refusals: sum(|step| step.refused.is_some().into()),
            structure_errors: sum(|step| step.structure_error.is_some().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_the_sums_of_the_steps() {
        let good = Step {
            tokens_asked: 10,
            tokens_sent: 5,
            compactions: 2,
            overflows: 1,
            recoveries: 1,
            ..Step::default()
        };
        let refused = Step {
            tokens_asked: 1,
            refused: Some(Fault {
                reason: "r",
                text: "t".into(),
                shown: "t, for a person".into(),
            }),
            ..Step::default()
        };
        let malformed = Step {
            structure_error: Some(Fault {
                reason: "r",
                text: "s".into(),
                shown: "s, for a person".into(),
            }),
            ..Step::default()
        };
        let totals = Totals::of(&[good.clone(), refused, good, malformed]);
        assert_eq!(
            totals,
            Totals {
                requests: 4,
                tokens_asked: 21,
                tokens_sent: 10,
                compactions: 4,
                overflows: 2,
                recoveries: 2,
                refusals: 1,
                structure_errors: 1,
                ..Totals::default()
            }
        );
    }

    #[test]
    fn a_fault_is_its_text() {
        let step = Step {
            refused: Some(Fault {
                reason: "r",
                text: "t".into(),
                shown: "t, for a person".into(),
            }),
            ..Step::default()
        };
        let json = serde_json::to_value(step).unwrap();
        assert_eq!(json["refused"], "t");
        assert_eq!(json["structure_error"], serde_json::Value::Null);
        for key in ["prompt", "estimate", "whole"] {
            assert!(json.get(key).is_none(), "{key}");
        }
    }
}
