use crate::budget::Budget;
use crate::table::{Row, Table};

/// The groups that stay wherever they stand. They are paid for before any other.
pub(super) struct Held {
    groups: Vec<bool>,
}

impl Held {
    /// The groups with a row that stays. Groups are whole, so such a row holds its group.
    pub(super) fn by(table: &Table, stays: impl Fn(usize, &Row) -> bool) -> Self {
        let rows = table.rows();
        let mut groups = vec![false; rows.last().map_or(0, |row| row.group() + 1)];
        for (index, row) in rows.iter().enumerate() {
            groups[row.group()] |= stays(index, row) && !row.summary && !row.role.is_fixed();
        }
        Self { groups }
    }

    /// The groups with a pin.
    pub(super) fn by_pins(table: &Table) -> Self {
        Self::by(table, |_, row| row.pinned)
    }

    /// No group.
    pub(super) const fn none() -> Self {
        Self { groups: Vec::new() }
    }

    fn holds(&self, row: &Row) -> bool {
        self.groups.get(row.group()).copied().unwrap_or(false)
    }
}

/// Where the longest suffix of whole groups starts that costs, with what is held before it, at
/// most `most` tokens, and no more messages than the budget aims at.
///
/// The newest group is in it whatever it costs, and it alone if what is held is too much.
pub(super) fn start_of_suffix(
    table: &Table,
    budget: &Budget,
    most: u64,
    held: &Held,
) -> Option<usize> {
    let newest = table.newest_group()?;
    let stays = |row: &Row| row.role.is_fixed() || held.holds(row);
    // What stays anyway, and the message that takes the place of what is cut.
    let mut messages = table.rows().iter().filter(|row| stays(row)).count() + 1;
    let mut used = table.sum(|row| !row.role.is_fixed() && held.holds(row));
    let mut start = table.len();
    for group in table.groups().rev() {
        let rows = &table.rows()[group.clone()];
        for row in rows.iter().filter(|row| !stays(row)) {
            used = used.saturating_add(row.tokens);
            messages += 1;
        }
        let is_newest = rows.first().is_some_and(|row| row.group() >= newest);
        if !is_newest && (used > most || messages > budget.target_messages) {
            break;
        }
        start = group.start;
    }
    Some(start)
}
