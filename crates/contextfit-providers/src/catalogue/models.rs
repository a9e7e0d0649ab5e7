use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use contextfit_core::estimate::Estimator;
use contextfit_tower::{ModelSpec, Models, UnknownModel};

use super::CatalogueEntry;
use super::data::BUILT_IN;
use super::estimators::Estimators;
use super::name::{normalized, readings};

/// The models of the large providers by name, with entries of yours before them.
///
/// ```
/// use contextfit_core::budget::Window;
/// use contextfit_providers::Catalogue;
/// use contextfit_tower::{ModelSpec, Models};
///
/// let models = Catalogue::builtin()
///     // What you host has the window that you gave it, …
///     .model("llama-3.3-70b-instruct", ModelSpec::new(32_000))
///     // … and another provider may give a model another one.
///     .model("acme/gpt-4o", ModelSpec::new(64_000));
///
/// let spec = models.resolve(Some("openai/gpt-5-2025-08-07"))?;
/// assert_eq!(spec.window, Window::new(400_000).input_limit(272_000).output_limit(128_000));
/// assert_eq!(models.resolve(Some("Llama-3.3-70B-Instruct"))?.window.total, 32_000);
/// assert_eq!(models.resolve(Some("acme/gpt-4o-2024-08-06"))?.window.total, 64_000);
/// assert_eq!(models.resolve(Some("gpt-4o"))?.window.total, 128_000);
///
/// // A model nobody told of is an error, however much its name is like another's …
/// assert!(models.resolve(Some("gpt-5-some-new-thing")).is_err());
/// // … or what you say that it is.
/// let models = models.otherwise_like("gpt-4o")?;
/// assert_eq!(models.resolve(Some("gpt-5-some-new-thing"))?.window.total, 128_000);
/// # Ok::<(), contextfit_tower::UnknownModel>(())
/// ```
///
/// How a name is read is said in the [module](super).
#[derive(Clone, Debug)]
pub struct Catalogue {
    own: HashMap<String, ModelSpec>,
    otherwise: Option<Otherwise>,
    estimators: Estimators,
}

/// What holds for a model that isn't known.
#[derive(Clone, Debug)]
enum Otherwise {
    Spec(ModelSpec),
    /// The same as for the model of this name, which is known.
    Like(String),
}

impl Catalogue {
    /// The models that are built in, and nothing for others.
    #[must_use]
    pub fn builtin() -> Self {
        Self {
            own: HashMap::new(),
            otherwise: None,
            estimators: Estimators::default(),
        }
    }

    /// Adds a model. It goes before the built-in ones, in every spelling of its name.
    ///
    /// What is left open is filled in from the built-in model of that name, if there is one: the
    /// estimator, the prices, and the most it writes.
    #[must_use]
    pub fn model(mut self, name: impl AsRef<str>, spec: ModelSpec) -> Self {
        self.own.insert(normalized(name.as_ref()), spec);
        self
    }

    /// What holds for models that aren't known, and for requests that name none. Without it they
    /// are an error.
    #[must_use]
    pub fn otherwise(mut self, spec: ModelSpec) -> Self {
        self.otherwise = Some(Otherwise::Spec(spec));
        self
    }

    /// For models that aren't known, and for requests that name none, what holds for this one.
    ///
    /// # Errors
    ///
    /// This one isn't known either.
    pub fn otherwise_like(mut self, name: &str) -> Result<Self, UnknownModel> {
        if self.look_up(name).is_none() {
            return Err(UnknownModel::new(Some(name)));
        }
        self.otherwise = Some(Otherwise::Like(name.to_owned()));
        Ok(self)
    }

