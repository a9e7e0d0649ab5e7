//! The estimators there are, by name.

use std::sync::Arc;

use contextfit::catalogue::CatalogueEntry;
use contextfit::estimate::{CharEstimator, Estimator, Family, PromptFormat, WeightedEstimator};
use contextfit::{Catalogue, Encoding, TiktokenEstimator};

use crate::args::CountArgs;

/// An estimator with its name.
#[derive(Clone)]
pub(crate) struct Counter {
    pub(crate) name: String,
    pub(crate) estimator: Arc<dyn Estimator>,
    /// Whether it is the very tokenizer of a model.
    pub(crate) exact: bool,
}

/// Nothing counts as was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoCounter {
    /// The catalogue doesn't have the model.
    #[error(
        "the model {model:?} isn't in the catalogue: name one like it ({like}), or choose an --estimator"
    )]
    UnknownModel {
        /// The model.
        model: String,
        /// Some that it has, with names that begin as this one does.
        like: String,
    },
    /// No estimator has this name.
    #[error("there is no estimator {0:?}: choose one of {1}")]
    UnknownEstimator(String, String),
    /// The tokenizer isn't public, or isn't here.
    #[error("there is no exact tokenizer for {0}: leave out --exact")]
    NoTokenizer(String),
}

impl Counter {
    fn char() -> Self {
        Self {
            name: "char".to_owned(),
            estimator: Arc::new(CharEstimator::default()),
            exact: false,
        }
    }

    fn weighted(family: Family) -> Self {
        Self {
            name: format!("weighted-{}", family.name()),
            estimator: Arc::new(WeightedEstimator::new(family)),
            exact: false,
        }
    }

    /// The tokenizer of a family, if it is one of OpenAI's.
    fn tiktoken(family: Family, format: PromptFormat) -> Option<Self> {
        let estimator = TiktokenEstimator::new(Encoding::of_family(family)?);
        Some(Self {
            name: format!("tiktoken-{}", family.name()),
            estimator: Arc::new(estimator.with_format(format)),
            exact: true,
        })
    }

    /// All there are, in the order in which they are shown.
    fn all() -> Vec<Self> {
        let weighted = Family::ALL.map(Self::weighted);
        let tiktoken = Family::ALL
            .into_iter()
            .filter_map(|family| Self::tiktoken(family, PromptFormat::PLAIN));
        std::iter::once(Self::char())
            .chain(weighted)
            .chain(tiktoken)
            .collect()
    }

    /// Those that were asked for.
    pub(crate) fn chosen(args: &CountArgs) -> Result<Vec<Self>, NoCounter> {
        if let Some(model) = &args.model {
            let entry = Catalogue::entry(model);
            let entry = entry.ok_or_else(|| NoCounter::UnknownModel {
                model: model.clone(),
                like: like(model).join(", "),
            })?;
            return Self::of_model(model, entry, args.exact);
        }
        let mut chosen = Self::all();
        let Some(name) = &args.estimator else {
            return Ok(chosen);
        };
        if !chosen.iter().any(|counter| counter.name == *name) {
            let names: Vec<&str> = chosen.iter().map(|counter| &*counter.name).collect();
            return Err(NoCounter::UnknownEstimator(name.clone(), names.join(", ")));
        }
        let vocabulary = vocabulary(name);
        chosen.retain(|counter| {
            let tells =
                args.exact && counter.exact && self::vocabulary(&counter.name) == vocabulary;
            counter.name == *name || tells
        });
        if args.exact && !chosen.iter().any(|counter| counter.exact) {
            return Err(NoCounter::NoTokenizer(name.clone()));
        }
        Ok(chosen)
    }

    /// The one that the catalogue names for a model, and its tokenizer.
    fn of_model(model: &str, entry: &CatalogueEntry, exact: bool) -> Result<Vec<Self>, NoCounter> {
        let mut chosen = vec![Self {
            estimator: entry.estimator(),
            ..Self::weighted(entry.family)
        }];
        if exact {
            let tokenizer = Self::tiktoken(entry.family, entry.format());
            let none = || NoCounter::NoTokenizer(format!("the model {model:?}"));
            chosen.push(tokenizer.ok_or_else(none)?);
        }
        Ok(chosen)
    }
}

/// The vocabulary that an estimator is for, by its name; OpenAI's newest for one that is for none.
pub(crate) fn vocabulary(name: &str) -> &str {
    name.split_once('-')
        .map_or("o200k", |(_, vocabulary)| vocabulary)
}

/// Some models of the catalogue whose names begin as this one does, those that share most first.
fn like(model: &str) -> Vec<&'static str> {
    let shared = |name: &str| {
        name.bytes()
            .zip(model.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let entries = Catalogue::entries().iter().map(|entry| &*entry.name);
    let mut names: Vec<&str> = entries.collect();
    names.sort_by_key(|name| std::cmp::Reverse(shared(name)));
    names.truncate(4);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_like_another_is_named() {
        assert!(
            like("gpt-5-some-new-thing")
                .iter()
                .all(|name| name.starts_with("gpt-5"))
        );
        assert!(like("claude-opus-9").contains(&"claude-opus-4-6"));
    }
}
