//! Summarizers whose model answers in a stream.

mod chunk;
mod collect;
mod function;
mod service;

pub use self::chunk::SummaryChunk;
pub use self::function::{StreamSummarizerFn, summarizer_stream_fn};
pub use self::service::{StreamServiceSummarizer, summarizer_stream_service};

use self::collect::collect;
