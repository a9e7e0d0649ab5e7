use std::iter;

use super::clip::level_for;
use crate::budget::Budget;
use crate::cut::{Cut, CutPolicy, enforce, everything};
use crate::estimate::LEAST_CLIP;
use crate::request::Role;
use crate::table::{Row, Table};

/// What is to be cut and clipped, decided on numbers before any summary is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Draft {
    /// The messages that are replaced by a summary. Lawful, and possibly none.
    pub cut: Cut,
    /// The kept messages that are clipped, in order.
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
}

/// A kept message that is clipped to at most so many tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipTo {
    /// The message.
    pub message: usize,
    /// Tokens that it may cost.
    pub tokens: u64,
}

/// What a summary may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryCost {
    /// Tokens of the message that carries a summary, without the summary.
    pub frame: u64,
    /// The most tokens of a summary. 0 if there will be none and only a notice stands.
    pub bound: u64,
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
    /// The share of the messages' tokens that a draft which doesn't fit must free to be
    /// worth its loss.
    pub least_gain: f64,
}

/// Drafts how to bring a conversation under its limit, as gently as it can be done.
///
/// In this order, the first that fits: what the policy cuts; with tool results clipped in what
/// it keeps, the largest first; with a shorter summary too; all that the laws allow to cut,
/// with the same steps; and if allowed, with messages of the user clipped as well. Where nothing
/// is left to cut but our own summary, that is cut for a shorter one. If nothing fits, the
/// smallest of these, so that the caller can send it and let the provider decide.
///
/// A policy that cuts nothing is taken at its word: then there are only clips. So is one whose
/// cut comes to nothing where the conversation fits as it is.
///
/// `None` if nothing can be done, or too little to be worth it.
pub fn draft<P>(table: &Table, budget: &Budget, policy: &P, rules: &DraftRules) -> Option<Draft>
where
    P: CutPolicy + ?Sized,
{
    let chosen = policy.cut(table, budget);
    let cuts = chosen.is_some();
    let gentle = chosen.and_then(|cut| enforce(table, cut));
    let harder = || {
        let all = everything(table).or_else(|| summary_alone(table));
        all.filter(|_| cuts)
    };
    let last_resort = rules.clip_user_messages.then_some(true);
    let attempts = iter::once((gentle, false)).chain(
        // Only made where it is needed.
        iter::once(false)
            .chain(last_resort)
            .map(|clip| (harder(), clip)),
    );
    let mut smallest: Option<Draft> = None;
    for (cut, clip_user_messages) in attempts {
        let Some(draft) = attempt(table, budget, cut.as_ref(), clip_user_messages, rules) else {
            if table.tokens() <= budget.limit {
                // It fits as it is, and what the policy would cut isn't lawful or worth it.
                return None;
            }
            continue;
        };
        if draft.after <= budget.limit {
            return Some(draft);
        }
        if smallest
            .as_ref()
            .is_none_or(|smallest| draft.after < smallest.after)
        {
            smallest = Some(draft);
        }
    }
    smallest.filter(|draft| worthwhile(draft, rules.least_gain))
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
    rules: &DraftRules,
) -> Option<Draft> {
    let (cut, mut summary_bound) = cut
        .and_then(|cut| Some((cut.clone(), rules.summary.bound_for(cut.tokens(table))?)))
        .unwrap_or_else(|| (Cut::none(table.len()), 0));
    let may_clip = |row: &Row| match row.role {
        Role::Tool => rules.clip_tool_results && !row.pinned,
        Role::User => clip_user_messages && !row.summary,
        Role::System | Role::Developer | Role::Assistant => false,
    };
    // What stays as it is, and what may be clipped. Summed up apart, never subtracted from a
    // total: sums saturate, and a total that did is no longer the sum of its parts.
    let (mut unclippable, mut clippable) = (0_u64, Vec::new());
    if !cut.is_empty() {
        unclippable = rules.summary.frame;
    }
    for (index, row) in table.rows().iter().enumerate() {
        if row.role.is_fixed() || cut.contains(index) {
            continue;
        }
        let text = if may_clip(row) {
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
    let clips: Vec<ClipTo> = clippable
        .iter()
        .filter(|&&(_, _, text)| text > level)
        .map(|&(message, tokens, text)| ClipTo {
            message,
            tokens: tokens - (text - level),
        })
        .collect();
    (!cut.is_empty() || !clips.is_empty()).then_some(Draft {
        after: after(summary_bound, level),
        before: table.tokens(),
        cut,
        clips,
        summary_bound,
    })
}

/// Whether a draft frees enough to be worth what is lost.
#[expect(clippy::cast_precision_loss, reason = "a share needs no exact numbers")]
fn worthwhile(draft: &Draft, least_gain: f64) -> bool {
    let freed = draft.before.saturating_sub(draft.after);
    freed > 0 && freed as f64 >= draft.before as f64 * least_gain
}
