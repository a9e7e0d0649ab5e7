use std::fmt;

/// What a call of a model was made for, so that its cost finds the right account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// The answer that the caller asked for.
    Answer,
    /// A summary, so that a request fits.
    Compaction,
}

impl Purpose {
    /// Its name, as traces and metrics have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Compaction => "compaction",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
