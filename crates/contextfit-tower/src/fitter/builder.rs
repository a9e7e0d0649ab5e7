use std::fmt;
use std::sync::Arc;

use contextfit_core::budget::{BudgetError, BudgetRules, OversizedOutput, Window};
use contextfit_core::cut::{CutPolicy, RecentBudget, TopicAndRecent};
use contextfit_core::estimate::{CharEstimator, Estimator};
use contextfit_core::plan::SummaryCost;
use contextfit_core::request::Native;
use contextfit_core::table::Pins;

use super::settings::{FailedSummary, OversizedFixedPart, Replay, Settings, WhenStuck};
use super::{Fitter, Shared};
use crate::overflow::Learned;
use crate::{ModelSpec, ModelTable, Models, Observer, Summarizer};

/// Builds a [`Fitter`].
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
    observer: Box<dyn Observer>,
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
            observer: Box::new(()),
            settings: Settings::default(),
            adapter: Native,
        }
    }
}

/// Presets: a policy and the settings that go with it. Later calls change single settings.
impl<A> FitterBuilder<A> {
    /// The topic and what fits of the newest messages into half of the limit. The task and the
    /// last user message are pinned, and without a summary the history stays as it is. The
    /// default; how the kerness project compacts.
    #[must_use]
    pub fn topic_and_half(mut self) -> Self {
        self.settings.pins = Pins::BOTH;
        self.settings.failed_summary = FailedSummary::Untouched;
        self.policy(TopicAndRecent)
    }

    /// A budget of recent messages and nothing pinned, so that a single turn of a hundred tool
    /// rounds can be cut. Without a summary the messages are left out all the same. How the
    /// WeKnora project compacts.
    #[must_use]
    pub fn recent_budget(mut self) -> Self {
        self.settings.pins = Pins::NONE;
        self.settings.failed_summary = FailedSummary::Omit;
        self.policy(RecentBudget::default())
    }
}

/// Strategies.
impl<A> FitterBuilder<A> {
    /// One window for every model, in tokens.
    #[must_use]
    pub fn window(self, window: impl Into<Window>) -> Self {
        self.models(ModelTable::new().otherwise(ModelSpec::new(window)))
    }

    /// What is known of each model.
    #[must_use]
    pub fn models(mut self, models: impl Models + 'static) -> Self {
        self.models = Some(Box::new(models));
        self
    }

    /// What counts tokens for models that bring no estimator of their own. Four characters to
    /// a token unless set.
    #[must_use]
    pub fn estimator(mut self, estimator: impl Estimator + 'static) -> Self {
        self.estimator = Arc::new(estimator);
        self
    }

    /// What decides which messages to cut.
    #[must_use]
    pub fn policy(mut self, policy: impl CutPolicy + 'static) -> Self {
        self.policy = Box::new(policy);
        self
    }

    /// What writes summaries. Without one, messages that are cut are left out, with a notice
    /// in their place.
    #[must_use]
    pub fn summarizer(mut self, summarizer: impl Summarizer + 'static) -> Self {
        self.summarizer = Some(Arc::new(summarizer));
        self
    }

    /// Who hears of every decision.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// What knows the request's type. [`Native`] unless set.
    #[must_use]
    pub fn adapter<B>(self, adapter: B) -> FitterBuilder<B> {
        let Self {
            models,
            estimator,
            policy,
            summarizer,
            observer,
            settings,
            adapter: _,
        } = self;
        FitterBuilder {
            models,
            estimator,
            policy,
            summarizer,
            observer,
            settings,
            adapter,
        }
    }
}

/// Settings.
impl<A> FitterBuilder<A> {
    /// Whether requests are fitted before they are sent. Off, they go through untouched, and no
    /// summary is asked for; recovery from an overflow is a switch of its own, see
    /// [`replay`](Self::replay).
    #[must_use]
    pub const fn enabled(mut self, enabled: bool) -> Self {
        self.settings.enabled = enabled;
        self
    }

    /// The most tokens of any window to use.
    #[must_use]
    pub const fn max_context_tokens(mut self, tokens: u64) -> Self {
        self.settings.budget.max_context = Some(tokens);
        self
    }

    /// Tokens kept free for the reply when the request asks for fewer. min(16 384, window ⁄ 4)
    /// unless set.
    #[must_use]
    pub const fn reserve(mut self, tokens: u64) -> Self {
        self.settings.budget.reserve = Some(tokens);
        self
    }

    /// What to do when the output that a request asks for leaves no room for its messages.
    #[must_use]
    pub const fn oversized_output(mut self, action: OversizedOutput) -> Self {
        self.settings.budget.oversized_output = action;
        self
    }

