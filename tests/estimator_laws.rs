//! The laws of estimators, for each that is shipped.

use std::sync::Arc;

use contextfit_core::estimate::{Estimator, TokenCount};
use contextfit_testing::laws::check_estimator;
use contextfit_testing::strategies::{hostile_texts, huge_texts, texts};
use contextfit_tests::shipped_estimators;
use proptest::prelude::*;

/// Checks all of them on two texts.
fn all_keep_the_laws(
    text: &str,
    more: &str,
    estimators: &[(&str, Arc<dyn Estimator>, u64)],
) -> Result<(), TestCaseError> {
    // Tokenizers count in chunks of sixteen kilobytes.
    let chunks = 1 + (text.len() + more.len()) as u64 / (16 * 1024);
    for (name, estimator, seam) in estimators {
        check_estimator(estimator, text, more, TokenCount::tokens(seam * chunks))
            .map_err(|broken| TestCaseError::fail(format!("{name}: {broken}")))?;
    }
    Ok(())
}

#[test]
fn shipped_estimators_keep_the_laws() {
    let estimators = shipped_estimators();
    proptest!(|(text in texts(), more in texts())| {
        all_keep_the_laws(&text, &more, &estimators)?;
    });
}

#[test]
fn long_and_hostile_texts_keep_the_laws_too() {
    let estimators = shipped_estimators();
    let any = || prop_oneof![3 => hostile_texts(), 1 => huge_texts(), 1 => Just(String::new())];
    proptest!(ProptestConfig::with_cases(32), |(text in any(), more in any())| {
        all_keep_the_laws(&text, &more, &estimators)?;
    });
}
