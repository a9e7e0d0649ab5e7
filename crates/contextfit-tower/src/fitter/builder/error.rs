use contextfit_core::budget::BudgetError;
use contextfit_core::summary::ShortSecret;

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
    /// Summaries outlive the process, and its own key doesn't.
    #[error(
        "a summary that is read by another process has to be sealed with a key that it knows too: \
         supply `summary_keys`"
    )]
    KeysRequired,
    /// A secret is too short.
    #[error(transparent)]
    ShortSecret(#[from] ShortSecret),
    /// The system has no random bytes for a key of the process's own.
    #[error("the system gives no random bytes ({0}): supply `summary_keys`")]
    NoRandomness(String),
    /// A share is not between 0 and 1.
    #[error("`{setting}` is a share of 1, and {share} isn't one")]
    NotAShare {
        /// The setting.
        setting: &'static str,
        /// What it was set to.
        share: f64,
    },
}
