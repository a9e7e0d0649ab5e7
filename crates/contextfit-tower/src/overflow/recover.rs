use super::{Overflow, Scope, Sent};

/// The most tokens, by our estimate, that the next prompt may have after an overflow.
///
/// The provider counts otherwise than we do. Its numbers say how much otherwise, in two ways:
/// as a ratio, if its tokens are smaller than ours throughout, and as a difference, if it adds
/// something that we don't see, such as a template. The smaller of the two holds, unless the
/// difference leaves no room for any message; and a tenth is left for what neither explains.
/// Without numbers, or with numbers that don't say that anything is too long, it is half of what
/// was sent. It is never more than half where no fixed part was measured, because then there may
/// be one that nobody told us of.
pub(crate) fn prompt_limit(sent: &Sent<'_>, overflow: &Overflow) -> u64 {
    let half = sent.estimated / 2;
    let allowed = overflow.limit.map(|limit| match overflow.scope {
        Scope::Input => limit,
        Scope::Total => limit.saturating_sub(
            overflow
                .output
                .unwrap_or(sent.max_output.map_or(0, u64::from)),
        ),
    });
    let limit = match (overflow.input, allowed) {
        (Some(input), Some(allowed)) if input > allowed => {
            let ratio = u128::from(sent.estimated) * u128::from(allowed) / u128::from(input);
            let ratio = u64::try_from(ratio).unwrap_or(u64::MAX);
            let difference = sent.estimated.saturating_sub(input - allowed);
            // A constant that leaves no room for any message explains nothing.
            let likely = if difference > sent.fixed {
                ratio.min(difference)
            } else {
                ratio
            };
            nine_tenths(likely)
        }
        (None, Some(allowed)) => nine_tenths(allowed).min(half),
        _ => half,
    };
    if sent.fixed == 0 {
        limit.min(half)
    } else {
        limit
    }
}

const fn nine_tenths(tokens: u64) -> u64 {
    tokens - tokens.div_ceil(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(estimated: u64, fixed: u64, max_output: Option<u32>) -> Sent<'static> {
        Sent {
            model: None,
            window: 128_000,
            max_output,
            estimated,
            fixed,
        }
    }

    #[test]
    fn a_ratio_explains_a_tokenizer_and_a_difference_a_hidden_constant() {
        // Twice our count: the ratio is the smaller.
        let twice = Overflow::new().input(20_000).limit(12_000, Scope::Input);
        assert_eq!(prompt_limit(&sent(10_000, 1, None), &twice), 1_800);
        // A hidden constant of 10 000: the difference is.
        let hidden = Overflow::new().input(20_000).limit(15_000, Scope::Input);
        assert_eq!(prompt_limit(&sent(10_000, 1, None), &hidden), 4_500);
        let slightly = Overflow::new().input(10_100).limit(10_000, Scope::Input);
        assert_eq!(prompt_limit(&sent(10_000, 1, None), &slightly), 8_910);
    }

    #[test]
    fn a_difference_that_leaves_no_room_is_not_the_explanation() {
        // Three times our count: as a constant it would fill the window.
        let thrice = Overflow::new().input(30_000).limit(12_000, Scope::Input);
        assert_eq!(prompt_limit(&sent(10_000, 1, None), &thrice), 3_600);
        let slightly_more = Overflow::new().input(21_000).limit(12_000, Scope::Input);
        assert_eq!(
            prompt_limit(&sent(10_000, 2_000, None), &slightly_more),
            5_142
        );
    }

    #[test]
    fn a_limit_of_the_total_leaves_what_the_output_does() {
        let overflow = Overflow::new()
            .input(9_000)
            .output(2_000)
            .limit(10_000, Scope::Total);
        assert_eq!(prompt_limit(&sent(9_000, 1, None), &overflow), 7_200);
        let from_request = Overflow::new().input(9_000).limit(10_000, Scope::Total);
        assert_eq!(
            prompt_limit(&sent(9_000, 1, Some(2_000)), &from_request),
            7_200
        );
    }

    #[test]
    fn without_numbers_it_is_half() {
        assert_eq!(prompt_limit(&sent(9_001, 1, None), &Overflow::new()), 4_500);
        // Numbers that contradict each other are none.
        let odd = Overflow::new().input(5).limit(10, Scope::Input);
        assert_eq!(prompt_limit(&sent(9_000, 1, None), &odd), 4_500);
        let only_limit = Overflow::new().limit(1_000, Scope::Input);
        assert_eq!(prompt_limit(&sent(9_000, 1, None), &only_limit), 900);
    }

    #[test]
    fn it_is_at_most_half_where_the_fixed_part_is_not_known() {
        let overflow = Overflow::new().input(10_100).limit(10_000, Scope::Input);
        assert_eq!(prompt_limit(&sent(10_000, 0, None), &overflow), 5_000);
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
                assert!(prompt_limit(&sent(estimated, 1, Some(7)), &overflow) <= estimated);
            }
        }
    }
}
