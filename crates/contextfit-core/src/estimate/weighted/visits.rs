use super::automaton::states;
use super::run::STATES;
use super::scan;

/// How often a text goes through each state of the automaton behind
/// [`WeightedEstimator`](super::WeightedEstimator): what its tables are fitted on.
///
/// ```
/// use contextfit_core::estimate::Visits;
///
/// let visits = Visits::of("7 = 7");
/// let spaces = Visits::states().position(|state| state == "Space 1");
/// assert_eq!(visits.counts()[spaces.unwrap()], 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visits([u64; STATES]);

impl Visits {
    /// The names of the states: a kind of text, and the place in it.
    pub fn states() -> impl Iterator<Item = String> {
        states().map(|state| format!("{:?} {}", state.run, state.place))
    }

    /// Counts them.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut counts = [0; STATES];
        scan::visits(text, |state| counts[usize::from(state)] += 1);
        Self(counts)
    }

    /// The counts, in the order of the [`states`](Self::states).
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.0
    }
}
