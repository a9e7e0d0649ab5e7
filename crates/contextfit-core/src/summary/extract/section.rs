/// What a line of an extract is about. They are written in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Section {
    /// What somebody else summarized.
    Earlier,
    /// What the user wants.
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
    pub(super) const ALL: [Self; 9] = [
        Self::Earlier,
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
            Self::Earlier => "## Earlier summary",
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
            Self::Earlier => 20,
            Self::Goal => 12,
            Self::Constraints | Self::Done | Self::Decisions | Self::Errors => 8,
            Self::State => 6,
            Self::Notes => 4,
            Self::Facts => 46,
        }
    }

    /// The section of a heading of ours, or of one that a model is asked to use.
    pub(super) fn of_heading(line: &str) -> Option<Self> {
        let line = match line {
            "## Constraints and preferences" => Self::Constraints.heading(),
            "### Done" => Self::Done.heading(),
            other => other,
        };
        Self::ALL
            .into_iter()
            .find(|section| section.heading() == line)
    }
}
