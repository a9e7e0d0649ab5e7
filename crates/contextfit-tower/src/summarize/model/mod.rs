//! Summarizers made of what asks a model: a closure, a service, one that streams.

#[macro_use]
mod known;

mod chat;
mod function;
mod service;
#[cfg(feature = "stream")]
mod stream;

pub use self::chat::{ChatSummarizer, chat_summarizer};
pub use self::function::{SummarizerFn, summarizer_fn};
pub use self::service::{ServiceSummarizer, summarizer_service};
#[cfg(feature = "stream")]
pub use self::stream::{
    StreamServiceSummarizer, StreamSummarizerFn, SummaryChunk, summarizer_stream_fn,
    summarizer_stream_service,
};

#[cfg(any(test, feature = "stream"))]
pub(super) use self::known::Model;
