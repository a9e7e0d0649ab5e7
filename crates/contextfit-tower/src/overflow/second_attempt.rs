use super::{Overflow, Scope, Sent};

/// The most tokens, by our estimate, that the next prompt may have after an overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PromptLimits {
    /// What fits whatever explains the overflow.
    pub(crate) cautious: u64,
    /// What may still fit, for a request that can't be made as small as that. A prompt above it
    /// would overflow again. `None` if the provider gave no numbers to tell it by.
    pub(crate) hopeful: Option<u64>,
    /// Whether the provider gave numbers that say what is too long.
    pub(crate) told: bool,
}

/// Sizes the second attempt.
///
/// The provider counts otherwise than we do. Its numbers say how much otherwise, but not why: its
/// tokens may be smaller than ours throughout, or it adds something that we don't see, such as a
/// template or tools of its own. The hopeful limit takes all of the difference for a ratio. The
/// cautious one takes as much of it as can be for a hidden constant, up to three quarters of the
/// provider's limit, because that leaves the least for the messages; and it leaves a tenth for
/// what neither explains.
///
/// Without numbers, or with numbers that don't say that anything is too long, half of the messages
/// stay, so that a large fixed part doesn't make a recovery impossible. The cautious limit is
/// never more than half where no fixed part was measured, because then there may be one that
/// nobody told us of.
pub(crate) fn prompt_limits(sent: &Sent<'_>, overflow: &Overflow) -> PromptLimits {
    // Half of all, if nothing is fixed.
    let fixed = sent.fixed.min(sent.estimated);
    let half = fixed + (sent.estimated - fixed) / 2;
    let allowed = overflow.limit.map(|limit| match overflow.scope {
        Scope::Input => limit,
        Scope::Total => {
            let asked = sent.max_output.map_or(0, u64::from);
            limit.saturating_sub(overflow.output.unwrap_or(asked))
        }
    });
    match (overflow.input, allowed) {
        (Some(input), Some(allowed)) if input > allowed => {
            let hidden = input
                .saturating_sub(sent.estimated)
                .min(allowed - allowed / 4);
            let cautious = nine_tenths(scale(sent.estimated, allowed - hidden, input - hidden));
            PromptLimits {
                cautious: if sent.fixed == 0 {
                    cautious.min(half)
                } else {
                    cautious
                },
                hopeful: Some(scale(sent.estimated, allowed, input)),
                told: true,
            }
        }
        (None, Some(allowed)) => PromptLimits {
            cautious: nine_tenths(allowed).min(half),
            hopeful: None,
            told: true,
        },
        _ => PromptLimits {
            cautious: half,
            hopeful: None,
            told: false,
        },
    }
}

/// The output to ask for with the same prompt, where that fits, but not beside the output that it
/// asked for. `None` if something else is too long, or what is left is neither half of what was asked
/// for nor as much as is `usual`.
///
/// A little is left free: a provider may want to be below its limit, and a second overflow is the
/// end.
pub(crate) fn lowered_output(sent: &Sent<'_>, overflow: &Overflow, usual: u64) -> Option<u32> {
    let (asked, input, limit) = (sent.max_output?, overflow.input?, overflow.limit?);
    let room = limit.checked_sub(input)?;
    let output = u32::try_from(room - room.div_ceil(64)).ok()?;
    let least = u64::from(asked.div_ceil(2)).min(usual).max(1);
    let is_enough = u64::from(output) >= least && output < asked;
    (overflow.scope == Scope::Total && is_enough).then_some(output)
}

/// `tokens · numerator ⁄ denominator`, for a fraction below 1.
fn scale(tokens: u64, numerator: u64, denominator: u64) -> u64 {
    let scaled = u128::from(tokens) * u128::from(numerator) / u128::from(denominator.max(1));
    u64::try_from(scaled).unwrap_or(tokens)
}

