use std::iter;

use super::clip::level_for;
use crate::budget::{Budget, share_of};
use crate::cut::{Cut, CutPolicy, Enough, Fate, TopicAndRecent, enforce, everything};
use crate::estimate::LEAST_CLIP;
use crate::request::Role;
use crate::table::{Row, Table};

/// What is to be cut and clipped, decided on numbers before any summary is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Draft {
    /// Which messages are summarized or dropped. Lawful, and possibly none.
    pub cut: Cut,
    /// The kept messages that are clipped, in order: as the policy asks, or further.
    pub clips: Vec<ClipTo>,
    /// The most tokens the summary may have: its text alone, without what frames it.
    pub summary_bound: u64,
    /// Tokens of the messages as they are.
    pub before: u64,
    /// The most tokens of the messages if the draft is carried out.
    pub after: u64,
}

impl Draft {
    /// A draft that changes no message.
    #[must_use]
    pub fn untouched(table: &Table) -> Self {
        let tokens = table.tokens();
        Self {
            cut: Cut::none(table.len()),
            clips: Vec::new(),
            summary_bound: 0,
            before: tokens,
            after: tokens,
        }
    }

    /// Whether the conversation is within a budget if the draft is carried out.
    #[must_use]
    pub fn fits(&self, budget: &Budget) -> bool {
        budget.fits(self.after, self.messages_after())
    }

    /// How many messages there are if the draft is carried out.
    #[must_use]
    pub fn messages_after(&self) -> usize {
        self.cut.messages_after()
    }
}

/// A kept message that is clipped to at most so many tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipTo {
    /// The message.
    pub message: usize,
    /// Tokens that it may cost.
    pub tokens: u64,
}

/// What the message may cost that takes the place of what is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryCost {
    /// Tokens of the message that carries a new summary, without the summary.
    pub frame: u64,
    /// The most tokens of a new summary. 0 if nobody is there to write one.
    pub bound: u64,
    /// Tokens of the message where there is no new summary: a notice, with as much of an earlier
    /// summary as stays.
    pub notice: u64,
}

impl SummaryCost {
    /// Fewer tokens than these are not worth asking a model for.
    pub const LEAST: u64 = 16;

    /// The bound for a summary that replaces `replaced` tokens and must be smaller with its
    /// frame; `None` if there is no such summary worth asking for.
    #[must_use]
    pub fn bound_for(&self, replaced: u64) -> Option<u64> {
        let room = replaced.checked_sub(self.frame.saturating_add(1))?;
        let bound = self.bound.min(room);
        (bound >= self.bound.min(Self::LEAST)).then_some(bound)
    }

    /// Tokens beside the summary, and the bound of the summary, of what takes the place of a
    /// cut that has to free `gain` tokens; `None` if that isn't worth it.
    ///
    /// The length of a summary follows from the limit, and may be all that a cut frees. So the
    /// gain is taken from the summary, not demanded of what the longest one would leave.
    fn of(&self, cut: &Cut, table: &Table, gain: u64) -> Option<(u64, u64)> {
        let replaced = cut.tokens(table).checked_sub(gain)?;
        if self.bound > 0 && cut.summarized().next().is_some() {
            Some((self.frame, self.bound_for(replaced)?))
        } else {
            (self.notice < replaced).then_some((self.notice, 0))
        }
    }
}

/// The settings of [`draft`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DraftRules {
    /// What a summary may cost.
    pub summary: SummaryCost,
    /// Whether tool results in kept messages may be clipped where cutting isn't enough.
    pub clip_tool_results: bool,
    /// Whether kept messages of the user, pinned ones too, may be clipped as a last resort.
    pub clip_user_messages: bool,
    /// The share of the messages' tokens that a draft must free to be worth its loss, unless it
    /// is what makes the conversation fit.
    pub least_gain: f64,
}

