use std::hint::black_box;

use contextfit_benches::{
    Rendering, chars, fits_ways, history, plainly, planners, roomy_fitter, texts,
};
use contextfit_core::estimate::{CharEstimator, Estimator, measure};

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{row, title};

/// The check, in times of a count of characters.
const CHECK: Option<Goal> = Some(Goal::AtMost(1.3));
/// Check and plan, in times of a count of characters.
const CHECK_AND_PLAN: Option<Goal> = Some(Goal::AtMost(1.5));
/// The plain way, in times of check and plan.
const PLAIN: [(Rendering, Option<Goal>); 2] = [
    (Rendering::Json, Some(Goal::AtLeast(4.0))),
    (Rendering::Text, None),
];

const MESSAGES: usize = 3_600;
const TOKENS: usize = 1_000_000;
const WINDOW: usize = TOKENS / 4;
const ROUNDS: usize = 300;

/// Check, check and plan, and the plain way, of a million tokens.
pub(crate) fn print() {
    let request = history(MESSAGES, TOKENS);
    let texts = texts(&request);
    let typed = CharEstimator::default();
    let erased: &dyn Estimator = &typed;
    let fitter = roomy_fitter();
    let planners = planners();

    let mut all = Comparison::default();
    let count = || {
        black_box(chars(black_box(&texts)));
    };
    let counting = all.add("counting its characters", None, count);
    all.add("the same again: the noise", None, count);
    all.add("check: measure, typed", CHECK, || {
        black_box(measure(black_box(&request), black_box(&typed)));
    });
    all.add("check: measure, erased", CHECK, || {
        black_box(measure(black_box(&request), black_box(erased)));
    });
    for (name, mut way) in fits_ways(&fitter) {
        let goal = CHECK.filter(|_| name != "ContextFit with retry");
        // Its texts are shared with the others.
        let mut held = Some(request.clone());
        let run = move || held = held.take().map(&mut way);
        all.add(format!("check: {name}"), goal, run);
    }
    let plans = planners.each_ref().map(|planner| {
        let name = format!("check + plan: {}", planner.name);
        all.add(name, CHECK_AND_PLAN, || {
            black_box(planner.check_and_plan(black_box(&request), WINDOW as u64));
        })
    });
    let plain = PLAIN.map(|(rendering, goal)| {
        let request = &request;
        let name = format!("the plain way, as {}", rendering.name());
        let run = move || {
            black_box(plainly(black_box(request), rendering, WINDOW));
        };
        (all.add(name, None, run), goal)
    });

    let sides = all.measure(ROUNDS);
    title("1 000 000 tokens in 3 600 messages, in times of counting their characters");
    for side in &sides {
        let ratio = side.times.ratio(&sides[counting].times);
        row(&side.name, ratio, 2, side.goal);
    }
    for plan in plans.map(|plan| &sides[plan]) {
        title(&format!("In times of {}", plan.name));
        for (way, goal) in plain {
            let side = &sides[way];
            row(&side.name, side.times.ratio(&plan.times), 1, goal);
        }
    }
}
