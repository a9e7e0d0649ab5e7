use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use contextfit::{ExtractiveSummarizer, HeadSummarizer, Summarizer};

use super::numbers;

// What every command is told: the conversation, and how to fit it. No doc comment: clap would
// take it for the description of the command.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SetupArgs {
    /// An OpenAI chat request ({"model", "messages", "tools"?}) or JSONL of messages; - for
    /// standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Tokens of the model's window, input and output together
    #[arg(long, value_name = "N", default_value_t = 128_000,
        value_parser = numbers::window, allow_negative_numbers = true)]
    pub(crate) window: u64,

    /// Tokens kept free for the reply [default: min(16384, window/4)]
    #[arg(long, value_name = "N", value_parser = numbers::tokens, allow_negative_numbers = true)]
    pub(crate) reserve: Option<u64>,

    /// How to compact
    #[arg(long, value_enum, default_value_t)]
    pub(crate) preset: Preset,

    /// Who writes the summaries
    #[arg(long, value_enum, default_value_t)]
    pub(crate) summarizer: SummarizerName,
}

/// How to compact: a policy, and the settings that go with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// The task and what fits of the newest messages into half of the limit
    #[default]
    TopicAndHalf,
    /// A budget of recent messages, and nothing pinned
    RecentBudget,
}

/// Who writes the summaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SummarizerName {
    /// What matters most of what is cut, in its own words, without any model
    #[default]
    Extractive,
    /// The beginning of what is cut
    Head,
    /// Nobody: a notice says how many messages are missing
    None,
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TopicAndHalf => "topic-and-half",
            Self::RecentBudget => "recent-budget",
        })
    }
}

impl SummarizerName {
    /// The one of this name, if it is somebody.
    pub(crate) fn summarizer(self) -> Option<Arc<dyn Summarizer>> {
        match self {
            Self::Extractive => Some(Arc::new(ExtractiveSummarizer)),
            Self::Head => Some(Arc::new(HeadSummarizer)),
            Self::None => None,
        }
    }
}

impl fmt::Display for SummarizerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Extractive => "extractive summarizer",
            Self::Head => "head summarizer",
            Self::None => "no summarizer",
        })
    }
}
