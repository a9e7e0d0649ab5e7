use std::fmt;
use std::sync::{Arc, OnceLock};

use contextfit_core::estimate::{Estimator, WeightedEstimator};

use super::CatalogueEntry;
use super::data::BUILT_IN;

type Choose = dyn Fn(&CatalogueEntry) -> Arc<dyn Estimator> + Send + Sync;

/// The estimators of the built-in models. Each is made when its model is first asked for, and then
/// kept: one that remembers what it counted has to.
#[derive(Clone)]
pub(super) struct Estimators {
    choose: Arc<Choose>,
    made: Arc<[OnceLock<Arc<dyn Estimator>>]>,
}

impl Estimators {
    pub(super) fn new(
        choose: impl Fn(&CatalogueEntry) -> Arc<dyn Estimator> + Send + Sync + 'static,
    ) -> Self {
        Self {
            choose: Arc::new(choose),
            made: BUILT_IN.entries.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The estimator of the entry at a place.
    pub(super) fn of(&self, position: usize) -> Option<Arc<dyn Estimator>> {
        let entry = BUILT_IN.entries.get(position)?;
        let made = self.made.get(position)?;
        Some(Arc::clone(made.get_or_init(|| (self.choose)(entry))))
    }
}

impl Default for Estimators {
    fn default() -> Self {
        Self::new(CatalogueEntry::estimator)
    }
}

impl fmt::Debug for Estimators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Estimators").finish_non_exhaustive()
    }
}

impl CatalogueEntry {
    /// What counts for the model unless something else is chosen.
    #[must_use]
    pub fn estimator(&self) -> Arc<dyn Estimator> {
        Arc::new(WeightedEstimator::new(self.family).with_format(self.format()))
    }
}
