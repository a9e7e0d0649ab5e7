/// The tokens a model can hold.
///
/// ```
/// use contextfit_core::budget::Window;
///
/// let usual = Window::from(128_000);
/// let split = Window::new(400_000).input_limit(272_000).output_limit(128_000);
/// assert_eq!(usual.total, 128_000);
/// assert_eq!((split.input, split.output), (Some(272_000), Some(128_000)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Window {
    /// Input and output together.
    pub total: u64,
    /// The input alone, where the model has a limit of its own for it.
    pub input: Option<u64>,
    /// The most the model writes in one reply, where it has a limit of its own for that. No reply
    /// nobody asked the length of gets more of the window than this.
    pub output: Option<u64>,
}

impl Window {
    /// A window of so many tokens for input and output together.
    #[must_use]
    pub const fn new(total: u64) -> Self {
        Self {
            total,
            input: None,
            output: None,
        }
    }

    /// Sets a limit for the input alone.
    #[must_use]
    pub const fn input_limit(mut self, tokens: u64) -> Self {
        self.input = Some(tokens);
        self
    }

    /// Sets a limit for the output alone.
    #[must_use]
    pub const fn output_limit(mut self, tokens: u64) -> Self {
        self.output = Some(tokens);
        self
    }
}

impl From<u64> for Window {
    fn from(total: u64) -> Self {
        Self::new(total)
    }
}
