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

/// What a prompt may have without meeting a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most tokens of the prompt; [`u64::MAX`] if they don't matter.
    pub tokens: u64,
    /// The most messages; [`usize::MAX`] if they don't matter.
    pub messages: usize,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Self = Self {
        tokens: u64::MAX,
        messages: usize::MAX,
    };

    /// What is within both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.min(other.tokens),
            messages: self.messages.min(other.messages),
        }
    }
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

    /// What a prompt may have at most so that it doesn't meet the trigger, where it may have `limit`
    /// tokens. Of several that all have to hold, the first is what to undo.
    ///
    /// ```
    /// use contextfit_core::trigger::{Bounds, Trigger};
    ///
    /// let trigger = Trigger::Any(vec![Trigger::Share(0.8), Trigger::Messages(200)]);
    /// assert_eq!(trigger.bounds(100_000), Bounds { tokens: 80_000, messages: 200 });
    /// ```
    #[must_use]
    pub fn bounds(&self, limit: u64) -> Bounds {
        match self {
            Self::Share(share) => Bounds {
                tokens: share_of(limit, *share),
                ..Bounds::NONE
            },
            Self::Tokens(tokens) => Bounds {
                tokens: *tokens,
                ..Bounds::NONE
            },
            Self::Messages(messages) => Bounds {
                messages: *messages,
                ..Bounds::NONE
            },
            Self::All(all) => all
                .first()
                .map_or(Bounds::NONE, |first| first.bounds(limit)),
            Self::Any(any) => any
                .iter()
                .fold(Bounds::NONE, |bounds, one| bounds.and(one.bounds(limit))),
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
    fn what_is_within_its_bounds_does_not_meet_it() {
        for trigger in [
            Trigger::Share(0.3),
            Trigger::Tokens(20),
            Trigger::Messages(3),
            Trigger::All(vec![Trigger::Messages(2), Trigger::Tokens(1)]),
            Trigger::Any(vec![Trigger::Messages(2), Trigger::Share(0.1)]),
        ] {
            assert!(trigger.is_met(&LOAD));
            let Bounds { tokens, messages } = trigger.bounds(LOAD.limit);
            let within = Load {
                tokens: LOAD.tokens.min(tokens),
                messages: LOAD.messages.min(messages),
                ..LOAD
            };
            assert!(!trigger.is_met(&within), "{trigger:?}");
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
