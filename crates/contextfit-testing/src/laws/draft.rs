use contextfit_core::budget::Budget;
use contextfit_core::cut::{Cut, CutPolicy, Enough, Fate, TopicAndRecent, enforce, everything};
use contextfit_core::estimate::LEAST_CLIP;
use contextfit_core::plan::{Draft, DraftRules, SummaryCost, draft};
use contextfit_core::request::Role;
use contextfit_core::table::{Row, Table};

use super::check_lawful;
use super::cut::broken;

/// Checks the draft that a policy leads to.
///
/// - Its cut is lawful or empty, or our own summary alone where nothing else may go; and the
///   summary is smaller than what it replaces.
/// - `before` and `after` are honest, and `after` is less.
/// - Clips are of kept rows. Those that the policy didn't ask for are of rows that the rules
///   allow to clip, leave [`LEAST_CLIP`] tokens of text, and aren't made without need.
/// - Where there are too many messages, what is cut may say less than the notice in its place.
/// - It fits, or nothing smaller is lawful and it frees enough; there is none only if nothing
///   fits and nothing frees enough.
/// - What the policy cuts is cut, and no more, where that is enough.
///
/// # Errors
///
/// A text that names the law that is broken, and the row.
pub fn check_draft<P>(
    table: &Table,
    budget: &Budget,
    policy: &P,
    rules: &DraftRules,
) -> Result<(), String>
where
    P: CutPolicy + ?Sized,
{
    let draft = draft(table, budget, policy, rules);
    check(table, budget, policy, rules, draft.as_ref())
}

fn check<P>(
    table: &Table,
    budget: &Budget,
    policy: &P,
    rules: &DraftRules,
    draft: Option<&Draft>,
) -> Result<(), String>
where
    P: CutPolicy + ?Sized,
{
    if tokens_of(table, |_| true) <= u128::from(budget.limit) && !too_many(table, budget) {
        return check_without_need(table, budget, policy, rules, draft);
    }
    let chosen = policy.cut(table, budget);
    let harder = (chosen.is_some() || too_many(table, budget))
        .then(|| everything(table).or_else(|| summary_alone(table)))
        .flatten();
    let gentle = chosen.and_then(|cut| enforce(table, cut));
    let mut attempts = vec![(&gentle, false), (&harder, rules.clip_user_messages)];
    // A policy that only clips is followed by one that cuts.
    let between = policy
        .then(TopicAndRecent)
        .enough(Enough::Limit)
        .cut(table, budget)
        .and_then(|cut| enforce(table, cut));
    if gentle.as_ref().is_some_and(Cut::is_empty) {
        attempts.insert(1, (&between, false));
    }
    let attempts: Vec<Attempt> = attempts
        .into_iter()
        .map(|(cut, users)| Attempt::new(table, budget, cut.as_ref(), users, 0, rules))
        .collect();
    if let Some(draft) = draft {
        let asked = gentle.unwrap_or_else(|| Cut::none(table.len()));
        check_cut_and_summary(table, budget, draft, rules)?;
        check_clips(table, budget, draft, rules, &asked)?;
        check_numbers(table, budget, draft, rules)?;
        if attempts[0].fits(budget) && draft.cut != attempts[0].cut {
            return Err("gentlest: what the policy cuts is enough, the draft cuts else".into());
        }
    }
    check_size(table, budget, draft, &attempts, rules)
}

fn too_many(table: &Table, budget: &Budget) -> bool {
    table.len() > budget.max_messages
}

/// What an attempt comes to at least.
struct Attempt {
    cut: Cut,
    after: u128,
    messages: usize,
}

