//! How the command line asks for a fit.

use contextfit::budget::{BudgetRules, Window};
use contextfit::summary::EnvelopeKey;
use contextfit::{Fitter, FitterBuilder};

use crate::args::{Preset, SetupArgs};

impl SetupArgs {
    /// A fitter with all that was asked for, but for the summarizer.
    pub(crate) fn fitter(&self) -> FitterBuilder {
        let fitter = Fitter::builder().window(self.window);
        let fitter = match self.preset {
            Preset::TopicAndHalf => fitter.topic_and_half(),
            Preset::RecentBudget => fitter.recent_budget(),
        };
        // Nobody else reads these summaries, and the same input is to give the same output.
        let fitter = match EnvelopeKey::new("of the command line, and no secret") {
            Ok(key) => fitter.summary_keys(key),
            Err(_) => fitter,
        };
        match self.reserve {
            Some(reserve) => fitter.reserve(reserve),
            None => fitter,
        }
    }

    /// Tokens kept free for the reply.
    pub(crate) fn reserve(&self) -> u64 {
        let mut rules = BudgetRules::default();
        rules.reserve = self.reserve;
        rules.reserve_floor(Window::new(self.window))
    }
}