    /// The share of the limit that a compaction aims at: above 0, at most 1. Half unless set,
    /// so that the requests that follow fit without another one.
    #[must_use]
    pub const fn target(mut self, share: f64) -> Self {
        self.settings.budget.target = share;
        self
    }

    /// Which messages stay verbatim by their place.
    #[must_use]
    pub const fn pins(mut self, pins: Pins) -> Self {
        self.settings.pins = pins;
        self
    }

    /// The most tokens of a summary, never more than a quarter of the limit. Unless set:
    /// max(1 024, ⅘ of the output of the summarizer's model), which counts as 4 096 tokens where
    /// it isn't known.
    #[must_use]
    pub const fn summary_tokens(mut self, tokens: u64) -> Self {
        self.settings.summary_tokens = Some(tokens);
        self
    }

    /// Whether tool results in kept messages are clipped where cutting isn't enough. On unless
    /// set.
    #[must_use]
    pub const fn clip_tool_results(mut self, clip: bool) -> Self {
        self.settings.clip_tool_results = clip;
        self
    }

    /// Whether a message of the user that is kept, or pinned, may be clipped as a last resort.
    /// Off unless set: then such a request is [stuck](WhenStuck).
    #[must_use]
    pub const fn clip_user_messages(mut self, clip: bool) -> Self {
        self.settings.clip_user_messages = clip;
        self
    }

    /// The share of the messages' tokens that a compaction must free if it can't make the
    /// request fit; one that frees less isn't paid for. 0.05 unless set.
    #[must_use]
    pub const fn least_gain(mut self, share: f64) -> Self {
        self.settings.least_gain = share;
        self
    }

    /// What to do when there is no usable summary.
    #[must_use]
    pub const fn failed_summary(mut self, action: FailedSummary) -> Self {
        self.settings.failed_summary = action;
        self
    }

    /// What to do with a request that is over its limit whatever is cut.
    #[must_use]
    pub const fn when_stuck(mut self, action: WhenStuck) -> Self {
        self.settings.when_stuck = action;
        self
    }

    /// What to do with a request whose fixed part alone is as large as the window.
    #[must_use]
    pub const fn oversized_fixed_part(mut self, action: OversizedFixedPart) -> Self {
        self.settings.oversized_fixed_part = action;
        self
    }

    /// When to keep a copy of a request, to resend it after an overflow.
    #[must_use]
    pub const fn replay(mut self, replay: Replay) -> Self {
        self.settings.replay = replay;
        self
    }
}

impl<A> FitterBuilder<A> {
    /// Builds the fitter.
    ///
    /// # Errors
    ///
    /// No window is set, or a setting can't work for a window.
    pub fn build(self) -> Result<Fitter<A>, ConfigError> {
        let models = self.models.ok_or(ConfigError::NoWindow)?;
        let replay = match self.settings.replay {
            Replay::WhenAbove(share) => share,
            Replay::Always | Replay::Never => 0.0,
        };
        if let Some(tokens) = self.settings.summary_tokens
            && tokens < SummaryCost::LEAST
        {
            let least = SummaryCost::LEAST;
            return Err(ConfigError::SummaryTooShort { tokens, least });
        }
        for (setting, share, least) in [
            ("replay", replay, 0.0),
            ("target", self.settings.budget.target, f64::MIN_POSITIVE),
            ("least_gain", self.settings.least_gain, 0.0),
        ] {
            if !(least..=1.0).contains(&share) {
                return Err(ConfigError::NotAShare { setting, share });
            }
        }
        let rules: &BudgetRules = &self.settings.budget;
        models
            .known()
            .iter()
            .try_for_each(|model| rules.check(model.window))?;
        Ok(Fitter {
            shared: Arc::new(Shared {
                models,
                estimator: self.estimator,
                policy: self.policy,
                summarizer: self.summarizer,
                observer: self.observer,
                settings: self.settings,
                learned: Learned::default(),
            }),
            adapter: self.adapter,
        })
    }
}

impl<A> fmt::Debug for FitterBuilder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FitterBuilder")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Settings that can't work.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Neither a window nor models are set.
    #[error("no context window is known: set `window` or `models`")]
    NoWindow,
    /// The reserve leaves nothing of a window, or a window is empty.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The bound of a summary leaves no room to say anything.
    #[error(
        "a summary of {tokens} tokens says nothing: allow at least {least}, or set no summarizer"
    )]
    SummaryTooShort {
        /// The bound that was set.
        tokens: u64,
        /// The least bound there is.
        least: u64,
    },
    /// A share is not between 0 and 1.
    #[error("`{setting}` is a share of 1, and {share} isn't one")]
    NotAShare {
        /// The setting.
        setting: &'static str,
        /// What it was set to.
        share: f64,
    },
}
