use crate::summarize::{SummaryJob, SummaryKind};

/// What a model is asked to do with a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::summarize) enum Prompt {
    /// Nothing was summarized before.
    First,
    /// A previous summary is carried on.
    Update,
    /// A previous summary is too long.
    Shorten,
    /// The beginning of a turn is summarized by itself.
    TurnStart,
    /// The same, after a part of it.
    TurnStartUpdate,
}

impl Prompt {
    pub(in crate::summarize) const ALL: [Self; 5] = [
        Self::First,
        Self::Update,
        Self::Shorten,
        Self::TurnStart,
        Self::TurnStartUpdate,
    ];

    pub(in crate::summarize) const fn of(job: &SummaryJob) -> Self {
        match (job.kind, &job.previous) {
            (SummaryKind::TurnStart, None) => Self::TurnStart,
            (SummaryKind::TurnStart, Some(_)) => Self::TurnStartUpdate,
            (SummaryKind::History, None) => Self::First,
            (SummaryKind::History, Some(_)) if job.messages == 0 => Self::Shorten,
            (SummaryKind::History, Some(_)) => Self::Update,
        }
    }
}
