//! What the enums of an explanation are called: in words for a person, and in keys for a program.

use contextfit::cut::Fate;
use contextfit::{Outcome, Reason, Why};

use crate::number::grouped;

/// What becomes of a message.
pub(crate) fn fate(fate: Fate) -> String {
    match fate {
        Fate::Clip(tokens) => format!("clipped to {}", grouped(tokens)),
        fate => fate_key(fate).to_owned(),
    }
}

/// What becomes of a message, without its number.
pub(crate) const fn fate_key(fate: Fate) -> &'static str {
    match fate {
        Fate::Keep => "kept",
        Fate::Clip(_) => "clipped",
        Fate::Summarize => "summarized",
        Fate::Drop => "dropped",
        _ => "other",
    }
}

/// Why a message has its fate.
pub(crate) const fn why_key(why: Why) -> &'static str {
    match why {
        Why::NothingHasToGo => "nothing_has_to_go",
        Why::Instructions => "instructions",
        Why::Task => "task",
        Why::LastUser => "last_user",
        Why::Marked => "marked",
        Why::Newest => "newest",
        Why::Group => "group",
        Why::Policy => "policy",
        Why::NotWorthIt => "not_worth_it",
        Why::NothingHelps => "nothing_helps",
        Why::PolicyCuts => "policy_cuts",
        Why::NotEnough => "not_enough",
        Why::EarlierSummary => "earlier_summary",
        _ => "other",
    }
}

/// What becomes of the request.
pub(crate) const fn outcome_key(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::LeftAlone => "left_alone",
        Outcome::Fits => "fits",
        Outcome::Changed(_) => "changed",
        Outcome::Stuck => "stuck",
        Outcome::Refused(_) => "refused",
        _ => "other",
    }
}

/// Why it is changed.
pub(crate) const fn reason_key(reason: Reason) -> &'static str {
    match reason {
        Reason::OverLimit => "over_limit",
        Reason::Trigger => "trigger",
        Reason::Forced => "forced",
        Reason::Overflow => "overflow",
        _ => "other",
    }
}