impl DraftRules {
    /// The fewest tokens that a draft must free of so many, unless it is what makes the
    /// conversation fit.
    #[must_use]
    pub fn least_freed(&self, tokens: u64) -> u64 {
        share_of(tokens, self.least_gain).max(1)
    }

    fn is_worth(&self, draft: &Draft) -> bool {
        draft.before.saturating_sub(draft.after) >= self.least_freed(draft.before)
    }
}

/// Drafts how to bring a conversation under its limit, as gently as it can be done.
///
/// In this order, the first that fits: what the policy cuts and clips; with tool results clipped
/// in what it keeps, the largest first; with a shorter summary too; where it only clips, what
/// [`TopicAndRecent`] would cut of the rest, with the same steps; all that the laws allow to cut;
/// and if allowed, with messages of the user clipped as well. Where nothing is left to cut but our
/// own summary, that is cut for a shorter one. If nothing fits, the smallest of these, so that the
/// caller can send it and let the provider decide.
///
/// A policy that cuts nothing is taken at its word: then there are only clips, unless there are
/// too many messages. Where the conversation fits as it is, only what the policy does is tried, and
/// it must free the least gain.
///
/// `None` if nothing can be done, or too little to be worth it.
pub fn draft<P>(table: &Table, budget: &Budget, policy: &P, rules: &DraftRules) -> Option<Draft>
where
    P: CutPolicy + ?Sized,
{
    if budget.fits(table.tokens(), table.len()) {
        return draft_early(table, budget, policy, rules);
    }
    let chosen = policy.cut(table, budget);
    let harder_too = chosen.is_some() || table.len() > budget.max_messages;
    let gentle = chosen.and_then(|cut| enforce(table, cut));
    // A policy that only clips has nothing between that and all that may be cut.
    let cuts = gentle.as_ref().is_none_or(|cut| !cut.is_empty());
    let between = || {
        let then = policy.then(TopicAndRecent).enough(Enough::Limit);
        enforce(table, then.cut(table, budget)?)
    };
    let harder = || {
        let all = everything(table).or_else(|| summary_alone(table));
        all.filter(|_| harder_too)
    };
    let last_resort = rules.clip_user_messages.then_some(true);
    // Only the first is made where that is enough.
    let attempts = iter::once((gentle, false))
        .chain((!cuts).then(between).map(|cut| (cut, false)))
        .chain(
            iter::once(false)
                .chain(last_resort)
                .map(|clip| (harder(), clip)),
        );
    let mut smallest: Option<Draft> = None;
    for (cut, clip_user_messages) in attempts {
        let draft = attempt(table, budget, cut.as_ref(), clip_user_messages, 0, rules);
        let Some(draft) = draft else { continue };
        if draft.fits(budget) {
            return Some(draft);
        }
        if smallest
            .as_ref()
            .is_none_or(|smallest| draft.after < smallest.after)
        {
            smallest = Some(draft);
        }
    }
    // What fits by its tokens at least is worth it, however many messages there are.
    let helps = |draft: &Draft| draft.after <= budget.limit && draft.before > budget.limit;
    smallest.filter(|draft| helps(draft) || rules.is_worth(draft))
}

/// Drafts a compaction before it is needed, because a [trigger](crate::trigger) is met or somebody
/// asks for it: under a budget that may be [tighter](Budget::within) than the conversation has to
/// keep to.
///
/// Only what the policy does is tried, and where what it cuts isn't worth it, what else it would do.
/// `None` if that frees less than the least gain, or doesn't reach the budget: then it would be
/// tried again with the next request, and the next.
pub fn draft_early<P>(
    table: &Table,
    budget: &Budget,
    policy: &P,
    rules: &DraftRules,
) -> Option<Draft>
where
    P: CutPolicy + ?Sized,
{
    let rules = DraftRules {
        clip_tool_results: false,
        ..*rules
    };
    let gain = rules.least_freed(table.tokens());
    let lawful = |table: &Table| enforce(table, policy.cut(table, budget)?);
    let cut = lawful(table)?;
    let draft = attempt(table, budget, Some(&cut), false, gain, &rules).or_else(|| {
        let mut held = table.clone();
        cut.iter().for_each(|index| held.pin(index));
        attempt(&held, budget, Some(&lawful(&held)?), false, gain, &rules)
    });
    draft.filter(|draft| draft.fits(budget) && rules.is_worth(draft))
}

