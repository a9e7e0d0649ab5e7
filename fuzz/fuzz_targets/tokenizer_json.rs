//! A `tokenizer.json` is loaded or refused, and one that is loaded counts.

#![no_main]

use contextfit_core::request::Str;
use contextfit_tokenizers::HuggingFaceEstimator;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (text, json) = input;
    if let Ok(estimator) = HuggingFaceEstimator::from_bytes(json) {
        let count = estimator.count_text(Str::plain(text));
        assert_eq!(estimator.count_text(Str::plain(text)), count);
    }
});
