use std::fmt;
use std::sync::Arc;

use super::{Cut, Then};
use crate::budget::Budget;
use crate::table::Table;

/// Decides what becomes of each message when a conversation has to be compacted: which are kept,
/// clipped, summarized or dropped.
///
/// A policy is a pure function of numbers: it sees roles, tokens, groups and turns, never text,
/// and knows nothing of the request's type. So anybody can property-test one.
///
/// It needn't be careful. Whatever it returns, the structural laws are enforced on it (see
/// [`enforce`](super::enforce)): groups stay whole, system messages, pins and the newest group
/// stay, a summary we made before is cut with whatever is cut, and only tool results are clipped.
/// `None` means there is nothing the policy would change; the request may then still be saved by
/// clipping tool results.
///
/// What it keeps should come to at most [`Budget::target`]: well below the limit, so that the
/// next requests fit without another compaction.
///
/// ```
/// use contextfit_core::budget::Budget;
/// use contextfit_core::cut::{Cut, CutPolicy};
/// use contextfit_core::table::Table;
///
/// /// Keeps the last two turns, however long.
/// struct TwoTurns;
///
/// impl CutPolicy for TwoTurns {
///     fn cut(&self, table: &Table, _: &Budget) -> Option<Cut> {
///         let newest = table.rows().last()?.turn();
///         let end = table.rows().iter().position(|row| row.turn() + 2 > newest)?;
///         (end > 0).then(|| Cut::of(table.len(), 0..end))
///     }
/// }
/// ```
pub trait CutPolicy: Send + Sync {
    /// What becomes of each message, or `None` if the policy wouldn't change any.
    fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut>;

    /// Asks another policy about what this one leaves, where that isn't enough.
    ///
    /// ```
    /// use contextfit_core::cut::{ClearToolResults, CutPolicy, DropOldest};
    ///
    /// let policy = ClearToolResults::keep(3).then(DropOldest);
    /// ```
    fn then<P>(self, next: P) -> Then<Self, P>
    where
        Self: Sized,
        P: CutPolicy,
    {
        Then::new(self, next)
    }
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        impl<P: CutPolicy + ?Sized> CutPolicy for $pointer {
            fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
                (**self).cut(table, budget)
            }
        }
    )*};
}
forward_to_inner!(&P, Arc<P>, Box<P>);

/// Makes a policy of a closure.
///
/// ```
/// use contextfit_core::cut::{Cut, cut_policy_fn};
///
/// let all_but_ten = cut_policy_fn(|table, _| {
///     table.len().checked_sub(10).map(|end| Cut::of(table.len(), 0..end))
/// });
/// ```
pub fn cut_policy_fn<F>(cut: F) -> CutPolicyFn<F>
where
    F: Fn(&Table, &Budget) -> Option<Cut> + Send + Sync,
{
    CutPolicyFn { cut }
}

/// A policy made of a closure. See [`cut_policy_fn`].
#[derive(Clone, Copy)]
pub struct CutPolicyFn<F> {
    cut: F,
}

impl<F> fmt::Debug for CutPolicyFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CutPolicyFn").finish_non_exhaustive()
    }
}

impl<F> CutPolicy for CutPolicyFn<F>
where
    F: Fn(&Table, &Budget) -> Option<Cut> + Send + Sync,
{
    fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
        (self.cut)(table, budget)
    }
}
