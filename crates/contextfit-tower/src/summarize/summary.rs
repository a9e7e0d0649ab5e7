use std::fmt;
use std::sync::Arc;

use crate::Usage;

/// What a [`Summarizer`](crate::Summarizer) gives back.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The summary.
    pub text: String,
    /// Whether the model stopped because its output was full, or was broken off. Such a summary is
    /// refused.
    pub cut_off: bool,
    /// Whether the model called a tool. It was offered none, so it took the transcript for its own
    /// conversation, and such a summary is refused.
    pub calls_tool: bool,
    /// What the call cost, if the summarizer knows.
    pub usage: Option<Usage>,
    /// Who wrote it: the [model](crate::Summarizer::model) that the summarizer names, unless this says
    /// another one.
    pub model: Option<Arc<str>>,
    /// Messages that it holds as they were said, because nobody summarized them.
    pub archived: usize,
    /// Messages that it says nothing of, because nobody could read them.
    pub omitted: usize,
    /// Whether it is less than a summary of all that it stands for. It is, too, if it archives or
    /// omits any message.
    pub degraded: bool,
}

impl Summary {
    /// A complete summary.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            cut_off: false,
            calls_tool: false,
            usage: None,
            model: None,
            archived: 0,
            omitted: 0,
            degraded: false,
        }
    }

    /// Says who wrote it.
    #[must_use]
    pub fn model(mut self, name: impl Into<Arc<str>>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Says whether the model stopped because its output was full, or was broken off.
    #[must_use]
    pub const fn cut_off(mut self, cut_off: bool) -> Self {
        self.cut_off = cut_off;
        self
    }

    /// Says whether the model called a tool.
    #[must_use]
    pub const fn calls_tool(mut self, calls_tool: bool) -> Self {
        self.calls_tool = calls_tool;
        self
    }

    /// Says what the call cost.
    #[must_use]
    pub const fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Says how many messages it holds as they were said.
    #[must_use]
    pub const fn archived(mut self, messages: usize) -> Self {
        self.archived = messages;
        self
    }

    /// Says how many messages it says nothing of.
    #[must_use]
    pub const fn omitted(mut self, messages: usize) -> Self {
        self.omitted = messages;
        self
    }

    /// Says whether it is less than a summary of all that it stands for.
    #[must_use]
    pub const fn degraded(mut self, degraded: bool) -> Self {
        self.degraded = degraded;
        self
    }

    /// Whether anything that it stands for is in no summary.
    #[must_use]
    pub const fn is_degraded(&self) -> bool {
        self.degraded || self.archived > 0 || self.omitted > 0
    }
}

impl fmt::Debug for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Summary")
            .field("cut_off", &self.cut_off)
            .field("calls_tool", &self.calls_tool)
            .field("usage", &self.usage)
            .field("archived", &self.archived)
            .field("omitted", &self.omitted)
            .field("degraded", &self.degraded)
            .finish_non_exhaustive()
    }
}

impl From<String> for Summary {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Summary {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
