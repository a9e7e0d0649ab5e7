/// What a line of an extract is about. They are written in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Section {
    Goal,
    Constraints,
    Done,
    Decisions,
    Errors,
    State,
    Notes,
    Facts,
}

impl Section {
    pub(super) const ALL: [Self; 8] = [
        Self::Goal,
        Self::Constraints,
        Self::Done,
        Self::Decisions,
        Self::Errors,
        Self::State,
        Self::Notes,
        Self::Facts,
    ];

    /// What stands above its lines.
    pub(super) const fn heading(self) -> &'static str {
        match self {
            Self::Goal => "## Goal",
            Self::Constraints => "## Constraints",
            Self::Done => "## Done",
            Self::Decisions => "## Decisions",
            Self::Errors => "## Errors",
            Self::State => "## Last state",
            Self::Notes => "## Also said",
            Self::Facts => "## Facts",
        }
    }

    /// Its share of the whole, in percent. What one leaves over, the others have.
    pub(super) const fn share(self) -> u32 {
        match self {
            Self::Goal => 12,
            Self::Constraints | Self::Done | Self::Decisions | Self::Errors => 8,
            Self::State => 6,
            Self::Notes => 4,
            Self::Facts => 46,
        }
    }

    /// The section of a heading, in our words or in those that a model is asked to use; also of
    /// one that merely says something similar.
    pub(super) fn of_heading(line: &str) -> Option<Self> {
        let title = line.strip_prefix('#')?.trim_start_matches('#').trim();
        let title = title.to_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| title.contains(word));
        Some(match () {
            () if is(&["goal", "asked"]) => Self::Goal,
            () if is(&["constraint"]) => Self::Constraints,
            () if is(&["done", "progress"]) => Self::Done,
            () if is(&["decision"]) => Self::Decisions,
            () if is(&["error", "blocked"]) => Self::Errors,
            () if is(&["state", "next"]) => Self::State,
            () if is(&["facts"]) => Self::Facts,
            () => Self::Notes,
        })
    }
}
