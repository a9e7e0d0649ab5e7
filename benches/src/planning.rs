use contextfit_core::budget::{Budget, BudgetRules, Window};
use contextfit_core::chat::ChatRequest;
use contextfit_core::cut::CutPolicy;
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::plan::{Draft, DraftRules, SummaryCost, draft};
use contextfit_core::table::{Pins, Table};

/// Decides what to cut of a request so that it fits into `window`: all of a fit but the summary.
///
/// # Panics
///
/// The window leaves no room, or the request fits.
pub fn plan(request: &ChatRequest, window: u64, policy: &impl CutPolicy, pins: Pins) -> Draft {
    let estimator = CharEstimator::default();
    let measured = measure(request, &estimator);
    let budget = Budget::new(
        Window::new(window),
        &BudgetRules::default(),
        measured.fixed,
        measured.max_output,
        None,
    )
    .expect("the window leaves room");
    let table = Table::read(request, &estimator, pins, None);
    let rules = DraftRules {
        summary: SummaryCost {
            frame: 80,
            bound: 3_276,
            notice: 80,
        },
        clip_tool_results: true,
        clip_user_messages: false,
        least_gain: 0.05,
    };
    draft(&table, &budget, policy, &rules).expect("the request is over its limit")
}
