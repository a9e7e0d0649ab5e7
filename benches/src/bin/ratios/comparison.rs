use contextfit_benches::{Times, take_turns};

use crate::goal::Goal;

/// Sides that are measured in turns, each with its goal.
#[derive(Default)]
pub(crate) struct Comparison<'a> {
    names: Vec<(String, Option<Goal>)>,
    sides: Vec<Box<dyn FnMut() + 'a>>,
}

/// What a side took.
pub(crate) struct Side {
    pub(crate) name: String,
    pub(crate) goal: Option<Goal>,
    pub(crate) times: Times,
}

impl<'a> Comparison<'a> {
    /// Adds a side, and tells its place among the others.
    pub(crate) fn add(
        &mut self,
        name: impl Into<String>,
        goal: Option<Goal>,
        run: impl FnMut() + 'a,
    ) -> usize {
        self.names.push((name.into(), goal));
        self.sides.push(Box::new(run));
        self.sides.len() - 1
    }

    pub(crate) fn measure(mut self, rounds: usize) -> Vec<Side> {
        let times = take_turns(rounds, &mut self.sides);
        let named = self.names.into_iter().zip(times);
        named
            .map(|((name, goal), times)| Side { name, goal, times })
            .collect()
    }
}
