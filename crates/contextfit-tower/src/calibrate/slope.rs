/// How many of a provider's tokens an estimated one is worth.
///
/// It is learned from differences between two counts alone: the first count of a conversation
/// may hold a constant that nobody sees, and a ratio would multiply it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slope {
    counted: u64,
    estimated: u64,
}

impl Slope {
    /// As many.
    pub(crate) const ONE: Self = Self {
        counted: 1,
        estimated: 1,
    };
    /// No text is further from its estimate than this factor, up or down.
    pub(super) const MOST: u64 = 4;

    /// The two numbers whose quotient it is.
    pub(crate) const fn ratio(self) -> (u64, u64) {
        (self.counted, self.estimated)
    }

    /// What so many of a provider's tokens would have been estimated at.
    pub(crate) fn unscaled(self, tokens: u64) -> u64 {
        let product = u128::from(tokens) * u128::from(self.estimated);
        u64::try_from(product / u128::from(self.counted)).unwrap_or(u64::MAX)
    }
}

/// What was learned of a slope so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Samples {
    counted: u64,
    estimated: u64,
}

impl Samples {
    /// Estimated tokens that stand for a slope of one before anything is learned, so that a few
    /// short messages don't decide.
    const PRIOR: u64 = 1_000;
    /// Estimated tokens beyond which old samples fade: a conversation may turn to another kind
    /// of text.
    const MEMORY: u64 = 64_000;

    /// Learns that what was estimated at so many tokens was counted as so many.
    pub(super) fn add(&mut self, counted: u64, estimated: u64) {
        // It isn't text that was estimated that much too high: an image, say, or what was cut.
        if counted < estimated / Slope::MOST {
            return;
        }
        // One absurd sample mustn't outweigh all the others.
        let counted = counted.min(estimated.saturating_mul(Slope::MOST));
        // A single sample weighs no more than the memory.
        let (counted, estimated) = if estimated > Self::MEMORY {
            let counted = u128::from(counted) * u128::from(Self::MEMORY) / u128::from(estimated);
            (u64::try_from(counted).unwrap_or(u64::MAX), Self::MEMORY)
        } else {
            (counted, estimated)
        };
        self.counted += counted;
        self.estimated += estimated;
        while self.estimated > Self::MEMORY {
            self.counted /= 2;
            self.estimated /= 2;
        }
    }

    /// The slope, as far as it is known.
    pub(super) const fn slope(self) -> Slope {
        Slope {
            counted: Self::PRIOR + self.counted,
            estimated: Self::PRIOR + self.estimated,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn after(samples: &[(u64, u64)]) -> f64 {
        let mut all = Samples::default();
        for &(counted, estimated) in samples {
            all.add(counted, estimated);
        }
        let (counted, estimated) = all.slope().ratio();
        counted as f64 / estimated as f64
    }

    #[test]
    fn it_is_one_until_there_is_something_to_learn_from() {
        assert_eq!(Samples::default().slope().ratio(), (1_000, 1_000));
        assert!(after(&[(60, 20)]) < 1.05);
        assert!(after(&[(30_000, 10_000)]) > 2.8);
    }

    #[test]
    fn a_new_kind_of_text_is_learned_in_the_end() {
        let chinese = [(30_000, 10_000); 20];
        let english = [(9_000, 10_000); 20];
        let both = [chinese, english].concat();
        assert!(after(&chinese) > 2.9);
        assert!(after(&both) < 1.1);
    }

    proptest! {
        #[test]
        fn it_stays_within_its_bounds(samples in prop::collection::vec((any::<u64>(), any::<u64>()), 0..50)) {
            let mut all = Samples::default();
            for (counted, estimated) in samples {
                all.add(counted, estimated);
                let (counted, estimated) = all.slope().ratio();
                prop_assert!(counted <= estimated * 4 && estimated <= counted * 4 + 8);
            }
        }

        #[test]
        fn unscaling_undoes_a_slope(counted in 1_u64..40_000, estimated in 0_u64..40_000, tokens in 0_u64..1_000_000) {
            let mut all = Samples::default();
            all.add(counted, estimated);
            let slope = all.slope();
            let (numerator, denominator) = slope.ratio();
            let scaled = tokens * numerator / denominator;
            prop_assert!(tokens - slope.unscaled(scaled).min(tokens) <= 1 + denominator / numerator);
        }
    }
}
