use contextfit_core::request::RequestAdapter;

use super::settings::{Settings, WhenStuck, WithoutNumbers};
use super::{Fitter, Start};
use crate::calibrate::Calibration;
use crate::overflow::{PromptLimits, Size, prompt_limits};
use crate::{FitError, Overflow};

/// What an overflow asks of a fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refit {
    /// The most tokens that the prompt may have; as many as any other if `None`.
    pub(super) most_prompt: Option<u64>,
    /// Tokens of the prompt that was too long.
    sent: u64,
    /// How they were counted.
    pub(super) calibration: Calibration,
    /// Whether a prompt above `most_prompt` is worth sending, if it is below `sent`.
    or_smaller: bool,
}

impl<A> Fitter<A> {
    /// Decides how a request is made smaller of which `sent` was too long. It is the
    /// request as the caller gave it, whatever was sent of it; `as_given` says whether all was.
    ///
    /// If the cautious limit can't be met, the hopeful one is tried; and half of what was sent,
    /// where compacting as usual doesn't make it smaller. If it can't be done by what was learned,
    /// it is tried without.
    pub(crate) fn start_again<R>(
        &self,
        request: &R,
        model: Option<&str>,
        sent: Size,
        as_given: bool,
        overflow: &Overflow,
    ) -> Result<Start, FitError>
    where
        A: RequestAdapter<R>,
    {
        let start = |size: Size| {
            let limits = prompt_limits(&size.sent(model), overflow);
            self.start_within(request, &size, as_given, limits)
        };
        let learned = start(sent.of_parts());
        learned.or_else(|error| sent.unlearned().map_or(Err(error), start))
    }

    fn start_within<R>(
        &self,
        request: &R,
        sent: &Size,
        as_given: bool,
        limits: PromptLimits,
    ) -> Result<Start, FitError>
    where
        A: RequestAdapter<R>,
    {
        let PromptLimits {
            cautious,
            hopeful,
            told,
        } = limits;
        // What was made smaller before it was sent comes to the same if that is done once more.
        let as_usual = as_given && self.shared.settings.without_numbers == WithoutNumbers::AsUsual;
        let within = |most_prompt, or_smaller| {
            self.start(
                request,
                Some(Refit {
                    most_prompt,
                    sent: sent.estimated,
                    calibration: sent.calibration,
                    or_smaller,
                }),
            )
        };
        match hopeful {
            Some(hopeful) => {
                within(Some(cautious), false).or_else(|_| within(Some(hopeful), false))
            }
            None if as_usual && !told => {
                within(None, true).or_else(|_| within(Some(cautious), true))
            }
            None => within(Some(cautious), true),
        }
    }
}

impl Settings {
    /// Whether a prompt of so many tokens is refused, which may be over its limit.
    pub(super) fn refuses(&self, refit: Option<Refit>, prompt: u64, over: bool) -> bool {
        match refit {
            Some(refit) => over && !refit.or_smaller || prompt >= refit.sent,
            None => over && self.when_stuck == WhenStuck::Refuse,
        }
    }
}
