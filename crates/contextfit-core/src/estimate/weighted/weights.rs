use super::run::{MOST_STATES, Run, STATES, State};

/// What each state weighs, in units of a token.
#[derive(Debug)]
pub(super) struct Weights([u32; MOST_STATES]);

impl Weights {
    /// The weights of each run, by place.
    ///
    /// # Panics
    ///
    /// A run is missing or stands twice, or has more or fewer weights than places. As tables are
    /// constants, the compiler says so.
    pub(super) const fn new(runs: &[(Run, &[u32])]) -> Self {
        let mut weights = [0; MOST_STATES];
        let mut seen = 0;
        let mut index = 0;
        while index < runs.len() {
            let (run, of_run) = runs[index];
            assert!(run as usize == index, "runs stand in their order");
            assert!(
                of_run.len() == run.places() as usize,
                "a weight for each place"
            );
            let mut place = 0;
            while place < of_run.len() {
                weights[State::at(run, place as u8 + 1).number()] = of_run[place];
                place += 1;
                seen += 1;
            }
            index += 1;
        }
        assert!(seen == STATES, "a weight for each state");
        Self(weights)
    }

    /// Units that a state weighs.
    #[inline(always)]
    pub(super) fn of(&self, state: u16) -> u32 {
        self.0[usize::from(state) % MOST_STATES]
    }
}
