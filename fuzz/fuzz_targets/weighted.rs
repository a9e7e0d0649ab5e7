//! Weighing keeps the laws of estimators for every family, and an escaped text weighs what the text
//! does.

#![no_main]

use contextfit_core::estimate::{Family, TokenCount, WeightedEstimator};
use contextfit_testing::laws::check_estimator;
use libfuzzer_sys::fuzz_target;

/// What comes before a byte matters for as many as the automaton takes to forget it.
const SEAM: TokenCount = TokenCount::tokens(16);

fuzz_target!(|input: (u16, &str, &str)| {
    let (times, text, more) = input;
    let times = usize::from(times).clamp(1, 65_536 / text.len().max(1));
    let long = text.repeat(times);
    for family in Family::ALL {
        let estimator = WeightedEstimator::new(family);
        assert_eq!(check_estimator(&estimator, &long, more, SEAM), Ok(()));
    }
});
