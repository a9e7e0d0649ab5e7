use super::{BudgetError, BudgetRules, OversizedOutput, Window, share_of};

/// What one request may use, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// min(window, the caller's maximum).
    pub ceiling: u64,
    /// Tokens kept free for the reply.
    pub reserve: u64,
    /// Tokens of what compaction can't touch.
    pub fixed: u64,
    /// What the messages may use: ceiling − reserve − fixed.
    pub limit: u64,
    /// What a compaction aims at: a share of the limit.
    pub target: u64,
    /// The most messages, [`usize::MAX`] if they aren't bounded.
    pub max_messages: usize,
    /// How many messages a compaction aims at: the same share of the most.
    pub target_messages: usize,
    /// Tokens kept free beside the output.
    margin: u64,
    /// The output the request asks for, if it may be lowered.
    may_lower: Option<u32>,
}

impl Budget {
    /// The budget of one request.
    ///
    /// `fixed` is what compaction can't touch, `asked` the output the request asks for.
    /// `most_prompt` bounds the whole prompt from above, where an overflow taught better.
    ///
    /// ```
    /// use contextfit_core::budget::{Budget, BudgetRules, Window};
    ///
    /// let budget = Budget::new(Window::new(128_000), &BudgetRules::default(), 2_000, None, None)?;
    /// assert_eq!(budget.reserve, 16_384);
    /// assert_eq!(budget.limit, 128_000 - 16_384 - 2_000);
    /// assert_eq!(budget.target, budget.limit / 2);
    /// # Ok::<(), contextfit_core::budget::BudgetError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The rules leave nothing of the window, or the request can't fit whatever is cut: its
    /// fixed part is too large, alone or beside the output it asks for.
    pub fn new(
        window: Window,
        rules: &BudgetRules,
        fixed: u64,
        asked: Option<u32>,
        most_prompt: Option<u64>,
    ) -> Result<Self, BudgetError> {
        rules.check(window)?;
        let ceiling = rules.ceiling(window);
        let input = window
            .input
            .unwrap_or(u64::MAX)
            .min(most_prompt.unwrap_or(u64::MAX));
        let most_input = ceiling.min(input);
        if fixed >= most_input {
            return Err(BudgetError::FixedPartTooLarge {
                fixed,
                ceiling: most_input,
            });
        }
        let room = ceiling - fixed;
        let floor = match rules.reserve {
            Some(reserve) => reserve,
            None => rules.reserve_floor(window).min(room / 2),
        };
        let margin = rules.margin.min(ceiling / 16).min(room / 4);
        let asked_for = asked.map_or(0, |asked| u64::from(asked).saturating_add(margin));
        let mut reserve = floor.max(asked_for);
        let mut may_lower = None;
        match rules.oversized_output {
            OversizedOutput::Refuse if reserve >= room => {
                return Err(BudgetError::OutputTooLarge {
                    fixed,
                    reserve,
                    ceiling,
                });
            }
            OversizedOutput::Refuse => {}
            OversizedOutput::Lower => {
                reserve = reserve.min(room - room.div_ceil(4));
                may_lower = asked;
            }
        }
        let limit = (ceiling - reserve).min(input).saturating_sub(fixed);
        let target = share_of(limit, rules.target);
        Ok(Self {
            ceiling,
            reserve,
            fixed,
            limit,
            target,
            max_messages: rules.max_messages.unwrap_or(usize::MAX),
            target_messages: rules
                .max_messages
                .map_or(usize::MAX, |most| share_of_messages(most, rules.target)),
            margin,
            may_lower,
        })
    }

    /// Whether so many tokens of messages, in so many messages, are within it. Equality is.
    #[must_use]
    pub const fn fits(&self, tokens: u64, messages: usize) -> bool {
        tokens <= self.limit && messages <= self.max_messages
    }

    /// The same with tighter bounds: on the tokens of the prompt, and on the messages. A compaction
    /// aims at a share `target` of them.
    #[must_use]
    pub fn within(mut self, prompt: u64, messages: usize, target: f64) -> Self {
        self.limit = self.limit.min(prompt.saturating_sub(self.fixed));
        self.target = self.target.min(share_of(self.limit, target));
        if messages < self.max_messages {
            self.max_messages = messages;
            self.target_messages = share_of_messages(messages, target);
        }
        self
    }

    /// The output to ask for beside so many tokens of messages, where what the request asks for
    /// doesn't fit beside them and may be lowered.
    #[must_use]
    pub fn lowered_output(&self, messages: u64) -> Option<u32> {
        let asked = self.may_lower?;
        let left = self
            .ceiling
            .saturating_sub(self.fixed)
            .saturating_sub(messages);
        let output = left.saturating_sub(self.margin).max(1);
        (left > 0 && output < u64::from(asked)).then(|| u32::try_from(output).unwrap_or(asked))
    }
}

