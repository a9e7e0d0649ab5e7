use std::sync::Arc;
use std::time::Duration;

use contextfit_core::chat::{ChatMessage, ChatRequest};

use super::{ExactCounter, SimulatedProvider};

/// How a provider counts tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Counting {
    /// As OpenAI's models do, see [`ExactCounter`].
    #[default]
    Exact,
    /// So many times what a client would estimate at four characters a token: a provider
    /// that is off from the client's estimate by a factor a test knows.
    Estimate {
        /// The factor. Anything below 0 counts as 0.
        factor: f64,
    },
}

/// What a provider does with a request that is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overflowing {
    /// Refuses it with status 400, as OpenAI does.
    #[default]
    Refuse,
    /// Drops what doesn't fit and answers, as Ollama does: the usage says that at most the
    /// window was read.
    TruncateSilently,
    /// Answers with nothing, ended by the length: the usage says that the prompt was all of
    /// the window.
    FullWindow,
}

/// How a provider answers.
pub(super) type Answer = Arc<dyn Fn(&ChatRequest) -> ChatMessage + Send + Sync>;

/// Everything that can be set.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) window: u64,
    pub(super) counter: ExactCounter,
    pub(super) counting: Counting,
    pub(super) hidden_tokens: u64,
    pub(super) check_structure: bool,
    pub(super) overflowing: Overflowing,
    pub(super) overflow_calls: usize,
    /// How many calls pass before all fail, and the status they fail with.
    pub(super) fail_after: Option<(usize, u16)>,
    pub(super) delay: Duration,
    pub(super) answer: Answer,
    pub(super) keep: usize,
}

impl Settings {
    pub(super) fn new(window: u64) -> Self {
        Self {
            window,
            counter: ExactCounter::new(),
            counting: Counting::default(),
            hidden_tokens: 0,
            check_structure: true,
            overflowing: Overflowing::default(),
            overflow_calls: 0,
            fail_after: None,
            delay: Duration::ZERO,
            answer: Arc::new(|_| ChatMessage::assistant("Done.")),
            keep: usize::MAX,
        }
    }
}

/// # Settings
impl SimulatedProvider {
    /// A provider of a model that holds so many tokens, input and output together.
    #[must_use]
    pub fn new(window: u64) -> Self {
        Self {
            settings: Settings::new(window),
            record: Arc::default(),
        }
    }

    /// Answers with this text.
    #[must_use]
    pub fn answer(self, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        self.answer_with(move |_| ChatMessage::assistant(Arc::clone(&text)))
    }

    /// Answers with what a closure makes of the request. The answer isn't held to the output
    /// that was asked for.
    #[must_use]
    pub fn answer_with<F>(mut self, answer: F) -> Self
    where
        F: Fn(&ChatRequest) -> ChatMessage + Send + Sync + 'static,
    {
        self.settings.answer = Arc::new(answer);
        self
    }

    /// Sets how it counts tokens, those of the prompt and those of the answer.
    #[must_use]
    pub fn counting(mut self, counting: Counting) -> Self {
        self.settings.counting = counting;
        self
    }

    /// Sets the exact counter, to share its memory with other providers.
    #[must_use]
    pub fn counter(mut self, counter: ExactCounter) -> Self {
        self.settings.counter = counter;
        self
    }

    /// Adds tokens to every prompt that the client knows nothing of, as a template of the chat
    /// does, or a tool of the provider's own.
    #[must_use]
    pub fn hidden_tokens(mut self, tokens: u64) -> Self {
        self.settings.hidden_tokens = tokens;
        self
    }

    /// Sets whether it checks how a conversation is put together; on unless set.
    #[must_use]
    pub fn check_structure(mut self, check: bool) -> Self {
        self.settings.check_structure = check;
        self
    }

    /// Sets what it does with a request that is too long.
    #[must_use]
    pub fn overflow(mut self, overflowing: Overflowing) -> Self {
        self.settings.overflowing = overflowing;
        self
    }

    /// Lets the first `calls` calls overflow, whatever they are.
    ///
    /// A prompt that would fit is then said to be a token more than the window.
    #[must_use]
    pub fn overflow_calls(mut self, calls: usize) -> Self {
        self.settings.overflow_calls = calls;
        self
    }

    /// Lets every call after the first `calls` fail with this status.
    #[must_use]
    pub fn fail_after(mut self, calls: usize, status: u16) -> Self {
        self.settings.fail_after = Some((calls, status));
        self
    }

    /// Holds every reply back for so long, by the timer of tokio.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.settings.delay = delay;
        self
    }

    /// Keeps only the last `calls` calls in the record, for long replays. The totals count all.
    #[must_use]
    pub fn keep_last(mut self, calls: usize) -> Self {
        self.settings.keep = calls;
        self
    }
}
