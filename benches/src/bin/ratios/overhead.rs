use contextfit_benches::{bare, fits_ways, roomy_fitter, small};

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{row, title};

/// The layers, in nanoseconds over the bare service.
const OVERHEAD: Option<Goal> = Some(Goal::Below(1_000.0));

const BATCH: u32 = 1_000;
const ROUNDS: usize = 400;

/// What the layers cost a small request.
pub(crate) fn print() {
    let fitter = roomy_fitter();
    let layers = fits_ways(&fitter)
        .into_iter()
        .filter(|(name, _)| name.starts_with("ContextFit"));
    let mut all = Comparison::default();
    for (name, mut way) in [bare()].into_iter().chain(layers) {
        let mut held = Some(small());
        all.add(name, OVERHEAD, move || {
            for _ in 0..BATCH {
                held = held.take().map(&mut way);
            }
        });
    }
    let sides = all.measure(ROUNDS);
    title("A request of 6 messages that fits, in nanoseconds over the bare service");
    for side in &sides[1..] {
        let over = side.times.nanoseconds_over(&sides[0].times) / f64::from(BATCH);
        row(&side.name, over, 0, side.goal);
    }
}
