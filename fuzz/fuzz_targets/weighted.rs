//! Weighing keeps the laws of estimators for every family, and an escaped text weighs what the text
//! does.

#![no_main]

use contextfit_core::estimate::{Family, TokenCount, WeightedEstimator};
use contextfit_core::request::Str;
use contextfit_testing::laws::check_estimator;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &str, &str)| {
    let (times, text, more) = input;
    let times = usize::from(times).clamp(1, 65_536 / text.len().max(1));
    let long = text.repeat(times);
    for family in Family::ALL {
        let estimator = WeightedEstimator::new(family);
        // A run that repeats something may go on as it is read at its start.
        let slack = TokenCount::tokens(64) + estimator.count_text(Str::plain(more)).scaled(2, 1);
        assert_eq!(check_estimator(&estimator, &long, more, slack), Ok(()));
    }
});
