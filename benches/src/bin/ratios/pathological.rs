use std::hint::black_box;

use contextfit_benches::{history, hostile, texts};
use contextfit_core::estimate::{CharEstimator, Estimator, Family, WeightedEstimator};
use contextfit_core::request::{Piece, Str};
use contextfit_tokenizers::{Encoding, TiktokenEstimator};

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{cells, title};

const GOAL: Goal = Goal::AtMost(5.0);

/// Sizes of a text in megabytes, each with how often it is counted.
const SIZES: [(usize, usize); 2] = [(1, 5), (16, 1)];

/// Texts that tokenizers have trouble with, against usual text of the same length.
pub(crate) fn print() {
    let exact = TiktokenEstimator::new(Encoding::O200kBase);
    exact.warm_up();
    let chars = CharEstimator::default();
    let weighted = WeightedEstimator::new(Family::O200k);
    let estimators: [(&str, &dyn Estimator); 3] = [
        ("CharEstimator", &chars),
        ("WeightedEstimator", &weighted),
        ("TiktokenEstimator", &exact),
    ];
    for (name, estimator) in estimators {
        title(&format!("{name}: hostile text, in times of usual text"));
        cells("", SIZES.map(|(size, _)| format!("{size} MB")), "");
        let by_size = SIZES.map(|(size, rounds)| ratios(estimator, size << 20, rounds));
        let names = hostile(0).into_iter().map(|(name, _)| name);
        for (row, name) in names.enumerate() {
            let ratios = by_size.each_ref().map(|ratios| ratios[row]);
            let worst = ratios.into_iter().fold(0.0, f64::max);
            cells(
                name,
                ratios.map(|ratio| format!("{ratio:.1}")),
                &GOAL.of(worst),
            );
        }
    }
}

/// What each hostile text takes, in times of usual text.
fn ratios(estimator: &dyn Estimator, bytes: usize, rounds: usize) -> Vec<f64> {
    let usual = usual(bytes);
    let hostile = hostile(bytes);
    let mut all = Comparison::default();
    let texts = [("usual", usual)].into_iter().chain(hostile);
    for (name, text) in texts {
        all.add(name, None, move || {
            black_box(estimator.count(Piece::Text(Str::plain(black_box(&text)))));
        });
    }
    let sides = all.measure(rounds);
    let (usual, hostile) = sides.split_first().expect("usual text comes first");
    let ratios = hostile.iter().map(|side| side.times.ratio(&usual.times));
    ratios.collect()
}

/// The texts of a long session, until they are long enough.
fn usual(bytes: usize) -> String {
    let session = texts(&history(3_600, 1_000_000)).concat();
    let mut text = session.repeat(bytes.div_ceil(session.len()));
    let end = (0..=bytes).rev().find(|&end| text.is_char_boundary(end));
    text.truncate(end.unwrap_or_default());
    text
}
