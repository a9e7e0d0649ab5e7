use super::{Cut, Fate};
use crate::request::Role;
use crate::table::{Row, Table};

/// Makes a cut lawful, whatever policy it comes from.
///
/// After it:
///
/// 1. system and developer messages are kept as they are,
/// 2. pinned messages are kept as they are,
/// 3. the newest group is kept, so the conversation is never empty,
/// 4. every group is kept whole or cut whole; one that a law keeps in part is kept whole,
/// 5. our own summary is cut with anything else that is cut, so that there is one at any time;
///    by itself it isn't cut here (a [draft](crate::plan::draft) may still ask for a shorter
///    one where nothing else is left),
/// 6. only tool results are clipped, and only to fewer tokens than they have.
///
/// Order holds by construction: a cut only removes. So does the presence of somebody to
/// answer: what is cut is replaced by a summary or a notice, which stands for a user's message.
///
/// `None` if nothing is left to do, or the cut is over another number of messages.
///
/// ```
/// use contextfit_core::cut::{Cut, enforce};
/// use contextfit_core::request::Role;
/// use contextfit_core::table::{Row, Table};
///
/// let table = Table::new([
///     Row::new(Role::System, 1),
///     Row::new(Role::User, 1),
///     Row::new(Role::Assistant, 1),
///     Row::new(Role::Tool, 1).joined(),
///     Row::new(Role::User, 1),
/// ]);
/// // The cut falls between a call and its result: the group stays.
/// let cut = enforce(&table, Cut::of(5, 0..3)).expect("the user's message may go");
/// assert_eq!(cut.iter().collect::<Vec<_>>(), [1]);
/// ```
#[must_use]
pub fn enforce(table: &Table, mut cut: Cut) -> Option<Cut> {
    if cut.len() != table.len() {
        // Of another conversation: there is no telling which messages it means.
        return None;
    }
    let newest = table.newest_group();
    for group in table.groups() {
        let rows = &table.rows()[group.clone()];
        let mut may_go = group
            .clone()
            .zip(rows)
            .filter(|(_, row)| !row.role.is_fixed())
            .peekable();
        let goes = may_go.peek().is_some()
            && may_go.all(|(index, row)| {
                let held = (row.pinned && !row.summary) || Some(row.group()) == newest;
                !held && (cut.contains(index) || row.summary)
            });
        for (index, row) in group.zip(rows) {
            let fate = cut.fate(index);
            if goes && !row.role.is_fixed() {
                if !fate.is_cut() {
                    cut.set(index, Fate::Summarize);
                }
            } else if fate != Fate::Keep && !may_clip(row, fate) {
                cut.keep(index);
            }
        }
    }
    // A summary that a law keeps would stand beside the new one; none may be cut by itself.
    let is_summary = |index: usize| table.rows()[index].summary;
    let second_summary = (0..table.len()).any(|index| is_summary(index) && !cut.contains(index));
    if second_summary || cut.iter().all(is_summary) {
        cut.replace(Fate::Keep);
    }
    // Nobody writes a summary anew for the sake of messages that are dropped.
    if cut.summarized().all(is_summary) {
        for index in (0..table.len()).filter(|&index| is_summary(index)) {
            if cut.contains(index) {
                cut.set(index, Fate::Drop);
            }
        }
    }
    (!cut.is_untouched()).then_some(cut)
}

/// Whether this is a clip, and one that the laws allow.
fn may_clip(row: &Row, fate: Fate) -> bool {
    match fate {
        Fate::Clip(most) => {
            let least = most.max(row.cleared());
            row.role == Role::Tool && !row.pinned && least < row.tokens
        }
        _ => false,
    }
}