/// A share of a number of messages, rounded down.
fn share_of_messages(messages: usize, part: f64) -> usize {
    let messages = u64::try_from(messages).unwrap_or(u64::MAX);
    usize::try_from(share_of(messages, part)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn budget(window: u64, fixed: u64, asked: Option<u32>) -> Result<Budget, BudgetError> {
        Budget::new(window.into(), &BudgetRules::default(), fixed, asked, None)
    }

    #[test]
    fn the_reserve_is_the_larger_of_what_is_asked_and_the_floor() {
        assert_eq!(budget(128_000, 0, None).unwrap().reserve, 16_384);
        assert_eq!(budget(8_000, 0, None).unwrap().reserve, 2_000);
        assert_eq!(budget(128_000, 0, Some(1_000)).unwrap().reserve, 16_384);
        let large = budget(200_000, 0, Some(32_000)).unwrap();
        assert_eq!((large.reserve, large.limit), (32_000, 168_000));
    }

    #[test]
    fn an_input_limit_of_its_own_binds_beside_the_total() {
        let window = Window::new(400_000).input_limit(272_000);
        let rules = BudgetRules::default();
        assert_eq!(
            Budget::new(window, &rules, 0, Some(128_000), None)
                .unwrap()
                .limit,
            272_000
        );
        assert_eq!(
            Budget::new(window, &rules, 0, Some(300_000), None)
                .unwrap()
                .limit,
            100_000
        );
    }

    #[test]
    fn no_more_is_reserved_unasked_than_the_model_ever_writes() {
        let window = Window::new(128_000).output_limit(4_096);
        let budget = |rules, asked| Budget::new(window, &rules, 0, asked, None).unwrap();
        assert_eq!(budget(BudgetRules::default(), None).limit, 128_000 - 4_096);
        // What is set or asked for is meant.
        let rules = BudgetRules {
            reserve: Some(10_000),
            ..Default::default()
        };
        assert_eq!(budget(rules, None).reserve, 10_000);
        assert_eq!(budget(BudgetRules::default(), Some(20_000)).reserve, 20_000);
        // A limit above the usual reserve changes nothing.
        let generous = Window::new(128_000).output_limit(64_000);
        let rules = BudgetRules::default();
        assert_eq!(rules.reserve_floor(generous), BudgetRules::RESERVE);
    }

    #[test]
    fn the_callers_maximum_lowers_the_ceiling_and_never_raises_it() {
        let mut rules = BudgetRules {
            max_context: Some(50_000),
            ..Default::default()
        };
        assert_eq!(rules.ceiling(Window::new(128_000)), 50_000);
        rules.max_context = Some(1_000_000);
        assert_eq!(rules.ceiling(Window::new(128_000)), 128_000);
    }

    #[test]
    fn what_an_overflow_taught_bounds_the_prompt() {
        let rules = BudgetRules::default();
        let budget = Budget::new(128_000.into(), &rules, 1_000, None, Some(5_000)).unwrap();
        assert_eq!(budget.limit, 4_000);
        let loose = Budget::new(128_000.into(), &rules, 1_000, None, Some(500_000)).unwrap();
        assert_eq!(loose.limit, 128_000 - 16_384 - 1_000);
    }

    #[test]
    fn output_that_does_not_fit_is_refused_or_lowered() {
        // The model's whole window as output: a common default of clients.
        assert_eq!(
            budget(128_000, 100, Some(128_000)),
            Err(BudgetError::OutputTooLarge {
                fixed: 100,
                reserve: 128_000,
                ceiling: 128_000
            })
        );
        let rules = BudgetRules {
            oversized_output: OversizedOutput::Lower,
            ..Default::default()
        };
        let lowered =
            |asked| Budget::new(128_000.into(), &rules, 8_000, Some(asked), None).unwrap();
        for asked in [119_999, 120_000, 128_000] {
            assert_eq!(
                (lowered(asked).reserve, lowered(asked).limit),
                (90_000, 30_000)
            );
        }
        // The output gets what the messages leave, and is left alone where it fits.
        assert_eq!(lowered(128_000).lowered_output(30_000), Some(90_000));
        assert_eq!(lowered(128_000).lowered_output(1_000), Some(119_000));
        assert_eq!(lowered(100_000).lowered_output(20_000), None);
        assert_eq!(
            budget(128_000, 8_000, Some(100_000))
                .unwrap()
                .lowered_output(30_000),
            None
        );
    }

    #[test]
    fn a_margin_is_kept_beside_the_output_that_is_asked_for() {
        let rules = BudgetRules {
            margin: 4_096,
            oversized_output: OversizedOutput::Lower,
            ..Default::default()
        };
        let budget = |asked| Budget::new(128_000.into(), &rules, 0, Some(asked), None).unwrap();
        assert_eq!(budget(24_576).reserve, 28_672);
        // The floor needs no margin.
        assert_eq!(budget(4_096).reserve, 16_384);
        assert_eq!(budget(24_576).lowered_output(100_000), Some(23_904));
        assert_eq!(budget(24_576).lowered_output(127_000), Some(1));
        assert_eq!(budget(24_576).lowered_output(99_000), None);
        // A small window isn't all margin.
        let small = Budget::new(8_000.into(), &rules, 0, Some(4_000), None).unwrap();
        assert_eq!(small.reserve, 4_500);
    }

    #[test]
    fn a_bound_on_messages_has_a_target_too() {
        let mut rules = BudgetRules {
            max_messages: Some(80),
            ..Default::default()
        };
        let budget = Budget::new(8_000.into(), &rules, 0, None, None).unwrap();
        assert_eq!((budget.max_messages, budget.target_messages), (80, 40));
        rules.max_messages = Some(0);
        assert_eq!(rules.check(8_000.into()), Err(BudgetError::NoMessages));
        rules.max_messages = None;
        let budget = Budget::new(8_000.into(), &rules, 0, None, None).unwrap();
        assert_eq!(budget.target_messages, usize::MAX);
    }

    #[test]
    fn a_budget_may_be_tightened_and_never_loosened() {
        let whole = budget(128_000, 8_000, None).unwrap();
        let tight = whole.within(28_000, 40, 0.25);
        assert_eq!((tight.limit, tight.target), (20_000, 5_000));
        assert_eq!((tight.max_messages, tight.target_messages), (40, 10));
        assert_eq!(whole.within(u64::MAX, usize::MAX, 1.0), whole);
        assert_eq!(whole.within(7_000, usize::MAX, 0.5).limit, 0);
    }

    #[test]
    fn a_reserve_nobody_asked_for_yields_to_the_fixed_part() {
        // The floor of 2 000 would leave nothing.
        let crowded = budget(8_000, 7_000, None).unwrap();
        assert_eq!((crowded.reserve, crowded.limit), (500, 500));
        // One that is set, or asked for, is meant.
        let rules = BudgetRules {
            reserve: Some(2_000),
            ..Default::default()
        };
        assert!(Budget::new(8_000.into(), &rules, 7_000, None, None).is_err());
        assert!(budget(8_000, 7_000, Some(1_000)).is_err());
    }

    #[test]
    fn a_reserve_as_large_as_the_window_is_an_error_of_the_settings() {
        let rules = BudgetRules {
            reserve: Some(16_000),
            ..Default::default()
        };
        assert_eq!(
            rules.check(8_000.into()),
            Err(BudgetError::ReserveTooLarge {
                reserve: 16_000,
                ceiling: 8_000
            })
        );
        assert_eq!(rules.check(0.into()), Err(BudgetError::EmptyWindow));
        assert_eq!(rules.check(16_001.into()), Ok(()));
    }

    #[test]
    fn a_fixed_part_as_large_as_the_window_is_refused_with_both_numbers() {
        assert_eq!(
            budget(1, 1, None),
            Err(BudgetError::FixedPartTooLarge {
                fixed: 1,
                ceiling: 1
            })
        );
        let text = budget(1_000, 1_100, None).unwrap_err().to_string();
        assert!(text.contains("1100") && text.contains("1000"), "{text}");
    }

    proptest! {
        #[test]
        fn the_parts_never_exceed_the_ceiling(
            total: u64, input: Option<u64>, output: Option<u64>, max_context: Option<u64>, reserve: Option<u64>,
            lower: bool, target in 0.01..=1.0, margin: u64, fixed: u64, asked: Option<u32>, most: Option<u64>,
        ) {
            let window = Window { total, input, output };
            let oversized_output =
                if lower { OversizedOutput::Lower } else { OversizedOutput::Refuse };
            let rules = BudgetRules {
                max_context, reserve, oversized_output, margin, target, max_messages: None,
            };
            if let Ok(budget) = Budget::new(window, &rules, fixed, asked, most) {
                let used = u128::from(budget.fixed)
                    + u128::from(budget.reserve)
                    + u128::from(budget.limit);
                prop_assert!(used <= u128::from(budget.ceiling));
                prop_assert!(budget.target <= budget.limit);
                let prompt = budget.fixed + budget.limit;
                prop_assert!(prompt <= input.unwrap_or(u64::MAX).min(most.unwrap_or(u64::MAX)));
            }
        }
    }
}
