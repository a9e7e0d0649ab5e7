use super::suffix::{Held, start_of_suffix};
use super::{Cut, CutPolicy, Fate};
use crate::budget::Budget;
use crate::table::Table;

/// Drops the oldest groups until what stays fits into the target. Nobody summarizes them, so it
/// costs no call; a notice says how many messages are missing.
///
/// Pins stay wherever they stand, and count towards the target. For conversations whose early
/// part is worth nothing later, and as a last resort behind another policy.
///
/// ```
/// use contextfit_core::budget::{Budget, BudgetRules, Window};
/// use contextfit_core::cut::{CutPolicy, DropOldest, Fate};
/// use contextfit_core::request::Role;
/// use contextfit_core::table::{Row, Table};
///
/// let budget = Budget::new(Window::new(133), &BudgetRules::default(), 0, None, None)?;
/// let table = Table::new([30; 4].map(|tokens| Row::new(Role::User, tokens)));
/// let cut = DropOldest.cut(&table, &budget).expect("120 tokens are over the target of 50");
/// assert_eq!(cut.fates(), [Fate::Drop, Fate::Drop, Fate::Drop, Fate::Keep]);
/// # Ok::<(), contextfit_core::budget::BudgetError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DropOldest;

impl CutPolicy for DropOldest {
    fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
        let held = Held::by_pins(table);
        let start = start_of_suffix(table, budget, budget.target, &held)?;
        let mut cut = Cut::none(table.len());
        for index in 0..start {
            cut.set(index, Fate::Drop);
        }
        (start > 0).then_some(cut)
    }
}
