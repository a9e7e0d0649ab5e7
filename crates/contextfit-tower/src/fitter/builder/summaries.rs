use std::borrow::Cow;
use std::sync::Arc;

use contextfit_core::summary::ItemCaps;

use super::FitterBuilder;
use crate::Prompts;

/// How summaries are asked for.
impl<A> FitterBuilder<A> {
    /// The most calls that read a conversation which is longer than the summarizer's
    /// [window](crate::Summarizer::window). 8 unless set, and at least 1.
    ///
    /// It is read in chunks, from the oldest to the newest, and each summary is the previous one of
    /// the next: every message enters a summary. If that isn't enough, the oldest messages are left
    /// out, which the transcript says, and the report. Where the start of a turn has a summary
    /// [of its own](crate::SplitTurn::Apart), each of the two is read in so many. A call is made once
    /// more if the summary is over its bound.
    #[must_use]
    pub const fn summary_calls(mut self, most: usize) -> Self {
        self.summaries.calls = most;
        self
    }

    /// What a model is told that writes a summary.
    #[must_use]
    pub fn prompts(mut self, prompts: Prompts) -> Self {
        self.summaries.prompts = prompts;
        self
    }

    /// What is asked of every summary besides: "Keep the names of all customers", say. It stands in
    /// the prompt as your own words, before the rules on form.
    /// [`Hints::instructions`](contextfit_core::request::Hints::instructions) are those of a single
    /// request, and come after them.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<Arc<str>>) -> Self {
        self.summaries.instructions = Some(text.into());
        self
    }

    /// How much of each part of a message a summarizer gets to read, in characters.
    #[must_use]
    pub const fn item_caps(mut self, caps: ItemCaps) -> Self {
        self.summaries.caps = caps;
        self
    }

    /// Takes out of each text what no summarizer is to read: words, thoughts, results and arguments
    /// of tools, the names of tools and of who speaks, and a previous summary. What is taken out of
    /// messages stays out of whatever stands for them, too: the summary, a raw
    /// [record](crate::FailedSummary::Archive) and the [ledger](Self::ledger). The messages that are
    /// kept are not touched, nor are instructions.
    ///
    /// ```
    /// use std::borrow::Cow;
    ///
    /// use contextfit_tower::Fitter;
    ///
    /// let fitter = Fitter::builder().window(128_000).redact(|text| match text.contains("sk-") {
    ///     true => Cow::Owned(text.replace("sk-1234", "[key]")),
    ///     false => Cow::Borrowed(text),
    /// });
    /// # fitter.build()?;
    /// # Ok::<(), contextfit_tower::ConfigError>(())
    /// ```
    #[must_use]
    pub fn redact(mut self, redact: impl Fn(&str) -> Cow<'_, str> + Send + Sync + 'static) -> Self {
        self.summaries.redact = Some(Arc::new(redact));
        self
    }
}
