use std::sync::Arc;

use contextfit_core::estimate::{
    CharEstimator, Estimator, Family, TokenCount, WeightedEstimator, estimator_fn,
};
use contextfit_tokenizers::{Encoding, HuggingFaceEstimator, TiktokenEstimator};
use contextfit_tower::Memo;
use serde_json::{Value, json};

/// Every shipped estimator, by its name, and the tokens that a seam between two texts may cost or
/// save it. What holds for any estimator is tested with each of them.
#[must_use]
pub fn shipped_estimators() -> Vec<(&'static str, Arc<dyn Estimator>, u64)> {
    let o200k = TiktokenEstimator::new(Encoding::O200kBase);
    let cl100k = TiktokenEstimator::new(Encoding::Cl100kBase);
    let own = HuggingFaceEstimator::from_bytes(byte_level().to_string().as_bytes());
    let own = own.expect("a tokenizer");
    let chars = estimator_fn(|piece| {
        let mut chars = 0;
        piece.for_each_text(|text| chars += text.char_count() as u64);
        TokenCount::tokens(chars)
    });
    let weighted = Family::ALL.into_iter().map(|family| {
        let estimator: Arc<dyn Estimator> = Arc::new(WeightedEstimator::new(family));
        (family.name(), estimator, WEIGHTED_SEAM)
    });
    let others: Vec<(&'static str, Arc<dyn Estimator>, u64)> = vec![
        ("CharEstimator", Arc::new(CharEstimator::default()), 0),
        ("EstimatorFn", Arc::new(chars), 0),
        ("TiktokenEstimator, o200k", Arc::new(o200k), SEAM),
        ("TiktokenEstimator, cl100k", Arc::new(cl100k), SEAM),
        ("HuggingFaceEstimator", Arc::new(own), SEAM),
        ("Memo", Arc::new(Memo::new(o200k)), SEAM),
        ("Memo of one", Arc::new(Memo::with_entries(o200k, 1)), SEAM),
    ];
    weighted.chain(others).collect()
}

/// A run that repeats something short may go on as it is read at its start, for half of what a chunk
/// costs. What holds of other text is tested beside the code.
const WEIGHTED_SEAM: u64 = 2_000;

/// What a tokenizer joins across a seam.
const SEAM: u64 = 4;

/// A small tokenizer of the kind that most models have: every byte is a token, and some pairs
/// become one.
fn byte_level() -> Value {
    let merges = [
        ["t", "h"],
        ["th", "e"],
        ["Ġ", "the"],
        ["a", "a"],
        ["aa", "aa"],
        ["Ġ", "Ġ"],
        ["1", "2"],
        ["ä", "¸"],
        ["i", "n"],
    ];
    let bytes = byte_names();
    let merged = merges.iter().map(|pair| pair.concat());
    let vocab: serde_json::Map<_, _> = bytes
        .into_iter()
        .map(String::from)
        .chain(merged)
        .enumerate()
        .map(|(id, token)| (token, id.into()))
        .collect();
    json!({
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
            "use_regex": true},
        "model": {"type": "BPE", "vocab": vocab, "merges": merges.map(|[left, right]| {
            format!("{left} {right}")
        })},
    })
}

/// The characters that stand for the bytes in such a tokenizer: themselves, where they can be
/// seen, the others from U+0100 on.
fn byte_names() -> Vec<char> {
    let mut unseen = 0x100..;
    let names = (0_u8..=255).map(|byte| match byte {
        b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF => Some(byte.into()),
        _ => unseen.next().and_then(char::from_u32),
    });
    names.flatten().collect()
}
