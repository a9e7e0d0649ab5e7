use std::hint::black_box;

use contextfit_benches::history;
use contextfit_core::estimate::{CharEstimator, Estimator, measure};
use contextfit_tokenizers::{Encoding, TiktokenEstimator};
use contextfit_tower::Memo;

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{row, title};

const GOAL: Goal = Goal::AtLeast(300.0);

const ROUNDS: usize = 12;
/// Second counts in a row.
const TIMES: usize = 10;

/// The first exact count of a million tokens, in times of the next: of one that comes right after
/// another, and of one whose text has to be fetched from memory, because something else was done
/// between. What reading that text costs at least, counting its characters tells.
pub(crate) fn print() {
    let request = history(3_600, 1_000_000);
    let exact = TiktokenEstimator::new(Encoding::O200kBase);
    exact.warm_up();
    let known = Memo::new(exact);
    let count = |estimator: &dyn Estimator| {
        black_box(measure(black_box(&request), estimator).prompt());
    };
    let tokens = measure(&request, &known).prompt();

    let mut all = Comparison::default();
    let first = all.add("first count", None, || count(&Memo::new(exact)));
    let in_a_row = all.add("second count, in a row", Some(GOAL), || {
        for _ in 0..TIMES {
            count(&known);
        }
    });
    let later = all.add("second count, after other work", None, || count(&known));
    let chars = all.add("characters, after other work", None, || {
        count(&CharEstimator::default());
    });
    let sides = all.measure(ROUNDS);
    title(&format!(
        "The first exact count of {tokens} tokens, in times of others through a Memo"
    ));
    for (side, times) in [(in_a_row, TIMES), (later, 1), (chars, 1)] {
        let ratio = sides[first].times.ratio(&sides[side].times) * times as f64;
        row(&sides[side].name, ratio, 0, sides[side].goal);
    }
}
