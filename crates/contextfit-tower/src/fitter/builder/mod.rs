mod build;
mod error;
mod presets;
mod settings;
mod strategies;
mod summaries;

pub use self::error::ConfigError;

use std::fmt;
use std::sync::Arc;

use contextfit_core::cut::{CutPolicy, TopicAndRecent};
use contextfit_core::estimate::{CharEstimator, Estimator};
use contextfit_core::request::Native;
use contextfit_core::summary::{EnvelopeKeys, LedgerRules};

use super::settings::Settings;
use crate::summarize::SummarySettings;
use crate::{Calibrator, Models, Observer, Summarizer};

/// Builds a [`Fitter`](crate::Fitter).
///
/// Only the window is needed, of one model or of several:
///
/// ```
/// use contextfit_tower::{Fitter, ModelSpec, ModelTable};
///
/// let one = Fitter::builder().window(128_000).build()?;
/// let several = Fitter::builder()
///     .models(ModelTable::new().model("a", ModelSpec::new(200_000)))
///     .recent_budget()
///     .reserve(8_000)
///     .build()?;
/// # Ok::<(), contextfit_tower::ConfigError>(())
/// ```
pub struct FitterBuilder<A = Native> {
    models: Option<Box<dyn Models>>,
    estimator: Arc<dyn Estimator>,
    policy: Box<dyn CutPolicy>,
    summarizer: Option<Arc<dyn Summarizer>>,
    summaries: SummarySettings,
    observer: Box<dyn Observer>,
    calibrator: Option<Calibrator>,
    keys: Option<EnvelopeKeys>,
    ledger: LedgerRules,
    settings: Settings,
    adapter: A,
}

impl Default for FitterBuilder {
    fn default() -> Self {
        Self {
            models: None,
            estimator: Arc::new(CharEstimator::default()),
            policy: Box::new(TopicAndRecent),
            summarizer: None,
            summaries: SummarySettings::default(),
            observer: Box::new(()),
            calibrator: None,
            keys: None,
            ledger: LedgerRules::default(),
            settings: Settings::default(),
            adapter: Native,
        }
    }
}

impl<A> fmt::Debug for FitterBuilder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FitterBuilder")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
