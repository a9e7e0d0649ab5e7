use contextfit_tower::Overflow;

/// What a function of yours makes of an error. See
/// [`TextOverflow::verdict`](super::TextOverflow::verdict).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The request is too long, with the numbers there are.
    Overflow(Overflow),
    /// It is something else.
    NotOverflow,
    /// The error doesn't say: let others decide.
    #[default]
    Unknown,
}
