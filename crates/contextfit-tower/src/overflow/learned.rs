use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use contextfit_core::budget::{BudgetRules, Window};

use super::{Overflow, Scope};

/// A limit that a provider named, in its own tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    tokens: u64,
    scope: Scope,
}

impl Limit {
    /// Lowers a window, and a reserve that was set for a larger one, to what was learned.
    pub(crate) fn apply(self, window: &mut Window, rules: &mut BudgetRules) {
        let most_reserve = self.tokens / 4;
        match self.scope {
            Scope::Input => {
                let reserve = rules.reserve_floor(*window).min(most_reserve);
                let input = self.tokens - reserve;
                window.input = Some(window.input.map_or(input, |known| known.min(input)));
            }
            Scope::Total if self.tokens < window.total => {
                window.total = self.tokens;
                rules.reserve = rules.reserve.map(|reserve| reserve.min(most_reserve));
            }
            Scope::Total => {}
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

    /// Remembers the limit of an overflow, if its numbers agree with each other.
    pub(crate) fn learn(&self, model: Option<&str>, overflow: &Overflow) {
        let (Some(input), Some(limit)) = (overflow.input, overflow.limit) else {
            return;
        };
        let needed = input.saturating_add(overflow.output.unwrap_or(0));
        if limit < Self::LEAST || needed <= limit {
            return;
        }
        let learned = Limit {
            tokens: limit,
            scope: overflow.scope,
        };
        let mut limits = self.limits.write().unwrap_or_else(PoisonError::into_inner);
        let model = model.unwrap_or_default();
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

    #[test]
    fn the_smallest_limit_of_each_model_is_kept() {
        let learned = Learned::default();
        let overflow = |limit| Overflow::new().input(100_000).limit(limit, Scope::Total);
        learned.learn(Some("a"), &overflow(8_192));
        learned.learn(Some("a"), &overflow(16_000));
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
        ] {
            learned.learn(None, &overflow);
        }
        assert_eq!(learned.limit(None), None);
    }

    #[test]
    fn a_learned_limit_lowers_what_is_set_and_never_raises_it() {
        let apply = |tokens, scope, reserve| {
            let mut window = Window::new(128_000);
            let mut rules = BudgetRules::default();
            rules.reserve = reserve;
            Limit { tokens, scope }.apply(&mut window, &mut rules);
            (window.total, window.input, rules.reserve)
        };
        assert_eq!(apply(8_000, Scope::Total, None), (8_000, None, None));
        // A reserve that was meant for the larger window must not eat the smaller one.
        assert_eq!(
            apply(8_000, Scope::Total, Some(16_000)),
            (8_000, None, Some(2_000))
        );
        assert_eq!(
            apply(8_000, Scope::Input, None),
            (128_000, Some(6_000), None)
        );
        assert_eq!(
            apply(200_000, Scope::Total, Some(5)),
            (128_000, None, Some(5))
        );
    }
}