const fn nine_tenths(tokens: u64) -> u64 {
    tokens - tokens.div_ceil(10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sent(estimated: u64, fixed: u64, max_output: Option<u32>) -> Sent<'static> {
        Sent {
            model: None,
            window: 128_000,
            max_output,
            asked_output: max_output,
            estimated,
            counted: None,
            fixed,
        }
    }

    fn cautious(sent: &Sent<'_>, overflow: &Overflow) -> u64 {
        prompt_limits(sent, overflow).cautious
    }

    #[test]
    fn a_hidden_constant_is_left_for_the_provider() {
        // What is sent next has its 10 000 hidden tokens added again: 14 500 of 15 000.
        let hidden = Overflow::new().input(20_000).limit(15_000, Scope::Input);
        assert_eq!(cautious(&sent(10_000, 1, None), &hidden), 4_500);
        let slightly = Overflow::new().input(10_100).limit(10_000, Scope::Input);
        assert_eq!(cautious(&sent(10_000, 1, None), &slightly), 8_910);
    }

    #[test]
    fn a_ratio_is_what_no_constant_explains() {
        // A constant of 8 000 would leave nothing of the 8 000 for messages.
        let twice = Overflow::new().input(16_000).limit(8_000, Scope::Input);
        let limits = prompt_limits(&sent(8_000, 1, None), &twice);
        assert_eq!(
            limits,
            PromptLimits {
                cautious: 1_440,
                hopeful: Some(4_000),
                told: true,
            }
        );
        // We count more than the provider: there is nothing hidden.
        let less = Overflow::new().input(9_000).limit(8_000, Scope::Input);
        let limits = prompt_limits(&sent(18_000, 1, None), &less);
        assert_eq!(
            limits,
            PromptLimits {
                cautious: 14_400,
                hopeful: Some(16_000),
                told: true,
            }
        );
    }

    #[test]
    fn a_limit_of_the_total_leaves_what_the_output_does() {
        let overflow = Overflow::new()
            .input(9_000)
            .output(2_000)
            .limit(10_000, Scope::Total);
        assert_eq!(cautious(&sent(9_000, 1, None), &overflow), 7_200);
        let from_request = Overflow::new().input(9_000).limit(10_000, Scope::Total);
        assert_eq!(cautious(&sent(9_000, 1, Some(2_000)), &from_request), 7_200);
    }

    #[test]
    fn without_numbers_it_is_half() {
        assert_eq!(cautious(&sent(9_001, 0, None), &Overflow::new()), 4_500);
        // Numbers that contradict each other are none.
        let odd = Overflow::new().input(5).limit(10, Scope::Input);
        assert_eq!(cautious(&sent(9_000, 0, None), &odd), 4_500);
        let only_limit = Overflow::new().limit(1_000, Scope::Input);
        assert_eq!(cautious(&sent(9_000, 1, None), &only_limit), 900);
    }

    #[test]
    fn a_large_fixed_part_leaves_room_for_half_of_the_messages() {
        assert_eq!(cautious(&sent(9_000, 8_000, None), &Overflow::new()), 8_500);
    }

    #[test]
    fn it_is_at_most_half_where_the_fixed_part_is_not_known() {
        let overflow = Overflow::new().input(10_100).limit(10_000, Scope::Input);
        assert_eq!(cautious(&sent(10_000, 0, None), &overflow), 5_000);
    }

    #[test]
    fn where_only_the_output_is_too_large_it_is_lowered_to_what_is_left() {
        let overflow = Overflow::new().input(9_000).limit(10_000, Scope::Total);
        let lowered = |asked, usual| lowered_output(&sent(9_000, 1, asked), &overflow, usual);
        assert_eq!(lowered(Some(1_500), 16_384), Some(984));
        // Half of what was asked for, and no less.
        assert_eq!(lowered(Some(1_968), 16_384), Some(984));
        assert_eq!(lowered(Some(1_969), 16_384), None);
        // What is usual for a reply is enough for any.
        assert_eq!(lowered(Some(100_000), 984), Some(984));
        assert_eq!(lowered(Some(100_000), 985), None);
        // Something else is too long, or nobody says how much.
        assert_eq!(lowered(None, 984), None);
        assert_eq!(lowered(Some(984), 984), None);
        for other in [
            Overflow::new().input(9_000).limit(10_000, Scope::Input),
            Overflow::new().input(10_000).limit(10_000, Scope::Total),
            Overflow::new().input(10_001).limit(10_000, Scope::Total),
            Overflow::new().limit(10_000, Scope::Total),
            Overflow::new().input(9_000),
        ] {
            let sent = sent(9_000, 1, Some(1_500));
            assert_eq!(lowered_output(&sent, &other, 16_384), None);
        }
    }

    proptest! {
        #[test]
        fn lowered_output_is_some_and_less_and_fits(
            asked: u32, input in 0_u64..300_000, limit in 0_u64..300_000, usual: u64,
        ) {
            let overflow = Overflow::new().input(input).limit(limit, Scope::Total);
            let sent = sent(input, 0, Some(asked));
            if let Some(output) = lowered_output(&sent, &overflow, usual) {
                prop_assert!(0 < output && output < asked);
                prop_assert!(input + u64::from(output) <= limit);
                prop_assert!(output >= asked.div_ceil(2) || u64::from(output) >= usual);
            }
        }
    }

    #[test]
    fn no_number_makes_it_overflow_or_grow() {
        for (input, limit) in [
            (u64::MAX, 1),
            (u64::MAX, u64::MAX - 1),
            (1, 0),
            (0, 0),
            (5, 5),
        ] {
            for estimated in [0, 1, 10, u64::MAX] {
                let overflow = Overflow::new().input(input).limit(limit, Scope::Total);
                let limits = prompt_limits(&sent(estimated, 1, Some(7)), &overflow);
                assert!(limits.cautious <= estimated);
                assert!(limits.hopeful.is_none_or(|hopeful| hopeful <= estimated));
            }
        }
    }
}
