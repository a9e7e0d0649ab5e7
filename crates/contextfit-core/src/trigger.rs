//! When a compaction is due.

use crate::budget::share_of;

/// When a compaction is due, below the limit that makes one necessary.
///
/// ```
/// use contextfit_core::trigger::{Load, Trigger};
///
/// // More than four fifths of what fits, or more than 200 messages of at least 20 000 tokens.
/// let trigger = Trigger::Any(vec![
///     Trigger::Share(0.8),
///     Trigger::All(vec![Trigger::Messages(200), Trigger::Tokens(20_000)]),
/// ]);
/// let load = |tokens, messages| Load { tokens, messages, limit: 100_000 };
/// assert!(trigger.is_met(&load(80_001, 3)));
/// assert!(!trigger.is_met(&load(80_000, 3)));
/// assert!(!trigger.is_met(&load(20_000, 201)));
/// assert!(trigger.is_met(&load(20_001, 201)));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Trigger {
    /// The prompt costs more than this share of what it may cost.
    Share(f64),
    /// The prompt costs more than so many tokens.
    Tokens(u64),
    /// There are more than so many messages, system messages included.
    Messages(usize),
    /// All of these hold. Never if there are none.
    All(Vec<Self>),
    /// One of these holds.
    Any(Vec<Self>),
}

/// What a trigger looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Tokens of the prompt: of the fixed part and of the messages.
    pub tokens: u64,
    /// How many messages there are.
    pub messages: usize,
    /// The most tokens that the prompt may have: the ceiling less the reserve.
    pub limit: u64,
}

impl Trigger {
    /// Whether a compaction is due.
    #[must_use]
    pub fn is_met(&self, load: &Load) -> bool {
        match self {
            Self::Share(share) => load.tokens > share_of(load.limit, *share),
            Self::Tokens(tokens) => load.tokens > *tokens,
            Self::Messages(messages) => load.messages > *messages,
            Self::All(all) => !all.is_empty() && all.iter().all(|one| one.is_met(load)),
            Self::Any(any) => any.iter().any(|one| one.is_met(load)),
        }
    }

    /// A share in it that is none: below 0, above 1 or no number.
    #[must_use]
    pub fn misfit(&self) -> Option<f64> {
        match self {
            Self::Share(share) => (!(0.0..=1.0).contains(share)).then_some(*share),
            Self::All(several) | Self::Any(several) => several.iter().find_map(Self::misfit),
            Self::Tokens(_) | Self::Messages(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Load = Load {
        tokens: 50,
        messages: 5,
        limit: 100,
    };

    #[test]
    fn each_is_met_above_its_number_and_not_at_it() {
        for (met, not) in [
            (Trigger::Share(0.49), Trigger::Share(0.5)),
            (Trigger::Tokens(49), Trigger::Tokens(50)),
            (Trigger::Messages(4), Trigger::Messages(5)),
        ] {
            assert!(met.is_met(&LOAD) && !not.is_met(&LOAD), "{met:?} {not:?}");
            let both = vec![met, not];
            assert!(Trigger::Any(both.clone()).is_met(&LOAD));
            assert!(!Trigger::All(both).is_met(&LOAD));
        }
    }

    #[test]
    fn nothing_is_never_due() {
        assert!(!Trigger::All(vec![]).is_met(&LOAD));
        assert!(!Trigger::Any(vec![]).is_met(&LOAD));
    }

    #[test]
    fn a_share_that_is_none_is_found_at_any_depth() {
        let nested = Trigger::Any(vec![
            Trigger::Tokens(1),
            Trigger::All(vec![Trigger::Share(1.5)]),
        ]);
        assert_eq!(nested.misfit(), Some(1.5));
        assert_eq!(Trigger::Share(1.0).misfit(), None);
        assert!(Trigger::Share(f64::NAN).misfit().is_some());
    }
}