/// Our own summary, where it is a group of its own.
fn summary_alone(table: &Table) -> Option<Cut> {
    let group = table.groups().find(|group| {
        let rows = &table.rows()[group.clone()];
        rows.len() == 1 && rows[0].summary
    })?;
    Some(Cut::of(table.len(), group))
}

/// Cuts, and clips as far as needed. `None` if that changes nothing.
fn attempt(
    table: &Table,
    budget: &Budget,
    cut: Option<&Cut>,
    clip_user_messages: bool,
    gain: u64,
    rules: &DraftRules,
) -> Option<Draft> {
    let nothing = || Cut::none(table.len());
    let mut cut = cut.cloned().unwrap_or_else(nothing);
    let (mut stands, mut summary_bound) = (0, 0);
    if !cut.is_empty() {
        let too_many = table.len() > budget.max_messages;
        let (cost, instead) = match rules.summary.of(&cut, table, gain) {
            Some(cost) => (cost, None),
            // They say too little for a summary, but there are too many of them. One message stands
            // for them all.
            None if too_many && cut.count() > 1 => ((rules.summary.notice, 0), Some(Fate::Drop)),
            None => ((0, 0), Some(Fate::Keep)),
        };
        (stands, summary_bound) = cost;
        if let Some(fate) = instead {
            cut.replace(fate);
        }
    }
    let may_clip = |row: &Row| match row.role {
        Role::Tool => rules.clip_tool_results && !row.pinned,
        Role::User => clip_user_messages && !row.summary,
        Role::System | Role::Developer | Role::Assistant => false,
    };
    // What stays as it is, and what may be clipped. Summed up apart, never subtracted from a
    // total: sums saturate, and a total that did is no longer the sum of its parts.
    let kept = table.len() - cut.count();
    let (mut unclippable, mut clippable) = (stands, Vec::with_capacity(kept));
    for (index, row) in table.rows().iter().enumerate() {
        if row.role.is_fixed() || cut.contains(index) {
            continue;
        }
        let row = cut.fate(index).leaves(*row);
        let text = if may_clip(&row) {
            row.clippable.min(row.tokens)
        } else {
            0
        };
        unclippable = unclippable.saturating_add(row.tokens - text);
        clippable.push((index, row.tokens, text));
    }
    let after = |summary_bound: u64, level: u64| {
        let rest = unclippable.saturating_add(summary_bound);
        clippable.iter().fold(rest, |sum, &(_, _, text)| {
            sum.saturating_add(text.min(level))
        })
    };
    let mut level = u64::MAX;
    if after(summary_bound, level) > budget.limit {
        let costs: Vec<u64> = clippable.iter().map(|&(_, _, text)| text).collect();
        let room = budget
            .limit
            .saturating_sub(unclippable.saturating_add(summary_bound));
        level = level_for(&costs, room).max(LEAST_CLIP);
        let excess = after(summary_bound, level).saturating_sub(budget.limit);
        let shorter = summary_bound.saturating_sub(excess);
        summary_bound = shorter.max(summary_bound.min(SummaryCost::LEAST));
    }
    let rows = table.rows();
    let clips: Vec<ClipTo> = clippable
        .iter()
        .map(|&(message, tokens, text)| ClipTo {
            message,
            tokens: tokens - text.saturating_sub(level),
        })
        .filter(|clip| clip.tokens < rows[clip.message].tokens)
        .collect();
    (!cut.is_empty() || !clips.is_empty()).then_some(Draft {
        after: after(summary_bound, level),
        before: table.tokens(),
        cut,
        clips,
        summary_bound,
    })
}
