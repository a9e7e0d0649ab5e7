use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::Overflow;

/// The limits that providers named in their errors, by model.
///
/// A learned limit only ever lowers the configured window, and it holds for its own model.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    limits: RwLock<HashMap<String, u64>>,
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
        let mut limits = self.limits.write().unwrap_or_else(PoisonError::into_inner);
        let model = model.unwrap_or_default();
        if let Some(known) = limits.get_mut(model) {
            *known = limit.min(*known);
        } else if limits.len() < Self::MODELS {
            limits.insert(model.to_owned(), limit);
        }
    }

    /// The limit learned for a model, in the provider's tokens.
    pub(crate) fn limit(&self, model: Option<&str>) -> Option<u64> {
        let limits = self.limits.read().unwrap_or_else(PoisonError::into_inner);
        limits.get(model.unwrap_or_default()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;

    #[test]
    fn the_smallest_limit_of_each_model_is_kept() {
        let learned = Learned::default();
        let overflow = |limit| Overflow::new().input(100_000).limit(limit, Scope::Input);
        learned.learn(Some("a"), &overflow(8_192));
        learned.learn(Some("a"), &overflow(16_000));
        assert_eq!(learned.limit(Some("a")), Some(8_192));
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
}