    /// Chooses what counts for each built-in model. It is asked once for each that is used, at the
    /// first request that names it; what it gives is kept.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use contextfit_core::estimate::{CharEstimator, Family};
    /// use contextfit_providers::Catalogue;
    ///
    /// let usual = Arc::new(CharEstimator::default());
    /// let three = std::num::NonZeroU32::new(3).expect("not zero");
    /// let careful = Arc::new(CharEstimator::new(three));
    /// let models = Catalogue::builtin().estimator_with(move |entry| match entry.family {
    ///     Family::Widest => careful.clone(),
    ///     _ => usual.clone(),
    /// });
    /// ```
    #[must_use]
    pub fn estimator_with(
        mut self,
        choose: impl Fn(&CatalogueEntry) -> Arc<dyn Estimator> + Send + Sync + 'static,
    ) -> Self {
        self.estimators = Estimators::new(choose);
        self
    }

    /// The built-in models.
    #[must_use]
    pub fn entries() -> &'static [CatalogueEntry] {
        &BUILT_IN.entries
    }

    /// The built-in model that a name stands for.
    #[must_use]
    pub fn entry(name: &str) -> Option<&'static CatalogueEntry> {
        let (position, _) = built_in(&normalized(name))?;
        BUILT_IN.entries.get(position)
    }

    /// Where the facts come from: each source by the name that the entries have for it.
    #[must_use]
    pub fn sources() -> &'static BTreeMap<String, String> {
        &BUILT_IN.sources
    }

    fn look_up(&self, name: &str) -> Option<ModelSpec> {
        let name = normalized(name);
        let own = readings(&name).find_map(|reading| self.own.get(reading.name));
        let built_in = built_in(&name).and_then(|(position, tuned)| self.spec(position, tuned));
        match (own.cloned(), built_in) {
            (Some(own), Some(built_in)) => Some(filled(own, built_in)),
            (own, built_in) => own.or(built_in),
        }
    }

    fn spec(&self, position: usize, tuned: bool) -> Option<ModelSpec> {
        let entry = BUILT_IN.entries.get(position)?;
        let mut spec = ModelSpec::new(entry.window);
        spec.estimator = self.estimators.of(position);
        // A tuned model costs more than its base, and how much more isn't known.
        spec.prices = entry.prices.filter(|_| !tuned);
        Some(spec)
    }
}

/// The place of the built-in model that a normalized name stands for, and whether it was tuned.
fn built_in(name: &str) -> Option<(usize, bool)> {
    readings(name).find_map(|reading| {
        let position = BUILT_IN.position(reading.name)?;
        let rolls = BUILT_IN.entries.get(position)?.rolling;
        (!(rolls && reading.dated)).then_some((position, reading.tuned))
    })
}

/// A model of the user's, with what was left open as it is in the built-in one.
fn filled(mut own: ModelSpec, built_in: ModelSpec) -> ModelSpec {
    let most = own.window.total;
    let output = built_in.window.output.filter(|&output| output < most);
    own.window.output = own.window.output.or(output);
    own.estimator = own.estimator.or(built_in.estimator);
    own.prices = own.prices.or(built_in.prices);
    own
}

impl Default for Catalogue {
    fn default() -> Self {
        Self::builtin()
    }
}

impl Models for Catalogue {
    fn resolve(&self, model: Option<&str>) -> Result<ModelSpec, UnknownModel> {
        model
            .and_then(|name| self.look_up(name))
            .or_else(|| match self.otherwise.as_ref()? {
                Otherwise::Spec(spec) => Some(spec.clone()),
                Otherwise::Like(name) => self.look_up(name),
            })
            .ok_or_else(|| UnknownModel::new(model))
    }

    /// The entries of yours, and what holds for other models. Settings needn't work for all that
    /// are built in: nobody uses all of them.
    fn known(&self) -> Vec<ModelSpec> {
        let otherwise = self
            .otherwise
            .as_ref()
            .and_then(|otherwise| match otherwise {
                Otherwise::Spec(spec) => Some(spec.clone()),
                Otherwise::Like(name) => self.look_up(name),
            });
        self.own.values().cloned().chain(otherwise).collect()
    }
}
