use contextfit_core::budget::Budget;
use contextfit_core::cut::cut_policy_fn;
use contextfit_core::plan::{Draft, DraftRules, draft};
use contextfit_core::request::RequestAdapter;
use contextfit_core::table::Table;

use super::settings::{Settings, WhenStuck, WithoutNumbers};
use super::{Fitter, Start};
use crate::FitError;
use crate::overflow::PromptLimits;

/// What an overflow asks of a fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refit {
    /// The most tokens that the prompt may have; as many as any other if `None`.
    pub(super) most_prompt: Option<u64>,
    /// Tokens of the prompt that was too long.
    sent: u64,
    /// Whether a prompt above `most_prompt` is worth sending, if it is below `sent`.
    or_smaller: bool,
}

impl<A> Fitter<A> {
    /// Decides how a request is made smaller of which `sent` tokens were too long. It is the
    /// request as the caller gave it, whatever was sent of it; `as_given` says whether all was.
    ///
    /// If the cautious limit can't be met, the hopeful one is tried; and half of what was sent,
    /// where compacting as usual doesn't make it smaller.
    pub(crate) fn start_again<R>(
        &self,
        request: &R,
        sent: u64,
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
                    sent,
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

impl<A> Fitter<A> {
    /// Drafts how a request is made smaller that is within its limit, and too long all the same.
    ///
    /// Where what the policy cuts comes to nothing, there is what it clips without that.
    pub(super) fn draft_after_overflow(
        &self,
        table: &Table,
        budget: &Budget,
        rules: DraftRules,
    ) -> Option<Draft> {
        let policy = &*self.shared.policy;
        // The length of a summary follows from the limit, which is of no use here. So the gain is
        // taken from the summary, not demanded of what the longest one would leave.
        let gain = least_gain(table.tokens(), rules.least_gain);
        let rules = DraftRules {
            summary: rules.summary.freeing(gain),
            least_gain: 0.0,
            ..rules
        };
        draft(table, budget, policy, &rules).or_else(|| {
            let mut held = table.clone();
            for index in policy.cut(table, budget)?.iter() {
                held.pin(index);
            }
            let clips = cut_policy_fn(|table, budget| {
                let cut = policy.cut(table, budget)?;
                let mut clips = cut.clone();
                cut.iter().for_each(|index| clips.keep(index));
                Some(clips)
            });
            draft(&held, budget, &clips, &rules)
        })
    }
}

/// A share of some tokens, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a share needs no exact numbers, and a float to integer cast saturates"
)]
fn least_gain(tokens: u64, share: f64) -> u64 {
    (tokens as f64 * share).ceil() as u64
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
