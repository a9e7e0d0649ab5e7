//! Text in chunks costs what it costs uncut, to a token a cut, plain and escaped.

#![no_main]

use contextfit_core::estimate::TokenCount;
use contextfit_core::request::Str;
use contextfit_testing::laws::check_estimator;
use contextfit_tokenizers::{Encoding, TiktokenEstimator};
use libfuzzer_sys::fuzz_target;
use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

/// The longest text that is tried, in bytes: the tokenizer itself panics on a megabyte of blanks.
const LONGEST: usize = 256 * 1024;

fuzz_target!(|input: (u16, &str, &str)| {
    let (times, text, more) = input;
    let times = usize::from(times).clamp(1, LONGEST / text.len().max(1));
    let long = text.repeat(times) + more;
    for (encoding, uncut) in [
        (Encoding::O200kBase, o200k_base_singleton()),
        (Encoding::Cl100kBase, cl100k_base_singleton()),
    ] {
        let estimator = TiktokenEstimator::new(encoding);
        let counted = estimator.count_text(Str::plain(&long)).floor();
        let whole = uncut.count_ordinary(&long) as u64;
        let cuts = (long.len() / (16 * 1024)) as u64;
        assert!(counted.abs_diff(whole) <= 2 * cuts, "{counted} tokens, {whole} uncut");
        let slack = TokenCount::units(u64::MAX);
        assert_eq!(check_estimator(&estimator, text, more, slack), Ok(()));
    }
});
