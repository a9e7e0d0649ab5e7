use std::hint::black_box;

use contextfit_benches::{chars, history, texts};
use contextfit_core::estimate::{Family, WeightedEstimator};
use contextfit_core::request::Str;

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{row, title};

/// Bytes of each text, and how many times longer than counting characters weighing may take.
const SIZES: [(usize, f64); 6] = [
    (256, 80.0),
    (1_024, 80.0),
    (2_048, 80.0),
    (4_096, 40.0),
    (65_536, 40.0),
    (1_048_576, 40.0),
];
/// How many times longer than weighing a tokenizer should take, if weighing is to be worth it.
const TOKENIZER: Goal = Goal::AtLeast(20.0);
const TOKENIZED: usize = 8_192;
const ROUNDS: usize = 100;

/// The weighted estimator, against a count of characters and against a tokenizer.
pub(crate) fn print() {
    let request = history(3_600, 1_000_000);
    let text = texts(&request).concat();
    title("Weighing texts, in times of counting their characters");
    for (size, most) in SIZES {
        let pieces = pieces(&text, size);
        let mut all = Comparison::default();
        let counting = all.add("counting", None, || {
            black_box(chars(black_box(&pieces)));
        });
        let goal = Some(Goal::AtMost(most));
        let weighing = all.add(format!("of {size} bytes"), goal, || weigh(&pieces));
        let sides = all.measure(ROUNDS);
        let side = &sides[weighing];
        row(
            &side.name,
            side.times.ratio(&sides[counting].times),
            1,
            side.goal,
        );
    }
    against_tokenizer(&text[..pieces(&text, TOKENIZED)[0].len()]);
}

fn against_tokenizer(text: &str) {
    let tokenizers = [
        ("o200k_base", tiktoken_rs::o200k_base_singleton()),
        ("cl100k_base", tiktoken_rs::cl100k_base_singleton()),
    ];
    let mut all = Comparison::default();
    let weighing = all.add("weighing", None, || weigh(&[text]));
    let exact = tokenizers.map(|(name, tokenizer)| {
        all.add(format!("tiktoken-rs, {name}"), Some(TOKENIZER), || {
            black_box(tokenizer.encode_ordinary(black_box(text)).len());
        })
    });
    let sides = all.measure(ROUNDS);
    title("Counting tokens exactly, in times of weighing the same text");
    for side in exact.map(|exact| &sides[exact]) {
        row(
            &side.name,
            side.times.ratio(&sides[weighing].times),
            1,
            side.goal,
        );
    }
}

fn weigh(texts: &[&str]) {
    let estimator = black_box(WeightedEstimator::new(Family::O200k));
    for text in black_box(texts) {
        black_box(estimator.count_text(Str::plain(text)));
    }
}

/// A megabyte of a text, in pieces of a size.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    let is_end = |&end: &usize| text.is_char_boundary(end);
    let ends = (0..=1_048_576 / size).map(|piece| (piece * size..).find(is_end).unwrap_or(0));
    let ends: Vec<usize> = ends.collect();
    ends.windows(2)
        .map(|ends| &text[ends[0]..ends[1]])
        .collect()
}