/// The largest lawful cut: all but what the laws keep.
#[must_use]
pub fn everything(table: &Table) -> Option<Cut> {
    enforce(table, Cut::of(table.len(), 0..table.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(rows: &[Row], indices: &[usize]) -> Option<Vec<usize>> {
        let mut cut = Cut::none(rows.len());
        for &index in indices {
            cut.add(index..index + 1);
        }
        Some(
            enforce(&Table::new(rows.iter().copied()), cut)?
                .iter()
                .collect(),
        )
    }

    const USER: Row = Row::new(Role::User, 1);
    const CALL: Row = Row::new(Role::Assistant, 1);
    const RESULT: Row = Row::new(Role::Tool, 1).joined();
    const SYSTEM: Row = Row::new(Role::System, 1);

    #[test]
    fn a_group_goes_whole_or_not_at_all() {
        let rows = [USER, CALL, RESULT, RESULT, USER];
        assert_eq!(cut(&rows, &[1, 2, 3]), Some(vec![1, 2, 3]));
        assert_eq!(cut(&rows, &[1, 2]), None);
        assert_eq!(cut(&rows, &[0, 2, 3]), Some(vec![0]));
    }

    #[test]
    fn results_that_the_user_adds_to_go_with_their_call() {
        let result = USER.joined();
        let rows = [USER.pinned(), CALL, result, CALL, result, USER];
        assert_eq!(cut(&rows, &[1, 2, 3]), Some(vec![1, 2]));
        assert_eq!(cut(&rows, &[2, 4]), None);
        // Such a message may be the last one of the user, and the newest.
        let rows = [USER.pinned(), CALL, result, CALL, result.pinned()];
        assert_eq!(cut(&rows, &[0, 1, 2, 3, 4]), Some(vec![1, 2]));
        assert_eq!(cut(&[USER, CALL, result], &[0, 1]), Some(vec![0]));
    }

    #[test]
    fn system_messages_pins_and_the_newest_group_stay() {
        let rows = [SYSTEM, USER.pinned(), USER, SYSTEM, USER, CALL, RESULT];
        assert_eq!(cut(&rows, &[0, 1, 2, 3, 4, 5, 6]), Some(vec![2, 4]));
        // A pin inside a group holds all of it.
        assert_eq!(cut(&[USER, CALL, RESULT.pinned(), USER], &[1, 2]), None);
        // The newest group is the newest that isn't a system message.
        assert_eq!(cut(&[USER, USER, SYSTEM], &[0, 1, 2]), Some(vec![0]));
    }

    #[test]
    fn a_summary_goes_with_anything_else_and_never_alone() {
        let rows = [USER.pinned(), USER.summary(), USER, USER];
        assert_eq!(cut(&rows, &[2]), Some(vec![1, 2]));
        assert_eq!(cut(&rows, &[1]), None);
        // A pin doesn't hold it: there is one summary at any time.
        assert_eq!(
            cut(&[USER, USER.summary().pinned(), USER], &[0]),
            Some(vec![0, 1])
        );
    }

    #[test]
    fn a_cut_for_another_conversation_is_none() {
        let table = Table::new([USER, USER, USER]);
        assert_eq!(enforce(&table, Cut::of(2, 0..1)), None);
        assert_eq!(enforce(&table, Cut::of(9, 0..9)), None);
        assert_eq!(enforce(&Table::default(), Cut::none(0)), None);
    }

    #[test]
    fn only_tool_results_are_clipped_and_only_to_less() {
        let result = Row::new(Role::Tool, 100).clearable(80);
        let rows = [USER, CALL, result.joined(), CALL, result.joined(), result];
        let fates = |rows: &[Row], fate: Fate| {
            let mut cut = Cut::none(rows.len());
            for index in 0..rows.len() {
                cut.set(index, fate);
            }
            enforce(&Table::new(rows.iter().copied()), cut).map(|cut| cut.fates().to_vec())
        };
        let (keep, clip) = (Fate::Keep, Fate::Clip);
        let clipped = |most| Some([keep, keep, most, keep, most, most].to_vec());
        assert_eq!(fates(&rows, clip(0)), clipped(clip(0)));
        assert_eq!(fates(&rows, clip(99)), clipped(clip(99)));
        assert_eq!(fates(&rows, clip(100)), None);
        assert_eq!(fates(&[result.pinned()], clip(0)), None);
        // A clip in a group that is kept stays, beside what goes.
        let mut cut = Cut::of(6, 0..1);
        cut.set(2, clip(0));
        cut.set(3, Fate::Drop);
        let cut = enforce(&Table::new(rows), cut).unwrap();
        assert_eq!(cut.fates()[..4], [Fate::Summarize, keep, clip(0), keep]);
    }

    #[test]
    fn what_is_dropped_is_no_reason_to_write_a_summary_anew() {
        let mut cut = Cut::none(4);
        cut.set(1, Fate::Drop);
        let table = Table::new([USER.summary(), USER, USER, USER]);
        let cut = enforce(&table, cut).unwrap();
        assert_eq!(cut.fates()[..2], [Fate::Drop, Fate::Drop]);
    }
}