impl Attempt {
    /// If it doesn't fit as it is, then with everything clipped that it may clip.
    fn new(
        table: &Table,
        budget: &Budget,
        cut: Option<&Cut>,
        users: bool,
        gain: u64,
        rules: &DraftRules,
    ) -> Self {
        let mut cut = cut.cloned().unwrap_or_else(|| Cut::none(table.len()));
        let (mut after, mut bound) = (0, 0);
        if !cut.is_empty() {
            match stands(table, &cut, gain, rules) {
                Some((frame, most)) => {
                    after = u128::from(frame) + u128::from(most);
                    bound = most;
                }
                None => {
                    let fate = if too_many(table, budget) && cut.count() > 1 {
                        after = rules.summary.notice.into();
                        Fate::Drop
                    } else {
                        Fate::Keep
                    };
                    for index in 0..cut.len() {
                        if cut.contains(index) {
                            cut.set(index, fate);
                        }
                    }
                }
            }
        }
        let rows = || {
            let rows = table.rows().iter().enumerate();
            rows.filter(|(index, row)| !row.role.is_fixed() && !cut.contains(*index))
        };
        for (index, row) in rows() {
            after += u128::from(clipped(row, cut.fate(index)));
        }
        if after > u128::from(budget.limit) {
            for (index, row) in rows().filter(|(_, row)| may_clip(row, users, rules)) {
                let freed = row.tokens - clipped(row, cut.fate(index));
                let text = row.clippable.saturating_sub(freed);
                after -= u128::from(text.saturating_sub(LEAST_CLIP));
            }
            // The last to give is the summary.
            let spare = u128::from(bound.saturating_sub(SummaryCost::LEAST));
            after -= after.saturating_sub(u128::from(budget.limit)).min(spare);
        }
        let removed = cut.count();
        let messages = table.len() - removed + usize::from(removed > 0);
        Self {
            cut,
            after,
            messages,
        }
    }

    fn fits(&self, budget: &Budget) -> bool {
        self.after <= u128::from(budget.limit) && self.messages <= budget.max_messages
    }
}

/// Tokens of a row that is kept, after what the policy asks for.
fn clipped(row: &Row, fate: Fate) -> u64 {
    match fate {
        Fate::Clip(most) => most
            .max(row.tokens.saturating_sub(row.clearable))
            .min(row.tokens),
        _ => row.tokens,
    }
}

/// Tokens beside the summary, and its bound, of what stands for a cut that frees so much.
fn stands(table: &Table, cut: &Cut, gain: u64, rules: &DraftRules) -> Option<(u64, u64)> {
    let replaced = clamp(tokens_of(table, |index| cut.contains(index))).checked_sub(gain)?;
    let cost = &rules.summary;
    if cost.bound > 0 && cut.fates().contains(&Fate::Summarize) {
        Some((cost.frame, cost.bound_for(replaced)?))
    } else {
        (cost.notice < replaced).then_some((cost.notice, 0))
    }
}

/// What fits as it is: what the policy does is done if it frees enough, and else what it would do
/// if that had to stay; nothing else.
fn check_without_need<P>(
    table: &Table,
    budget: &Budget,
    policy: &P,
    rules: &DraftRules,
    draft: Option<&Draft>,
) -> Result<(), String>
where
    P: CutPolicy + ?Sized,
{
    let before = clamp(tokens_of(table, |_| true));
    let gain = rules.least_freed(before);
    let rules = &DraftRules {
        clip_tool_results: false,
        ..*rules
    };
    let asked = |table: &Table| {
        policy
            .cut(table, budget)
            .and_then(|cut| enforce(table, cut))
    };
    let first = asked(table);
    let mut attempt = Attempt::new(table, budget, first.as_ref(), false, gain, rules);
    let mut held = table.clone();
    if attempt.cut.is_untouched() {
        for index in first.iter().flat_map(Cut::iter) {
            held.pin(index);
        }
        attempt = Attempt::new(&held, budget, asked(&held).as_ref(), false, gain, rules);
    }
    if let Some(draft) = draft {
        check_cut_and_summary(table, budget, draft, rules)?;
        check_clips(table, budget, draft, rules, &attempt.cut)?;
        check_numbers(table, budget, draft, rules)?;
        if draft.cut != attempt.cut {
            return Err("gentlest: it fits, and what is cut isn't what the policy cuts".into());
        }
    }
    let after = draft.map_or(clamp(attempt.after), |draft| draft.after);
    match (
        draft,
        (before.saturating_sub(after) >= rules.least_freed(before)),
    ) {
        (Some(_), false) => Err(format!(
            "worth it: {after} tokens of {before} don't free enough, and it fits as it is"
        )),
        (None, true) => Err(format!(
            "never idle: the policy makes {after} tokens of {before}, there is no draft"
        )),
        _ => Ok(()),
    }
}

