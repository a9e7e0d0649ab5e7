use contextfit_core::budget::Budget;
use contextfit_core::cut::{Cut, CutPolicy, Fate, enforce};
use contextfit_core::request::Role;
use contextfit_core::table::Table;

/// Checks what becomes of a policy's cut once the laws are [enforced](enforce) on it.
///
/// Beyond the laws of [`check_lawful`]: a policy answers the same question twice alike, no
/// message is cut that it keeps (our own summary apart), and enforcing the laws again changes
/// nothing.
///
/// # Errors
///
/// A text that names the law that is broken, and the row.
pub fn check_cut<P>(table: &Table, budget: &Budget, policy: &P) -> Result<(), String>
where
    P: CutPolicy + ?Sized,
{
    let asked = policy.cut(table, budget);
    if policy.cut(table, budget) != asked {
        return Err("pure: the policy cuts the same table in two ways".into());
    }
    let Some(asked) = asked else { return Ok(()) };
    let Some(cut) = enforce(table, asked.clone()) else {
        return Ok(());
    };
    check_lawful(table, &cut)?;
    for index in cut.iter() {
        let summary = table.rows()[index].summary;
        if !asked.contains(index) && !summary {
            return Err(broken(
                "no more than asked",
                table,
                index,
                "is cut, the policy keeps it",
            ));
        }
    }
    for (index, &fate) in cut.fates().iter().enumerate() {
        let summary = table.rows()[index].summary;
        if fate != Fate::Keep && fate != asked.fate(index) && !summary {
            return Err(broken(
                "as asked",
                table,
                index,
                "has another fate than the policy's",
            ));
        }
    }
    if enforce(table, cut.clone()).as_ref() != Some(&cut) {
        return Err("settled: to enforce the laws again changes the cut".into());
    }
    Ok(())
}

/// Checks that a cut is lawful as it stands:
///
/// - it is a cut of this table that cuts or clips at least one row, and at least one is kept;
/// - system and developer messages, pinned messages and the newest group are kept;
/// - only tool results are clipped, no pinned ones, and only to fewer tokens;
/// - groups are whole;
/// - our own summary goes when anything goes, and never alone.
///
/// # Errors
///
/// A text that names the law that is broken, and the row.
pub fn check_lawful(table: &Table, cut: &Cut) -> Result<(), String> {
    let rows = table.rows();
    if cut.len() != rows.len() {
        return Err(format!(
            "one table: the cut is over {} rows, the table has {}",
            cut.len(),
            rows.len()
        ));
    }
    // Worked out from the rows alone, not by the methods the cut was made with.
    let newest = rows
        .iter()
        .rev()
        .find(|row| !row.role.is_fixed() && !row.summary)
        .map(|row| row.group());
    for (index, row) in rows.iter().enumerate() {
        let fail = |law, what| Err(broken(law, table, index, what));
        if let Fate::Clip(most) = cut.fate(index) {
            if row.role != Role::Tool || row.pinned {
                return fail("tool results clipped", "is clipped");
            }
            if most >= row.tokens || row.clearable == 0 {
                return fail("clips shorten", "is clipped to no less");
            }
        }
        if row.role.is_fixed() {
            if cut.contains(index) {
                return fail("system kept", "is cut");
            }
            continue;
        }
        if cut.contains(index) {
            if row.pinned && !row.summary {
                return fail("pins kept", "is pinned and cut");
            }
            if Some(row.group()) == newest {
                return fail("newest group kept", "is cut");
            }
        } else {
            if row.summary && !cut.is_empty() {
                return fail("one summary", "would stand beside the new summary");
            }
            if rows.iter().enumerate().any(|(other, mate)| {
                mate.group() == row.group() && !mate.role.is_fixed() && cut.contains(other)
            }) {
                return fail("groups whole", "is kept, some of its group is cut");
            }
        }
    }
    let of_ours = |index: usize| rows.get(index).is_some_and(|row| row.summary);
    let cut_alone = !cut.is_empty() && cut.iter().all(of_ours);
    if cut_alone || cut.is_untouched() {
        return Err("something cut: nothing is, or our own summary alone".into());
    }
    let kept = |(index, _): &(usize, _)| !cut.contains(*index);
    if !rows
        .iter()
        .enumerate()
        .filter(kept)
        .any(|(_, row)| !row.role.is_fixed())
    {
        return Err("never empty: no message is kept but system messages".into());
    }
    Ok(())
}

/// Names a law, and the row where it is broken.
pub(super) fn broken(law: &str, table: &Table, index: usize, what: &str) -> String {
    match table.rows().get(index) {
        Some(row) => format!("{law}: row {index} {what} ({row:?})"),
        None => format!("{law}: row {index} {what} (there is no such row)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextfit_core::table::Row;

    /// The law that a cut of these rows breaks.
    fn law(rows: &[Row], cut: &[usize]) -> String {
        let table = Table::new(rows.iter().copied());
        let mut unlawful = Cut::none(rows.len());
        for &index in cut {
            unlawful.add(index..index + 1);
        }
        let broken = check_lawful(&table, &unlawful).unwrap_err();
        broken.split(':').next().unwrap().to_owned()
    }

    #[test]
    fn every_law_can_be_broken() {
        let [system, user, calls] =
            [Role::System, Role::User, Role::Assistant].map(|role| Row::new(role, 1));
        let result = Row::new(Role::Tool, 1).joined();
        assert_eq!(law(&[system, user, user], &[0, 1]), "system kept");
        assert_eq!(law(&[user, user.pinned(), user], &[0, 1]), "pins kept");
        assert_eq!(law(&[user, calls, result], &[1, 2]), "newest group kept");
        assert_eq!(law(&[user, calls, result, user], &[0, 1]), "groups whole");
        assert_eq!(law(&[user, calls, result, user], &[2]), "groups whole");
        assert_eq!(law(&[user.summary(), user, user], &[1]), "one summary");
        assert_eq!(law(&[user.summary(), user, user], &[0]), "something cut");
        assert_eq!(law(&[user, user], &[]), "something cut");
        assert_eq!(law(&[user], &[0]), "newest group kept");
        let other = check_lawful(&Table::new([user, user]), &Cut::of(3, 0..1));
        assert!(other.unwrap_err().starts_with("one table"));
    }
}
