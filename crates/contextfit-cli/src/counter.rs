//! The estimators there are, by name.

use std::sync::Arc;

use contextfit::catalogue::CatalogueEntry;
use contextfit::estimate::{CharEstimator, Estimator, Family, WeightedEstimator};
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
    #[error("the model {0:?} isn't in the catalogue: name one like it, or choose an --estimator")]
    UnknownModel(String),
    /// No estimator has this name.
    #[error("there is no estimator {0:?}: choose one of {1}")]
    UnknownEstimator(String, String),
    /// The tokenizer of the model isn't public, or isn't here.
    #[error("there is no exact tokenizer for the model {0:?}: leave out --exact")]
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

    fn tiktoken(encoding: Encoding) -> Self {
        Self {
            name: format!("tiktoken-{}", short(encoding)),
            estimator: Arc::new(TiktokenEstimator::new(encoding)),
            exact: true,
        }
    }

    /// All there are, in the order in which they are shown.
    fn all() -> Vec<Self> {
        let weighted = Family::ALL.map(Self::weighted);
        let tiktoken = [Encoding::O200kBase, Encoding::Cl100kBase].map(Self::tiktoken);
        std::iter::once(Self::char())
            .chain(weighted)
            .chain(tiktoken)
            .collect()
    }

    /// Those that were asked for.
    pub(crate) fn chosen(args: &CountArgs) -> Result<Vec<Self>, NoCounter> {
        if let Some(model) = &args.model {
            let entry = Catalogue::entry(model);
            let entry = entry.ok_or_else(|| NoCounter::UnknownModel(model.clone()))?;
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
        chosen.retain(|counter| counter.name == *name || args.exact && counter.exact);
        Ok(chosen)
    }

    /// The one that the catalogue names for a model, and its tokenizer.
    fn of_model(model: &str, entry: &CatalogueEntry, exact: bool) -> Result<Vec<Self>, NoCounter> {
        let mut chosen = vec![Self {
            estimator: entry.estimator(),
            ..Self::weighted(entry.family)
        }];
        if exact {
            let encoding = Encoding::of_family(entry.family);
            let encoding = encoding.ok_or_else(|| NoCounter::NoTokenizer(model.to_owned()))?;
            let estimator = TiktokenEstimator::new(encoding).with_format(entry.format());
            chosen.push(Self {
                estimator: Arc::new(estimator),
                ..Self::tiktoken(encoding)
            });
        }
        Ok(chosen)
    }
}

/// The name of an encoding, as families are named.
const fn short(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Cl100kBase => "cl100k",
        _ => "o200k",
    }
}