fn check_cut_and_summary(
    table: &Table,
    budget: &Budget,
    draft: &Draft,
    rules: &DraftRules,
) -> Result<(), String> {
    if draft.cut.is_empty() {
        return if draft.summary_bound == 0 && draft.cut.len() == table.len() {
            Ok(())
        } else {
            Err("summary for a cut: nothing is cut and a summary is asked for".into())
        };
    }
    if everything(table).is_some() || summary_alone(table).as_ref() != Some(&draft.cut) {
        check_lawful(table, &draft.cut)?;
    }
    let replaced = tokens_of(table, |index| draft.cut.contains(index));
    let takes_its_place = takes_its_place(draft, rules);
    if draft.summary_bound > rules.summary.bound {
        Err("summary bounded: its bound is above that of the rules".into())
    } else if takes_its_place >= replaced && !too_many(table, budget) {
        Err(format!(
            "summary smaller: {takes_its_place} tokens may replace {replaced}"
        ))
    } else {
        Ok(())
    }
}

/// Tokens of the message that takes the place of what is cut.
fn takes_its_place(draft: &Draft, rules: &DraftRules) -> u128 {
    if draft.cut.is_empty() {
        0
    } else if rules.summary.bound > 0 && draft.cut.fates().contains(&Fate::Summarize) {
        u128::from(rules.summary.frame) + u128::from(draft.summary_bound)
    } else {
        u128::from(rules.summary.notice)
    }
}

/// Our own summary, if there is one that no group ties to others.
fn summary_alone(table: &Table) -> Option<Cut> {
    let rows = table.rows();
    let index = rows.iter().position(|row| row.summary)?;
    let mates = rows.iter().filter(|row| row.group() == rows[index].group());
    (mates.count() == 1).then(|| Cut::of(rows.len(), index..index + 1))
}

fn check_clips(
    table: &Table,
    budget: &Budget,
    draft: &Draft,
    rules: &DraftRules,
    asked: &Cut,
) -> Result<(), String> {
    let mut next = 0;
    let mut freed = 0;
    for clip in &draft.clips {
        let fail = |law, what| Err(broken(law, table, clip.message, what));
        if clip.message < next {
            return fail("clips in order", "is clipped out of order");
        }
        next = clip.message + 1;
        let Some(row) = table.rows().get(clip.message) else {
            return fail("clips of kept rows", "is clipped");
        };
        if draft.cut.contains(clip.message) {
            return fail("clips of kept rows", "is cut and clipped");
        }
        let by_policy = clipped(row, asked.fate(clip.message));
        if clip.tokens == by_policy && by_policy < row.tokens {
            continue;
        }
        if !may_clip(row, rules.clip_user_messages, rules) {
            return fail("clips allowed", "may not be clipped");
        }
        let least = row.tokens - row.clippable + LEAST_CLIP;
        if clip.tokens >= row.tokens || clip.tokens < least {
            return fail(
                "clips moderate",
                "is clipped to too few tokens, or not at all",
            );
        }
        let unclipped = if draft.cut.fate(clip.message) == Fate::Keep {
            row.tokens
        } else {
            by_policy
        };
        freed += u128::from(unclipped.saturating_sub(clip.tokens));
    }
    if freed > 0 && u128::from(draft.after) + freed <= u128::from(budget.limit) {
        return Err("clips needed: it fits without them".into());
    }
    Ok(())
}

fn check_numbers(
    table: &Table,
    budget: &Budget,
    draft: &Draft,
    rules: &DraftRules,
) -> Result<(), String> {
    let before = tokens_of(table, |_| true);
    let freed: u128 = draft
        .clips
        .iter()
        .map(|clip| u128::from(table.rows()[clip.message].tokens - clip.tokens))
        .sum();
    let after = tokens_of(table, |index| !draft.cut.contains(index)) - freed
        + takes_its_place(draft, rules);
    if after >= before && !too_many(table, budget) {
        return Err(format!("smaller: {before} tokens become {after}"));
    }
    for (name, said, is) in [
        ("before", draft.before, before),
        ("after", draft.after, after),
    ] {
        if said != clamp(is) {
            return Err(format!("honest: `{name}` says {said} tokens, it is {is}"));
        }
    }
    Ok(())
}

