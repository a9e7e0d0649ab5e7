use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use contextfit_core::budget::{BudgetRules, Window};

use super::{Overflow, Scope, Sent};

/// A limit that a provider named, in its own tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    tokens: u64,
    scope: Scope,
}

impl Limit {
    /// Lowers a window, and a reserve that was set for a larger one, to what was learned.
    ///
    /// The reserve yields to the `fixed` part: what was learned must not make impossible what
    /// the provider would take.
    pub(crate) fn apply(self, window: &mut Window, rules: &mut BudgetRules, fixed: u64) {
        let Self { tokens, scope } = self;
        let known = match scope {
            Scope::Input => window.input.unwrap_or(window.total),
            Scope::Total => window.total,
        };
        if tokens >= known {
            return;
        }
        rules.reserve = rules.reserve.filter(|&reserve| reserve <= tokens / 4);
        match scope {
            Scope::Total => window.total = tokens,
            // The output isn't part of this limit, but a reply needs room all the same.
            Scope::Input => {
                let reserve = rules.reserve_floor(Window::new(tokens));
                let input = tokens - reserve.min(tokens.saturating_sub(fixed) / 2);
                window.input = Some(input);
            }
        }
    }
}

/// The limits that providers named in their errors, by model.
///
/// A learned limit only ever lowers the configured window, and it holds for its own model.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    limits: RwLock<HashMap<String, Limit>>,
}

impl Learned {
    /// No model has a smaller window: such a number is something else.
    const LEAST: u64 = 1_024;
    /// More models than anybody uses; beyond them nothing is learned.
    const MODELS: usize = 1_024;

    /// Remembers the limit of an overflow, if it is below the configured window and its numbers
    /// agree with each other and with what was sent.
    pub(crate) fn learn(&self, sent: &Sent<'_>, overflow: &Overflow) {
        let (Some(input), Some(limit)) = (overflow.input, overflow.limit) else {
            return;
        };
        let needed = input.saturating_add(overflow.output.unwrap_or(0));
        // No tokenizer counts that much otherwise than an estimate.
        let same_prompt = input / 8 <= sent.estimated && sent.estimated / 8 <= input;
        if limit < Self::LEAST || limit >= sent.window || needed <= limit || !same_prompt {
            return;
        }
        let learned = Limit {
            tokens: limit,
            scope: overflow.scope,
        };
        let mut limits = self.limits.write().unwrap_or_else(PoisonError::into_inner);
        let model = sent.model.unwrap_or_default();
        if let Some(known) = limits.get_mut(model) {
            if limit < known.tokens {
                *known = learned;
            }
        } else if limits.len() < Self::MODELS {
            limits.insert(model.to_owned(), learned);
        }
    }

    /// The limit learned for a model.
    pub(crate) fn limit(&self, model: Option<&str>) -> Option<Limit> {
        let limits = self.limits.read().unwrap_or_else(PoisonError::into_inner);
        limits.get(model.unwrap_or_default()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(model: Option<&str>) -> Sent<'_> {
        Sent {
            model,
            window: 128_000,
            max_output: None,
            estimated: 90_000,
            fixed: 0,
        }
    }

    #[test]
    fn the_smallest_limit_of_each_model_is_kept() {
        let learned = Learned::default();
        let overflow = |limit| Overflow::new().input(100_000).limit(limit, Scope::Total);
        learned.learn(&sent(Some("a")), &overflow(8_192));
        learned.learn(&sent(Some("a")), &overflow(16_000));
        assert_eq!(
            learned.limit(Some("a")).map(|limit| limit.tokens),
            Some(8_192)
        );
        assert_eq!(learned.limit(Some("b")), None);
    }

    #[test]
    fn numbers_that_are_something_else_teach_nothing() {
        let learned = Learned::default();
        for overflow in [
            Overflow::new(),
            Overflow::new().limit(8_192, Scope::Input),
            Overflow::new().input(9_000).limit(400, Scope::Input),
            Overflow::new().input(5_000).limit(8_192, Scope::Input),
            Overflow::new().input(130_000).limit(128_000, Scope::Input),
            Overflow::new().input(5_000).limit(2_013, Scope::Total),
        ] {
            learned.learn(&sent(None), &overflow);
        }
        assert_eq!(learned.limit(None), None);
    }

    #[test]
    fn a_learned_limit_lowers_what_is_set_and_never_raises_it() {
        let apply = |tokens, scope, reserve| {
            let mut window = Window::new(128_000);
            let mut rules = BudgetRules::default();
            rules.reserve = reserve;
            Limit { tokens, scope }.apply(&mut window, &mut rules, 7_000);
            (window.total, window.input, rules.reserve)
        };
        assert_eq!(apply(8_000, Scope::Total, None), (8_000, None, None));
        // A reserve that was meant for the larger window must not eat the smaller one.
        assert_eq!(
            apply(8_000, Scope::Total, Some(16_000)),
            (8_000, None, None)
        );
        assert_eq!(
            apply(8_000, Scope::Input, None),
            (128_000, Some(7_500), None)
        );
        assert_eq!(
            apply(200_000, Scope::Total, Some(5)),
            (128_000, None, Some(5))
        );
    }
}
