use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use contextfit_core::budget::{BudgetRules, Window};

use super::{Overflow, Scope, Sent};

/// The limits that providers named in their errors, by model.
///
/// A learned limit only ever lowers the configured window, and it holds for its own model.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    models: RwLock<HashMap<String, Limits>>,
}

/// What was learned of a model, in the provider's tokens.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    input: Option<u64>,
    total: Option<u64>,
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
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        let model = sent.model.unwrap_or_default();
        if !models.contains_key(model) && models.len() >= Self::MODELS {
            return;
        }
        let limits = models.entry(model.to_owned()).or_default();
        let known = match overflow.scope {
            Scope::Input => &mut limits.input,
            Scope::Total => &mut limits.total,
        };
        *known = Some(known.map_or(limit, |known| known.min(limit)));
    }

    /// Whether nothing was learned of any model.
    pub(crate) fn is_empty(&self) -> bool {
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        models.is_empty()
    }

    /// Lowers a window, and a reserve that was set for a larger one, to what was learned of a
    /// model.
    ///
    /// The reserve yields to the `fixed` part: what was learned must not make impossible what
    /// the provider would take.
    pub(crate) fn apply(
        &self,
        model: Option<&str>,
        window: &mut Window,
        rules: &mut BudgetRules,
        fixed: u64,
    ) {
        let limits = {
            let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
            models.get(model.unwrap_or_default()).copied()
        };
        let Some(Limits { input, total }) = limits else {
            return;
        };
        if let Some(total) = total.filter(|&total| total < window.total) {
            window.total = total;
            rules.reserve = rules.reserve.filter(|&reserve| reserve <= total / 4);
        }
        if let Some(input) = input.filter(|&input| input < window.input.unwrap_or(window.total)) {
            // The output isn't part of this limit, but a reply needs room all the same.
            rules.reserve = rules.reserve.filter(|&reserve| reserve <= input / 4);
            let mut within = *window;
            within.total = input;
            let reserve = rules.reserve_floor(within);
            window.input = Some(input - reserve.min(input.saturating_sub(fixed) / 2));
        }
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
            asked_output: None,
            estimated: 90_000,
            counted: None,
            fixed: 0,
        }
    }

    /// What is left of a window of 128 000 tokens and a reserve after these overflows.
    fn after(
        overflows: &[Overflow],
        model: Option<&str>,
        reserve: Option<u64>,
    ) -> (u64, Option<u64>, Option<u64>) {
        let learned = Learned::default();
        for overflow in overflows {
            learned.learn(&sent(Some("a")), overflow);
        }
        let (mut window, mut rules) = (Window::new(128_000), BudgetRules::default());
        rules.reserve = reserve;
        learned.apply(model, &mut window, &mut rules, 7_000);
        (window.total, window.input, rules.reserve)
    }

    fn overflow(limit: u64, scope: Scope) -> Overflow {
        Overflow::new().input(100_000).limit(limit, scope)
    }

    #[test]
    fn the_smallest_limit_of_each_model_and_scope_is_kept() {
        let [large, small] = [16_000, 8_000].map(|limit| overflow(limit, Scope::Total));
        assert_eq!(after(&[large, small], Some("a"), None), (8_000, None, None));
        assert_eq!(after(&[small, large], Some("a"), None), (8_000, None, None));
        assert_eq!(after(&[small], Some("b"), None), (128_000, None, None));
        let input = overflow(60_000, Scope::Input);
        assert_eq!(
            after(&[input, large], Some("a"), None),
            (16_000, None, None)
        );
    }

    #[test]
    fn numbers_that_are_something_else_teach_nothing() {
        for overflow in [
            Overflow::new(),
            Overflow::new().limit(8_192, Scope::Input),
            Overflow::new().input(9_000).limit(400, Scope::Input),
            Overflow::new().input(5_000).limit(8_192, Scope::Input),
            Overflow::new().input(130_000).limit(128_000, Scope::Input),
            Overflow::new().input(5_000).limit(2_013, Scope::Total),
        ] {
            assert_eq!(after(&[overflow], Some("a"), None), (128_000, None, None));
        }
    }

    #[test]
    fn a_learned_limit_lowers_what_is_set_and_never_raises_it() {
        // A reserve that was meant for the larger window must not eat the smaller one.
        let total = overflow(8_000, Scope::Total);
        assert_eq!(
            after(&[total], Some("a"), Some(16_000)),
            (8_000, None, None)
        );
        assert_eq!(
            after(&[total], Some("a"), Some(500)),
            (8_000, None, Some(500))
        );
        let input = overflow(8_000, Scope::Input);
        assert_eq!(
            after(&[input], Some("a"), None),
            (128_000, Some(7_500), None)
        );
    }
}
