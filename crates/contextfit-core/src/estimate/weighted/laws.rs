//! What holds for any text.

use proptest::prelude::*;

use super::WeightedEstimator;
use crate::estimate::{Estimator, Family, TokenCount};
use crate::request::{Piece, Str};

/// Tokens that the counts of two parts may come to more or less than that of the whole: what comes
/// before a byte matters for as many as it takes to forget it. A run that repeats something short may
/// go on as it is read at its start, so that half of the second part's tokens may come or go besides.
const SEAM: u64 = 64;

fn count(family: Family, text: &str) -> TokenCount {
    WeightedEstimator::new(family).count_text(Str::plain(text))
}

fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Every character as `\uXXXX`.
fn escaped_hard(text: &str) -> String {
    text.encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect()
}

/// Texts of several blocks, that are random, or repeat something short.
fn long_text() -> impl Strategy<Value = String> {
    long_text_repeating(|text| text)
}

/// The same, but nothing that repeats letters of both cases: as it begins, such a run is read as words
/// in camel case or as letters at random, and it goes on so (`aaAaaA`, `aAaaAa`).
fn long_text_of_one_reading() -> impl Strategy<Value = String> {
    long_text_repeating(|text| text.to_lowercase())
}

fn long_text_repeating(unit: fn(String) -> String) -> impl Strategy<Value = String> {
    let random = prop::collection::vec(any::<String>(), 0..60).prop_map(|parts| parts.concat());
    let words =
        prop::string::string_regex("([a-zA-Zäß0-9_.,:;\"{}\n/+=-]{1,12} ?){0,600}").unwrap();
    let repeated = (any::<String>(), 0..3_000_usize).prop_map(move |(text, times)| {
        let text: String = text.chars().take(3).collect();
        unit(text).repeat(times)
    });
    prop_oneof![random, words, repeated]
}

fn family() -> impl Strategy<Value = Family> {
    prop::sample::select(&Family::ALL[..])
}

#[test]
fn no_text_has_no_tokens() {
    for family in Family::ALL {
        assert_eq!(count(family, ""), TokenCount::ZERO);
    }
}

#[test]
fn headroom_is_added_in_percent() {
    let text = Str::plain("What is a token? It depends on whom you ask.");
    let estimator = WeightedEstimator::new(Family::Qwen);
    let roomy = estimator.with_headroom(50).count_text(text);
    let plain = estimator.count_text(text);
    assert_eq!(roomy.ceil(), (plain + plain + plain).ceil().div_ceil(2));
}

#[test]
fn a_piece_costs_what_its_texts_do() {
    let estimator = WeightedEstimator::new(Family::Cl100k);
    let texts = [
        Str::plain("call_1"),
        Str::plain("read"),
        Str::escaped(r#"{\"path\":1}"#),
    ];
    let [id, name, arguments] = texts;
    let call = Piece::ToolCall {
        id,
        name,
        arguments,
    };
    let sum: TokenCount = texts.iter().map(|&text| estimator.count_text(text)).sum();
    assert_eq!(estimator.count(call), sum);
}

#[test]
fn long_runs_cost_as_much_per_byte_as_short_ones() {
    for unit in [
        "a", " ", "\n", "=", "7", "A", "漢", "가", "ж", "🦀", "é", "k3Q",
    ] {
        for family in Family::ALL {
            let short = count(family, &unit.repeat(1_000)).ceil();
            let long = count(family, &unit.repeat(100_000)).ceil();
            let exact = short * 100;
            // What a run begins with weighs more or less; a thousand bytes may be all of two blocks.
            assert!(
                long.abs_diff(exact) * 20 <= exact + 20 * 100 * SEAM,
                "{unit:?} {long} {exact}"
            );
        }
    }
}

proptest! {
    #[test]
    fn a_text_counts_alike_plain_and_escaped(text in long_text(), family in family()) {
        let estimator = WeightedEstimator::new(family);
        let plain = estimator.count_text(Str::plain(&text));
        for literal in [escaped(&text), escaped_hard(&text)] {
            prop_assert_eq!(estimator.count_text(Str::escaped(&literal)), plain);
        }
    }

    #[test]
    fn more_text_never_has_fewer_tokens(text in long_text(), more in long_text(), family in family()) {
        let whole = count(family, &format!("{text}{more}"));
        prop_assert!(whole >= count(family, &text));
    }

    #[test]
    fn parts_cost_together_what_the_whole_does(
        text in long_text(),
        more in long_text_of_one_reading(),
        family in family(),
    ) {
        let whole = count(family, &format!("{text}{more}"));
        let parts = count(family, &text) + count(family, &more);
        let slack = TokenCount::tokens(SEAM) + count(family, &more).scaled(1, 2);
        prop_assert!(whole <= parts + slack && parts <= whole + slack, "{:?} {:?}", whole, parts);
    }

    #[test]
    fn no_literal_panics(literal in r#"(\\|u|[0-9a-fD]|"|é|a{0,700}){0,40}"#, family in family()) {
        let estimator = WeightedEstimator::new(family);
        let _ = estimator.count_text(Str::escaped(&literal));
    }
}
