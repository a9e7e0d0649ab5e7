use std::fmt;

use crate::{Stop, Usage};

/// A piece of what a model says that writes a summary.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SummaryChunk {
    /// A piece of the summary.
    Text(String),
    /// A piece of what the model thinks. It is no part of the summary, but it is output: the model
    /// hasn't [stalled](crate::SummarizerExt::stall_timeout).
    Thinking,
    /// A piece of a tool's call. The model was offered no tools: such a summary is refused.
    ToolCall,
    /// Why the model stopped. The last one counts.
    Finish(Stop),
    /// What the call costs, as far as it is known by then.
    Usage(Usage),
}

impl fmt::Debug for SummaryChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(&text.len()).finish(),
            Self::Thinking => f.write_str("Thinking"),
            Self::ToolCall => f.write_str("ToolCall"),
            Self::Finish(stop) => f.debug_tuple("Finish").field(stop).finish(),
            Self::Usage(usage) => f.debug_tuple("Usage").field(usage).finish(),
        }
    }
}
