use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use contextfit_core::estimate::{Family, WeightedEstimator};
use contextfit_core::request::Str;
use serde::Deserialize;

/// The kinds of text that the goals are about.
pub(crate) const KINDS: [&str; 21] = [
    "ar",
    "base64",
    "csv_nums",
    "emoji",
    "en_prose",
    "fr_de_es",
    "hi",
    "ja",
    "ja_prose",
    "json_dense",
    "ko",
    "logs",
    "markdown",
    "py_code",
    "ru",
    "rust_code",
    "th",
    "urls",
    "uuid_hex",
    "zh",
    "zh_prose",
];

/// A text and what tokenizers count.
#[derive(Deserialize)]
pub(crate) struct Sample {
    pub(crate) kind: String,
    #[serde(default)]
    split: String,
    text: String,
    #[serde(flatten)]
    counts: BTreeMap<String, serde_json::Value>,
}

impl Sample {
    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How it begins.
    pub(crate) fn start(&self) -> String {
        self.text.chars().take(12).collect()
    }

    /// The true count; of families with several tokenizers their mean, of the widest the
    /// greatest of all.
    pub(crate) fn tokens(&self, family: Family) -> f64 {
        let count = |name| self.counts.get(name).and_then(serde_json::Value::as_f64);
        let of = |family: Family| count(family.name()).unwrap_or(f64::NAN);
        match family {
            Family::Gemma => {
                count("gemini").map_or(of(family), |gemini| (of(family) + gemini) / 2.0)
            }
            Family::Widest => {
                let gemini = count("gemini").unwrap_or_default();
                Family::ALL.into_iter().map(of).fold(gemini, f64::max)
            }
            _ => of(family),
        }
    }

    /// What is estimated, in times of the true count.
    pub(crate) fn ratio(&self, family: Family) -> f64 {
        // A count is told in whole tokens, but of a hundred times as many.
        let estimator = WeightedEstimator::new(family).with_headroom(9_900);
        let hundredths = estimator.count_text(Str::plain(&self.text)).floor();
        hundredths as f64 / 100.0 / self.tokens(family)
    }
}

/// The texts that aren't for the fit.
pub(crate) struct Corpus {
    pub(crate) samples: Vec<Sample>,
    pub(crate) probes: Vec<Sample>,
}

impl Corpus {
    pub(crate) fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let samples = read(&folder.join("chunks.jsonl"))?;
        let probes = read(&folder.join("probes.jsonl"))?;
        Ok(Self { samples, probes })
    }

    /// The texts of a kind.
    pub(crate) fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Sample> {
        self.samples
            .iter()
            .filter(move |sample| sample.kind == kind)
    }

    /// The kinds that the goals aren't about.
    pub(crate) fn other_kinds(&self) -> BTreeSet<&str> {
        let kinds = self.samples.iter().map(|sample| &*sample.kind);
        kinds.filter(|kind| !KINDS.contains(kind)).collect()
    }
}

fn read(path: &Path) -> Result<Vec<Sample>, Box<dyn Error>> {
    let file = File::open(path).map_err(|error| {
        let path = path.display();
        format!(
            "{path}: {error}. The corpus isn't part of the repository: `tools/estimator-fit/run.sh` \
             fetches it, and a folder other than its own can be given as an argument."
        )
    })?;
    let mut samples = Vec::new();
    for line in BufReader::new(file).lines() {
        let sample: Sample = serde_json::from_str(&line?)?;
        if sample.split == "test" {
            samples.push(sample);
        }
    }
    Ok(samples)
}
