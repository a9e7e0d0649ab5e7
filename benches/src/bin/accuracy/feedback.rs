//! How well the next prompt is predicted once its provider's counts are heeded.

use std::error::Error;
use std::fs;
use std::path::Path;

use contextfit_benches::{Errors, Reported, play};
use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::estimate::{CharEstimator, Estimator, Family, WeightedEstimator};
use serde::Deserialize;

use crate::corpus::{Corpus, Sample};

/// The kinds of text that the conversations are made of.
const MIXES: [&[&str]; 15] = [
    &["en_prose", "markdown"],
    &["en_prose", "rust_code", "logs"],
    &["markdown", "py_code", "json_dense"],
    &["zh_prose", "zh"],
    &["ja_prose", "py_code"],
    &["ko", "json_dense"],
    &["ru", "en_prose"],
    &["json_dense", "logs", "uuid_hex"],
    &["en_prose", "zh"],
    &["base64", "en_prose"],
    &["hi", "en_prose"],
    &["th"],
    &["ar"],
    &["fr_de_es"],
    &["csv_nums", "en_prose"],
];
/// Conversations of each mix.
const CONVERSATIONS: usize = 8;
/// Requests of a conversation.
const TURNS: usize = 12;
/// Tokens of each prompt that nobody sees: a template, tools of the provider.
const HIDDEN: u64 = 800;
/// Tokens of a message's framing.
const FRAMING: u64 = 4;
/// Percent of the whole prompt, from the second request on.
const GOAL: f64 = 1.0;

/// Plays conversations of the corpus against a provider that counts exactly.
pub(crate) fn simulated(corpus: &Corpus) {
    println!("\n## The next prompt, predicted, in % of what is counted then");
    println!(
        "\n{} conversations of {TURNS} requests, {HIDDEN} hidden tokens; from the second request on",
        MIXES.len() * CONVERSATIONS
    );
    println!("\n{:12}{:>34}{:>34}", "", "4 characters", "weighted");
    println!(
        "{:12}{:>17}{:>17}{:>17}{:>17}",
        "", "alone", "calibrated", "alone", "calibrated"
    );
    for family in Family::ALL {
        let chars = over_all(corpus, family, CharEstimator::default());
        let weighted = over_all(corpus, family, WeightedEstimator::new(family));
        let cells = [
            &chars.before,
            &chars.after,
            &weighted.before,
            &weighted.after,
        ];
        let cells: String = cells.map(|errors| cell(errors)).concat();
        let missed = family != Family::Widest && mean(&weighted.after) > GOAL;
        println!(
            "{:12}{cells}{}",
            family.name(),
            if missed { "  over the goal" } else { "" }
        );
    }
    println!(
        "\ngoal: {GOAL} % mean, weighted and calibrated (the widest is for unknown tokenizers)"
    );
}

fn over_all<E>(corpus: &Corpus, family: Family, estimator: E) -> Errors
where
    E: Estimator + Clone + 'static,
{
    let mut all = Errors::default();
    for mix in MIXES {
        let samples: Vec<&Sample> = corpus
            .samples
            .iter()
            .filter(|sample| mix.contains(&sample.kind()))
            .collect();
        if samples.is_empty() {
            continue;
        }
        for number in 0..CONVERSATIONS {
            let (chat, reports) = conversation(&samples, number, family);
            let errors = play(&chat, &reports, estimator.clone());
            all.before.extend(errors.before);
            all.after.extend(errors.after);
        }
    }
    all
}

/// One that takes its texts from all over, and what its provider counts of each request.
fn conversation(
    samples: &[&Sample],
    number: usize,
    family: Family,
) -> (ChatRequest, Vec<Reported>) {
    let mut tokens = HIDDEN as f64;
    let (mut messages, mut reports) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        for role in [ChatRole::Assistant, ChatRole::User] {
            if turn == 0 && role == ChatRole::Assistant {
                continue;
            }
            let place = number * 7_919 + messages.len() * 104_729;
            let sample = samples[place % samples.len()];
            tokens += sample.tokens(family) + FRAMING as f64;
            messages.push(match role {
                ChatRole::User => ChatMessage::user(sample.text()),
                _ => ChatMessage::assistant(sample.text()),
            });
        }
        reports.push(Reported {
            messages: messages.len(),
            tokens: tokens as u64,
        });
    }
    (ChatRequest::new("a-model", messages), reports)
}

/// What a provider reported of a recorded session.
#[derive(Deserialize)]
struct Usage {
    messages_before: usize,
    prompt_tokens: u64,
}

/// Predicts what real providers reported, in a folder of transcripts with their usage beside them.
pub(crate) fn recorded(folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("\n## What real providers reported next, in % of it\n");
    println!(
        "{:24}{:>10}{:>17}{:>17}",
        "", "reports", "alone", "calibrated"
    );
    let mut paths: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let Some(name) = name.strip_suffix(".usage.json") else {
            continue;
        };
        let chat: ChatRequest =
            serde_json::from_slice(&fs::read(folder.join(format!("{name}.json")))?)?;
        let usage: Vec<Usage> = serde_json::from_slice(&fs::read(&path)?)?;
        // The system prompt isn't counted among the messages.
        let system = chat
            .messages
            .iter()
            .take_while(|message| message.role == ChatRole::System)
            .count();
        let mut reports: Vec<Reported> = usage
            .iter()
            .map(|usage| Reported {
                messages: system + usage.messages_before,
                tokens: usage.prompt_tokens,
            })
            .collect();
        // One reply is recorded in several parts, each with the same usage.
        reports.dedup_by_key(|report| report.tokens);
        let row = |estimator: &str, errors: Errors| {
            let cells: String = [&errors.before, &errors.after]
                .map(|errors| cell(errors))
                .concat();
            println!(
                "{:24}{:>10}{cells}",
                format!("{name}, {estimator}"),
                errors.after.len()
            );
        };
        row("char", play(&chat, &reports, CharEstimator::default()));
        let weighted = WeightedEstimator::new(Family::Claude);
        row("weighted", play(&chat, &reports, weighted));
    }
    Ok(())
}

/// The mean error, and the one that 95 % are within.
fn cell(errors: &[f64]) -> String {
    let mut sorted: Vec<f64> = errors.iter().map(|error| 100.0 * error.abs()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let p95 = sorted
        .get(sorted.len() * 95 / 100)
        .copied()
        .unwrap_or(f64::NAN);
    format!("{:>9.2} ({p95:5.1})", mean(errors))
}

fn mean(errors: &[f64]) -> f64 {
    100.0 * errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64
}
