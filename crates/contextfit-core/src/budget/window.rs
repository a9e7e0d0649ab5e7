/// The tokens a model can hold.
///
/// ```
/// use contextfit_core::budget::Window;
///
/// let usual = Window::from(128_000);
/// let split = Window::new(400_000).input_limit(272_000);
/// assert_eq!(usual.total, 128_000);
/// assert_eq!(split.input, Some(272_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Window {
    /// Input and output together.
    pub total: u64,
    /// The input alone, where the model has a limit of its own for it.
    pub input: Option<u64>,
}

impl Window {
    /// A window of so many tokens for input and output together.
    #[must_use]
    pub const fn new(total: u64) -> Self {
        Self { total, input: None }
    }

    /// Sets a limit for the input alone.
    #[must_use]
    pub const fn input_limit(mut self, tokens: u64) -> Self {
        self.input = Some(tokens);
        self
    }
}

impl From<u64> for Window {
    fn from(total: u64) -> Self {
        Self::new(total)
    }
}
