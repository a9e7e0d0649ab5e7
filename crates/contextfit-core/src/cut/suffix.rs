use crate::table::Table;

/// Where the longest suffix of whole groups starts that costs at most `most` tokens.
///
/// The newest group is in it whatever it costs, and it alone if `most` is `None`. Rows for which
/// `free` holds cost nothing: the caller keeps them anyway and has paid for them.
pub(super) fn start_of_suffix(
    table: &Table,
    most: Option<u64>,
    free: impl Fn(usize) -> bool,
) -> Option<usize> {
    let newest = table.newest_group()?;
    let mut used = 0_u64;
    let mut start = table.len();
    for group in table.groups().rev() {
        let rows = &table.rows()[group.clone()];
        let cost = group
            .clone()
            .zip(rows)
            .filter(|&(index, row)| !row.role.is_fixed() && !free(index))
            .fold(0_u64, |sum, (_, row)| sum.saturating_add(row.tokens));
        let is_newest = rows.first().is_some_and(|row| row.group() >= newest);
        used = used.saturating_add(cost);
        if !is_newest && most.is_none_or(|most| used > most) {
            break;
        }
        start = group.start;
    }
    Some(start)
}
