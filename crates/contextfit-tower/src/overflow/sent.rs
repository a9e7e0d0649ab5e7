use contextfit_core::estimate::Measured;

use crate::calibrate::{Calibration, Other, Receipt};

/// What is known of the request that a result answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sent<'a> {
    /// The model it asked.
    pub model: Option<&'a str>,
    /// The model's window as it is configured, in tokens.
    pub window: u64,
    /// The output it asked for as it was sent, in tokens.
    pub max_output: Option<u32>,
    /// The output the caller asked for, in tokens: more than that where it was lowered to make
    /// the request fit.
    pub asked_output: Option<u32>,
    /// Tokens of the whole prompt, as they were estimated.
    pub estimated: u64,
    /// Tokens that the provider counted for the start of this prompt, when it was a prompt of its
    /// own. Only with a [`Calibrator`](crate::Calibrator).
    pub counted: Option<u64>,
    /// Tokens of the part that can't be cut, as they were estimated.
    pub fixed: u64,
}

impl Sent<'_> {
    /// Fewer tokens than these may be missing for any reason.
    const MISSED: u64 = 1_024;

    /// Whether the prompt has so many more tokens than were counted for it that the provider can't
    /// have read all of it.
    ///
    /// That is so below a quarter of the estimate, because no text is overestimated by that much but
    /// one that nobody writes; or, where the provider counted the start of the prompt before, below
    /// half of that. (Not below all of it: thoughts of earlier turns stay in the conversation, and
    /// some providers don't read them again.) Fewer than 1 024 missing tokens are none, and neither
    /// is a count of 0, which is what providers say who don't count.
    #[must_use]
    pub fn is_far_above(&self, counted: u64) -> bool {
        let below = |whole: u64, part: u64| counted < whole / part;
        let far = below(self.estimated, 4) || self.counted.is_some_and(|start| below(start, 2));
        counted > 0 && far && self.estimated.saturating_sub(counted) >= Self::MISSED
    }
}

/// A provider said that a request was too long, with the numbers it gave.
///
/// Each number is there only if the provider gave it. A number that was guessed does more harm
/// than none.
///
/// The numbers size the second attempt. They say how much more the provider counts than was
/// estimated, not why; so the attempt leaves room for a constant that the provider adds, as well
/// as for tokens that are smaller than estimated throughout, and may come out much smaller than
/// it would have to be. A limit below the configured window is remembered for the model. If
/// overflows come often because the counts differ by a ratio, a better
/// [`Estimator`](contextfit_core::estimate::Estimator) is the cure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overflow {
    /// Tokens of the prompt, as the provider counts them.
    pub input: Option<u64>,
    /// Tokens of output that were asked for.
    pub output: Option<u64>,
    /// The most tokens the provider takes.
    pub limit: Option<u64>,
    /// What that limit is a limit of.
    pub scope: Scope,
}

impl Overflow {
    /// An overflow without any numbers.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            input: None,
            output: None,
            limit: None,
            scope: Scope::Input,
        }
    }

    /// Sets the tokens of the prompt.
    #[must_use]
    pub const fn input(mut self, tokens: u64) -> Self {
        self.input = Some(tokens);
        self
    }

    /// Sets the tokens of output that were asked for.
    #[must_use]
    pub const fn output(mut self, tokens: u64) -> Self {
        self.output = Some(tokens);
        self
    }

    /// Sets the most tokens the provider takes, and of what.
    #[must_use]
    pub const fn limit(mut self, tokens: u64, scope: Scope) -> Self {
        self.limit = Some(tokens);
        self.scope = scope;
        self
    }

    /// Tokens of the prompt, where they can be all of it: a provider that reads no more than fits
    /// counts no more either.
    pub(crate) fn counted(&self) -> Option<u64> {
        let input = self.input?;
        let needed = input.saturating_add(self.output.unwrap_or(0));
        self.limit
            .is_none_or(|limit| needed > limit)
            .then_some(input)
    }
}

/// What a provider's limit is a limit of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// The prompt.
    #[default]
    Input,
    /// The prompt and the output asked for, together.
    Total,
}

/// The numbers of [`Sent`], which outlive the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) window: u64,
    pub(crate) max_output: Option<u32>,
    pub(crate) asked_output: Option<u32>,
    pub(crate) estimated: u64,
    /// Tokens by which that is below the sum of its parts.
    pub(crate) overestimate: u64,
    pub(crate) fixed: u64,
    /// How it was counted.
    pub(crate) calibration: Calibration,
    /// What to keep the provider's count under.
    pub(crate) receipt: Option<Receipt>,
}

impl Size {
    pub(crate) fn new(window: u64, measured: &Measured) -> Self {
        Self {
            window,
            max_output: measured.max_output,
            asked_output: measured.max_output,
            estimated: measured.prompt(),
            overestimate: measured.overestimate,
            fixed: measured.fixed,
            calibration: Calibration::NONE,
            receipt: None,
        }
    }

    /// Says that this is what was made of a request that was too long, of which the provider
    /// counted so many tokens.
    pub(crate) fn made_from(mut self, too_long: &Self, counted: Option<u64>) -> Self {
        if let Some(receipt) = &mut self.receipt {
            let estimated = too_long.receipt.map(|receipt| receipt.estimated);
            receipt.other = counted
                .zip(estimated)
                .map(|(counted, estimated)| Other::TooLong { counted, estimated });
        }
        self
    }

    /// The same as the sum of its parts, to be compared with what is left when some are cut.
    pub(crate) const fn of_parts(mut self) -> Self {
        self.estimated = self.estimated.saturating_add(self.overestimate);
        self.overestimate = 0;
        self
    }

    /// The same without anything that was learned; `None` if nothing was.
    pub(crate) fn unlearned(self) -> Option<Self> {
        let receipt = self.receipt?;
        let unlearned = Self {
            estimated: receipt.estimated,
            overestimate: 0,
            fixed: receipt.fixed,
            calibration: Calibration::NONE,
            ..self
        };
        (self != unlearned).then_some(unlearned)
    }

    pub(crate) const fn sent(self, model: Option<&str>) -> Sent<'_> {
        let Self {
            window,
            max_output,
            asked_output,
            estimated,
            fixed,
            receipt,
            ..
        } = self;
        let counted = match receipt {
            Some(Receipt {
                other: Some(Other::Start { counted, .. }),
                ..
            }) => Some(counted),
            _ => None,
        };
        Sent {
            model,
            window,
            max_output,
            asked_output,
            estimated,
            counted,
            fixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(estimated: u64, counted: Option<u64>) -> Sent<'static> {
        Sent {
            model: None,
            window: 128_000,
            max_output: None,
            asked_output: None,
            estimated,
            counted,
            fixed: 0,
        }
    }

    #[test]
    fn no_error_of_an_estimate_makes_a_prompt_look_cut() {
        let sent_alone = sent(40_000, None);
        assert!(sent_alone.is_far_above(9_999));
        assert!(!sent_alone.is_far_above(10_000));
        assert!(!sent_alone.is_far_above(200_000));
        // What was counted before is no estimate, and half of it may be thoughts.
        let counted_before = sent(40_000, Some(36_000));
        assert!(counted_before.is_far_above(17_999));
        assert!(!counted_before.is_far_above(18_000));
        // A count that isn't there.
        assert!(!counted_before.is_far_above(0));
    }

    #[test]
    fn little_that_is_missing_is_nothing() {
        assert!(!sent(1_024, None).is_far_above(1));
        assert!(sent(1_025, None).is_far_above(1));
    }
}
