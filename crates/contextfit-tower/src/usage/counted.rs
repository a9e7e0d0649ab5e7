/// Tokens as a provider counted them, the same for all providers.
///
/// What providers report differs: [`ReportedUsage`](crate::ReportedUsage) makes this of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the prompt, those read from and written to a cache included.
    pub input: u64,
    /// Of these, tokens that were read from a cache.
    pub cached: u64,
    /// Of these, tokens that were written to a cache.
    pub cache_written: u64,
    /// Tokens of output.
    pub output: u64,
    /// Why the model stopped, if the response says.
    pub stop: Option<Stop>,
}

impl Usage {
    /// Usage with the tokens of the prompt and of the output.
    #[must_use]
    pub const fn new(input: u64, output: u64) -> Self {
        Self {
            input,
            cached: 0,
            cache_written: 0,
            output,
            stop: None,
        }
    }

    /// Sets the tokens that were read from a cache.
    #[must_use]
    pub const fn cached(mut self, tokens: u64) -> Self {
        self.cached = tokens;
        self
    }

    /// Sets the tokens that were written to a cache.
    #[must_use]
    pub const fn cache_written(mut self, tokens: u64) -> Self {
        self.cache_written = tokens;
        self
    }

    /// Sets why the model stopped.
    #[must_use]
    pub const fn stop(mut self, stop: Option<Stop>) -> Self {
        self.stop = stop;
        self
    }

    /// What is known after more was told of the same call: numbers only grow.
    #[must_use]
    pub fn updated(self, more: Self) -> Self {
        Self {
            input: self.input.max(more.input),
            cached: self.cached.max(more.cached),
            cache_written: self.cache_written.max(more.cache_written),
            output: self.output.max(more.output),
            stop: more.stop.or(self.stop),
        }
    }

    /// Two calls together. They stopped as the second did.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            cache_written: self.cache_written.saturating_add(other.cache_written),
            output: self.output.saturating_add(other.output),
            stop: other.stop,
        }
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It was done.
    Done,
    /// Its output was full.
    Length,
    /// Its context window was full.
    ContextWindow,
    /// Nothing did: the response ended before it was done.
    Interrupted,
    /// Something else.
    Other,
}
