use std::fmt;
use std::sync::Arc;

use contextfit_core::budget::{BudgetError, BudgetRules, OversizedOutput, Window};
use contextfit_core::cut::{ClipToolResults, CutPolicy, Enough, RecentBudget, TopicAndRecent};
use contextfit_core::estimate::{CharEstimator, Estimator};
use contextfit_core::plan::SummaryCost;
use contextfit_core::request::Native;
use contextfit_core::table::Pins;
use contextfit_core::trigger::Trigger;

use super::refused::RefusedJobs;
use super::settings::{
    FailedSummary, OversizedFixedPart, Replay, Schemas, Settings, SplitTurn, SummaryBound,
    UnknownWindow, WhenStuck, WithoutNumbers,
};
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
    /// The topic and what fits of the newest messages into half of the limit. The default; how
    /// the kerness project compacts.
    ///
    /// - The task and the last user message are [pinned](Self::pins).
    /// - Without a usable summary the history [stays as it is](FailedSummary::Untouched).
    /// - One [summary](SplitTurn::Together) covers all that is cut.
    /// - Tool schemas [count](Schemas::Counted), and
    ///   [`max_context_tokens`](Self::max_context_tokens) stands for a window that
    ///   [isn't known](UnknownWindow::CallersMaximum).
    /// - After an overflow without numbers, [half](WithoutNumbers::Half) is sent.
    #[must_use]
    pub fn topic_and_half(mut self) -> Self {
        let settings = &mut self.settings;
        settings.pins = Pins::BOTH;
        settings.failed_summary = FailedSummary::Untouched;
        settings.split_turn = SplitTurn::Together;
        settings.summary_bound = SummaryBound::OfOutput;
        settings.schemas = Schemas::Counted;
        settings.unknown_window = UnknownWindow::CallersMaximum;
        settings.without_numbers = WithoutNumbers::Half;
        settings.budget.margin = 0;
        settings.budget.oversized_output = OversizedOutput::Refuse;
        self.policy(TopicAndRecent)
    }

    /// A budget of recent messages, so that a single turn of a hundred tool rounds can be cut; and
    /// if that isn't enough, a total for tool results. How the WeKnora project compacts.
    ///
    /// - Nothing is [pinned](Self::pins).
    /// - Without a usable summary a raw [record](FailedSummary::Archive) stands for what is cut.
    /// - The start of a turn that is cut in two has a summary [of its own](SplitTurn::Apart).
    /// - Tool schemas count [only once a compaction is due](Schemas::AfterTrigger), and a
    ///   request whose window isn't known is [left alone](UnknownWindow::LeaveAlone).
    /// - After an overflow without numbers the request is compacted
    ///   [as usual](WithoutNumbers::AsUsual).
    /// - 4 096 tokens are kept free beside the output that is asked for, and it is
    ///   [lowered](OversizedOutput::Lower) where it doesn't fit.
    #[must_use]
    pub fn recent_budget(mut self) -> Self {
        let settings = &mut self.settings;
        settings.pins = Pins::NONE;
        settings.failed_summary = FailedSummary::Archive;
        settings.split_turn = SplitTurn::Apart;
        settings.summary_bound = SummaryBound::OfReserve {
            most: RecentBudget::KEEP,
        };
        settings.schemas = Schemas::AfterTrigger;
        settings.unknown_window = UnknownWindow::LeaveAlone;
        settings.without_numbers = WithoutNumbers::AsUsual;
        settings.budget.margin = 4_096;
        settings.budget.oversized_output = OversizedOutput::Lower;
        let trim = ClipToolResults::default();
        self.policy(RecentBudget::default().then(trim).enough(Enough::Limit))
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

    /// Tokens kept free beside the output that a request asks for, at most a sixteenth of the
    /// ceiling. 0 unless set.
    #[must_use]
    pub const fn output_margin(mut self, tokens: u64) -> Self {
        self.settings.budget.margin = tokens;
        self
    }

    /// The most messages of a request, system messages included, for providers that count them.
    /// A bound beside the limit in tokens; a compaction aims at the same share of it.
    #[must_use]
    pub const fn max_messages(mut self, messages: usize) -> Self {
        self.settings.budget.max_messages = Some(messages);
        self
    }

    /// When a request that is within its limit is worth compacting all the same. If that fails, or
    /// frees less than the [least gain](Self::least_gain), it is sent as it is. Never unless set.
    ///
    /// ```
    /// use contextfit_core::trigger::Trigger;
    /// use contextfit_tower::Fitter;
    ///
    /// // Tried above three quarters of what fits, and made above nine tenths.
    /// let fitter = Fitter::builder()
    ///     .window(200_000)
    ///     .soft_trigger(Trigger::Share(0.75))
    ///     .hard_trigger(Trigger::Share(0.9))
    ///     .build()?;
    /// # Ok::<(), contextfit_tower::ConfigError>(())
    /// ```
    #[must_use]
    pub fn soft_trigger(mut self, trigger: Trigger) -> Self {
        self.settings.soft_trigger = Some(trigger);
        self
    }

    /// When a request that is within its limit is compacted as if it weren't: without a usable
    /// summary, what is set for a [failed one](Self::failed_summary) is done. Never unless set.
    #[must_use]
    pub fn hard_trigger(mut self, trigger: Trigger) -> Self {
        self.settings.hard_trigger = Some(trigger);
        self
    }

    /// Whether what stands beside the messages counts when it is decided whether a compaction is
    /// due.
    #[must_use]
    pub const fn schemas(mut self, schemas: Schemas) -> Self {
        self.settings.schemas = schemas;
        self
    }

    /// What to do with a request whose model isn't known.
    #[must_use]
    pub const fn unknown_window(mut self, action: UnknownWindow) -> Self {
        self.settings.unknown_window = action;
        self
    }

    /// Which messages stay verbatim by their place.
    #[must_use]
    pub const fn pins(mut self, pins: Pins) -> Self {
        self.settings.pins = pins;
        self
    }

    /// The most tokens of a summary: [`SummaryBound::Tokens`].
    #[must_use]
    pub const fn summary_tokens(self, tokens: u64) -> Self {
        self.summary_bound(SummaryBound::Tokens(tokens))
    }

    /// What the most tokens of a summary follow from.
    #[must_use]
    pub const fn summary_bound(mut self, bound: SummaryBound) -> Self {
        self.settings.summary_bound = bound;
        self
    }

    /// What to do when the cut falls inside a turn.
    #[must_use]
    pub const fn split_turn(mut self, action: SplitTurn) -> Self {
        self.settings.split_turn = action;
        self
    }

    /// Whether tool results in kept messages are clipped where what the policy does isn't enough.
    /// On unless set. What the policy clips is its own affair.
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

    /// The share of the messages' tokens that a compaction must free unless it is what makes the
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

    /// How a request is made smaller when a provider finds it too long and gives no numbers.
    #[must_use]
    pub const fn without_numbers(mut self, action: WithoutNumbers) -> Self {
        self.settings.without_numbers = action;
        self
    }

    /// Whether a request that overflowed and can't be made smaller is sent once more as it was.
    /// Off unless set: the provider would find it too long again, and be paid for it.
    #[must_use]
    pub const fn resend_unchanged(mut self, resend: bool) -> Self {
        self.settings.resend_unchanged = resend;
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
        let settings = &self.settings;
        let models = match (
            self.models,
            settings.unknown_window,
            settings.budget.max_context,
        ) {
            (Some(models), ..) => models,
            // Every window is unknown, and the maximum stands for it.
            (None, UnknownWindow::CallersMaximum, Some(_)) => Box::new(ModelTable::new()),
            (None, ..) => return Err(ConfigError::NoWindow),
        };
        let replay = match self.settings.replay {
            Replay::WhenAbove(share) => share,
            Replay::Always | Replay::Never => 0.0,
        };
        if let SummaryBound::Tokens(tokens) = self.settings.summary_bound
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
        for (setting, trigger) in [
            ("soft_trigger", &self.settings.soft_trigger),
            ("hard_trigger", &self.settings.hard_trigger),
        ] {
            if let Some(share) = trigger.as_ref().and_then(Trigger::misfit) {
                return Err(ConfigError::NotAShare { setting, share });
            }
        }
        let rules: &BudgetRules = &self.settings.budget;
        if let Some(most) = rules.max_context {
            rules.check(Window::new(most))?;
        }
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
                refused: RefusedJobs::default(),
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
    #[error("no context window is known: set `window`, `models` or `max_context_tokens`")]
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
