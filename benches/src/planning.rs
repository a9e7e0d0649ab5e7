use std::fmt;

use contextfit_core::budget::{Budget, BudgetRules, Window};
use contextfit_core::cut::{CutPolicy, RecentBudget, TopicAndRecent};
use contextfit_core::estimate::{CharEstimator, Estimator, measure};
use contextfit_core::plan::{Draft, DraftRules, SummaryCost, draft};
use contextfit_core::request::Conversation;
use contextfit_core::summary::{Envelope, EnvelopeKeys};
use contextfit_core::table::{Pins, Table};
use contextfit_testing::summaries::summary_keys;

/// A shipped policy, with the pins that go with it.
pub struct Planner {
    /// Its name.
    pub name: &'static str,
    policy: Box<dyn CutPolicy>,
    pins: Pins,
    keys: EnvelopeKeys,
}

/// Both shipped policies.
#[must_use]
pub fn planners() -> [Planner; 2] {
    [
        Planner {
            name: "TopicAndRecent",
            policy: Box::new(TopicAndRecent),
            pins: Pins::BOTH,
            keys: summary_keys(),
        },
        Planner {
            name: "RecentBudget",
            policy: Box::new(RecentBudget::default()),
            pins: Pins::NONE,
            keys: summary_keys(),
        },
    ]
}

impl Planner {
    /// Check and plan: measures a request, and decides what to cut and to clip so that it fits
    /// into `window`. That is all of a fit but the summary and the change itself, with the
    /// strategies behind pointers, as a [`Fitter`](contextfit_tower::Fitter) has them.
    ///
    /// # Panics
    ///
    /// The window leaves no room, or nothing has to be cut.
    #[must_use]
    pub fn check_and_plan(&self, request: &impl Conversation, window: u64) -> Draft {
        let estimator: &dyn Estimator = &CharEstimator::default();
        let measured = measure(request, estimator);
        let budget = Budget::new(
            Window::new(window),
            &BudgetRules::default(),
            measured.fixed,
            measured.max_output,
            None,
        )
        .expect("the window leaves room");
        let summary = Envelope::find(request, &self.keys).ours;
        let summary = summary.map(|(index, _)| index);
        let table = Table::of(request, &measured, self.pins, summary);
        let rules = DraftRules {
            summary: SummaryCost {
                frame: 80,
                bound: 3_276.min(budget.limit / 4),
                notice: 80,
            },
            clip_tool_results: true,
            clip_user_messages: false,
            least_gain: 0.05,
        };
        draft(&table, &budget, &*self.policy, &rules).expect("the request is over its limit")
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Planner").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::now;
    use crate::{history, over_limit_fitters};
    use contextfit_core::chat::ChatRole;

    #[test]
    fn it_is_decided_as_a_fitter_decides() {
        for (messages, tokens) in [(36, 10_000), (360, 100_000), (3_600, 1_000_000)] {
            let mut request = history(messages, tokens);
            // One long turn at the end, so that its pin matters.
            for message in &mut request.messages[messages / 3..] {
                if message.role == ChatRole::User {
                    message.role = ChatRole::Assistant;
                }
            }
            let window = tokens as u64 / 4;
            for (planner, fitter) in planners().iter().zip(over_limit_fitters(window)) {
                let draft = planner.check_and_plan(&request, window);
                let fitted = now(fitter.fit(request.clone())).expect("it can be fitted");
                let report = fitted.report.expect("it is over its limit");
                assert_eq!(&draft.cut, report.plan.cut(), "{planner:?}");
                assert!(draft.cut.count() > messages / 2);
            }
        }
    }
}
