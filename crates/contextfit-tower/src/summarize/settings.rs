use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use contextfit_core::summary::ItemCaps;

use super::Prompts;

/// Takes out of a text what no summarizer is to read.
pub(crate) type Redact = Arc<dyn Fn(&str) -> Cow<'_, str> + Send + Sync>;

/// What holds for all summaries of a fitter.
#[derive(Clone)]
pub(crate) struct SummarySettings {
    pub(crate) prompts: Prompts,
    pub(crate) instructions: Option<Arc<str>>,
    pub(crate) caps: ItemCaps,
    /// The most chunks that a conversation is read in.
    pub(crate) calls: usize,
    pub(crate) redact: Option<Redact>,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self {
            prompts: Prompts::default(),
            instructions: None,
            caps: ItemCaps::default(),
            calls: 8,
            redact: None,
        }
    }
}

impl fmt::Debug for SummarySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SummarySettings")
            .field("caps", &self.caps)
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}