/// Fits, or is the smallest and worth it. The attempts are in order, and the last is the hardest.
fn check_size(
    table: &Table,
    budget: &Budget,
    draft: Option<&Draft>,
    attempts: &[Attempt],
    rules: &DraftRules,
) -> Result<(), String> {
    let before = clamp(tokens_of(table, |_| true));
    let smallest = attempts.iter().map(|attempt| clamp(attempt.after)).min();
    let smallest = smallest.unwrap_or(before);
    let possible = attempts.iter().any(|attempt| attempt.fits(budget));
    let enough = |after: u64| {
        let helps = after <= budget.limit && before > budget.limit;
        helps || before.saturating_sub(after) >= rules.least_freed(before)
    };
    match draft {
        Some(draft)
            if draft.after <= budget.limit && draft.messages_after() <= budget.max_messages =>
        {
            Ok(())
        }
        Some(draft) if possible || draft.after > smallest.max(budget.limit) => Err(format!(
            "smallest: {} tokens don't fit into {}, and {smallest} are possible",
            draft.after, budget.limit
        )),
        Some(draft) if !enough(draft.after) => Err(format!(
            "worth it: {} tokens of {before} neither fit nor free enough",
            draft.after
        )),
        Some(_) => Ok(()),
        None if possible || (smallest < before && enough(smallest)) => Err(format!(
            "never idle: {smallest} tokens of {before} are possible under {}, there is no draft",
            budget.limit
        )),
        None => Ok(()),
    }
}

fn may_clip(row: &Row, users: bool, rules: &DraftRules) -> bool {
    match row.role {
        Role::Tool => rules.clip_tool_results && !row.pinned,
        Role::User => users && !row.summary,
        Role::System | Role::Developer | Role::Assistant => false,
    }
}

/// Tokens of the rows that may be cut and that are picked, however many.
fn tokens_of(table: &Table, pick: impl Fn(usize) -> bool) -> u128 {
    let rows = table.rows().iter().enumerate();
    rows.filter(|&(index, row)| !row.role.is_fixed() && pick(index))
        .map(|(_, row)| u128::from(row.tokens))
        .sum()
}

/// The arithmetic of tokens saturates.
fn clamp(tokens: u128) -> u64 {
    u64::try_from(tokens).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextfit_core::budget::{BudgetRules, Window};
    use contextfit_core::plan::ClipTo;

    /// The law that is broken by the draft of a usual table after a change to it.
    fn law(limit: u64, change: impl FnOnce(&mut Draft)) -> String {
        let table = Table::new([
            Row::new(Role::User, 100),
            Row::new(Role::Assistant, 300),
            Row::new(Role::User, 300),
            Row::new(Role::Assistant, 10),
            Row::new(Role::Tool, 1_000).joined().clippable(900),
        ]);
        let mut budget = BudgetRules::default();
        budget.reserve = Some(0);
        let budget = Budget::new(Window::new(limit), &budget, 0, None, None).unwrap();
        let rules = DraftRules {
            summary: SummaryCost {
                frame: 10,
                bound: 50,
                notice: 10,
            },
            clip_tool_results: true,
            clip_user_messages: false,
            least_gain: 0.05,
        };
        let mut draft = draft(&table, &budget, &TopicAndRecent, &rules).unwrap();
        let check = |draft: Option<&Draft>| check(&table, &budget, &TopicAndRecent, &rules, draft);
        assert_eq!(check(Some(&draft)), Ok(()));
        change(&mut draft);
        let broken = check(Some(&draft)).unwrap_err();
        broken.split(':').next().unwrap().to_owned()
    }

    #[test]
    fn every_law_can_be_broken() {
        let roomy = 1_300;
        let tight = 600;
        let clip = |message, tokens| ClipTo { message, tokens };
        assert_eq!(law(roomy, |draft| draft.before += 1), "honest");
        assert_eq!(law(roomy, |draft| draft.after -= 1), "honest");
        assert_eq!(law(roomy, |draft| draft.cut.keep(1)), "honest");
        assert_eq!(law(roomy, |draft| draft.cut.add(3..4)), "newest group kept");
        assert_eq!(
            law(roomy, |draft| draft.summary_bound = 51),
            "summary bounded"
        );
        assert_eq!(
            law(roomy, |draft| draft.clips.push(clip(4, 900))),
            "clips needed"
        );
        assert_eq!(
            law(tight, |draft| draft.clips[0].tokens = 163),
            "clips moderate"
        );
        assert_eq!(
            law(tight, |draft| draft.clips.push(clip(3, 5))),
            "clips in order"
        );
        assert_eq!(
            law(tight, |draft| draft.clips.insert(0, clip(3, 5))),
            "clips allowed"
        );
        assert_eq!(
            law(tight, |draft| draft.clips.insert(0, clip(2, 70))),
            "clips of kept rows"
        );
        // As if it had given up too early: larger than it has to be, and still honest.
        assert_eq!(
            law(200, |draft| {
                draft.clips[0].tokens += 10;
                draft.after += 10;
            }),
            "smallest"
        );
    }
}
