//! What is known of each model: its window, its prices, and the estimator that counts for it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use contextfit_core::budget::Window;
use contextfit_core::estimate::Estimator;

use crate::Prices;

/// Knows the models that requests may name.
///
/// The model of each request decides, so that a conversation may move to a model with a
/// smaller window. A model nobody knows is an error or an explicit default, never a guess.
pub trait Models: Send + Sync {
    /// What is known of a model. `None` stands for a request that names none.
    ///
    /// # Errors
    ///
    /// The model isn't known.
    fn resolve(&self, model: Option<&str>) -> Result<ModelSpec, UnknownModel>;

    /// All models known up front, so that settings that can't work for one of them are
    /// refused when the [`Fitter`](crate::Fitter) is built.
    fn known(&self) -> Vec<ModelSpec> {
        Vec::new()
    }
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        impl<M: Models + ?Sized> Models for $pointer {
            fn resolve(&self, model: Option<&str>) -> Result<ModelSpec, UnknownModel> {
                (**self).resolve(model)
            }

            fn known(&self) -> Vec<ModelSpec> {
                (**self).known()
            }
        }
    )*};
}
forward_to_inner!(Arc<M>, Box<M>);

/// What is known of one model.
#[derive(Clone)]
#[non_exhaustive]
pub struct ModelSpec {
    /// The tokens it can hold, and the most it writes in one reply.
    pub window: Window,
    /// What counts for it; the fitter's own estimator if `None`.
    pub estimator: Option<Arc<dyn Estimator>>,
    /// What its tokens cost, if that is known. Nothing is decided by it.
    pub prices: Option<Prices>,
}

impl ModelSpec {
    /// A model with a window, counted by the fitter's own estimator.
    ///
    /// ```
    /// use contextfit_tower::ModelSpec;
    ///
    /// let spec = ModelSpec::new(128_000);
    /// assert_eq!(spec.window.total, 128_000);
    /// ```
    pub fn new(window: impl Into<Window>) -> Self {
        Self {
            window: window.into(),
            estimator: None,
            prices: None,
        }
    }

    /// Sets what its tokens cost.
    #[must_use]
    pub fn prices(mut self, prices: impl Into<Prices>) -> Self {
        self.prices = Some(prices.into());
        self
    }

    /// Sets what counts for this model.
    #[must_use]
    pub fn estimator(mut self, estimator: impl Estimator + 'static) -> Self {
        self.estimator = Some(Arc::new(estimator));
        self
    }
}

impl fmt::Debug for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelSpec")
            .field("window", &self.window)
            .field("prices", &self.prices)
            .finish_non_exhaustive()
    }
}

/// A plain table of models that the user fills.
///
/// ```
/// use contextfit_core::estimate::CharEstimator;
/// use contextfit_tower::{ModelSpec, ModelTable, Models};
///
/// let models = ModelTable::new()
///     .model("large", ModelSpec::new(200_000))
///     .model("small", ModelSpec::new(32_000).estimator(CharEstimator::default()));
/// assert_eq!(models.resolve(Some("small"))?.window.total, 32_000);
/// assert!(models.resolve(Some("other")).is_err());
/// # Ok::<(), contextfit_tower::UnknownModel>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelTable {
    models: HashMap<String, ModelSpec>,
    otherwise: Option<ModelSpec>,
}

impl ModelTable {
    /// An empty table: every model is unknown.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a model by its exact name.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>, spec: ModelSpec) -> Self {
        self.models.insert(name.into(), spec);
        self
    }

    /// What holds for models that aren't in the table, and for requests that name none.
    #[must_use]
    pub fn otherwise(mut self, spec: ModelSpec) -> Self {
        self.otherwise = Some(spec);
        self
    }
}

impl Models for ModelTable {
    fn resolve(&self, model: Option<&str>) -> Result<ModelSpec, UnknownModel> {
        model
            .and_then(|name| self.models.get(name))
            .or(self.otherwise.as_ref())
            .cloned()
            .ok_or_else(|| UnknownModel::new(model))
    }

    fn known(&self) -> Vec<ModelSpec> {
        self.models
            .values()
            .chain(&self.otherwise)
            .cloned()
            .collect()
    }
}

/// A request names a model that isn't known, or none where one is needed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the window of {} isn't known: add it to the models, or set what holds for others",
    .model.as_deref().map_or_else(|| "a request without a model".to_owned(), |name| format!("the model {name:?}"))
)]
pub struct UnknownModel {
    model: Option<String>,
}

impl UnknownModel {
    /// Nobody knows this model.
    #[must_use]
    pub fn new(model: Option<&str>) -> Self {
        Self {
            model: model.map(str::to_owned),
        }
    }

    /// The name the request gave.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }
}
