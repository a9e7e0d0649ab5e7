//! The weighted estimator is near to real tokenizers, on texts that are here.
//!
//! What it was fitted on isn't here, and its figures are measured on far more:
//! `cargo run --release -p contextfit-benches --bin accuracy`. A table that is broken shows here.

use std::path::{Path, PathBuf};

use contextfit_core::estimate::{Family, WeightedEstimator};
use contextfit_core::request::Str;
use contextfit_tests::Writing;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

fn tokenizers() -> [(Family, &'static CoreBPE); 2] {
    [
        (Family::O200k, o200k_base_singleton()),
        (Family::Cl100k, cl100k_base_singleton()),
    ]
}

/// What is estimated, in times of the true count.
fn ratio(family: Family, tokenizer: &CoreBPE, text: &str) -> f64 {
    let estimator = WeightedEstimator::new(family);
    let estimate = estimator.count_text(Str::plain(text)).floor();
    estimate as f64 / tokenizer.encode_ordinary(text).len() as f64
}

/// Files of the repository, by the end of their names.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") {
            files.extend(self::files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            files.push(path);
        }
    }
    files
}

#[test]
fn files_of_the_repository_are_estimated_nearly_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (folder, end, most) in [
        (".", ".md", 0.10),
        ("crates", ".rs", 0.08),
        ("examples/data", ".jsonl", 0.12),
        ("crates/contextfit-providers/tests/data", ".jsonl", 0.12),
    ] {
        let mut text = String::new();
        for file in files(&root.join(folder), end) {
            text += &std::fs::read_to_string(&file).expect("a file of text");
        }
        for (family, tokenizer) in tokenizers() {
            let ratio = ratio(family, tokenizer, &text);
            assert!(
                (ratio - 1.0).abs() <= most,
                "{folder} {end} {family:?}: {ratio:.3}"
            );
        }
    }
}

#[test]
fn every_kind_of_writing_is_estimated_nearly_right() {
    for writing in Writing::ALL {
        let text = writing.text(1, 20_000);
        for (family, tokenizer) in tokenizers() {
            let ratio = ratio(family, tokenizer, &text);
            assert!(
                (ratio - 1.0).abs() <= 0.25,
                "{writing:?} {family:?}: {ratio:.3}"
            );
        }
    }
}

/// What runs of something are estimated at, at the least.
fn runs_are_estimated_at(least: f64, runs: &[&str]) {
    for run in runs {
        let text = run.repeat(2_000);
        for (family, tokenizer) in tokenizers() {
            let ratio = ratio(family, tokenizer, &text);
            assert!(ratio >= least, "{run:?} {family:?}: {ratio:.3}");
        }
    }
}

#[test]
fn no_run_is_estimated_at_less_than_half() {
    runs_are_estimated_at(
        0.5,
        &[
            " ", "\n", "\t", "a", "z", "A", "7", "=", "-", ".", "(", "\"", "_", "#", "\r\n", " \n",
            "é", "ж", "α", "א", "ش", "अ", "あ", "ア", "漢", "가", "ꀀ", "😀", "🏽", "─", "→",
            "\u{200b}", "\u{301}", "𐎀", "𝕬", "\u{0}", "\u{fffd}", "0a", "&", "{", "[]",
        ],
    );
}

#[test]
fn repeated_letters_of_many_scripts_are_estimated_at_half_or_more() {
    runs_are_estimated_at(
        0.5,
        &[
            "ก", "ຆ", "ა", "Ⴞ", "አ", "ጛ", "ཀ", "ក", "ឯ", "မ", "ၼ", "Ա", "դ", "ক", "ৼ", "ਖ਼", "ફ",
            "ଐ", "த", "ஃ", "ఏ", "ತ", "ഹ", "ൿ", "ඒ", "ύ", "ὦ", "ƫ", "ѥ", "ԯ", "ځ", "ḁ", "ư", "ѝ",
            "【", "০",
        ],
    );
}

#[test]
fn letters_in_some_orders_that_no_language_has_are_estimated_at_half_or_more() {
    runs_are_estimated_at(
        0.5,
        &[
            "ab",
            "кгэ",
            "ஜழட",
            "లఠధఝ",
            "ഡഊണഌമ ",
            "ฮฅฒปม",
            "བལཌཨ",
            "ទឱញឆ ",
            "ЁІѲ",
            "ԱկԼֆ",
        ],
    );
}

#[test]
fn the_widest_is_not_below_any_family_within_its_headroom() {
    let widest = WeightedEstimator::new(Family::Widest).with_headroom(Family::Widest.headroom_99());
    for writing in Writing::ALL {
        let text = writing.text(2, 20_000);
        let wide = widest.count_text(Str::plain(&text));
        for family in Family::ALL {
            let count = WeightedEstimator::new(family).count_text(Str::plain(&text));
            assert!(
                wide >= count,
                "{writing:?}: {wide:?}, and {count:?} for {family:?}"
            );
        }
        for (family, tokenizer) in tokenizers() {
            let count = tokenizer.encode_ordinary(&text).len() as u64;
            assert!(
                wide.floor() >= count,
                "{writing:?}: {wide:?}, and {count} by {family:?}"
            );
        }
    }
}
