use contextfit_core::budget::BudgetError;

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
