use http::StatusCode;

use super::LONGEST_ERROR;
use crate::wire::WireFormat;

/// A model that was asked over HTTP wrote no summary. It is the source of
/// [`SummarizeError::Failed`](contextfit_tower::SummarizeError::Failed); errors of the connection are what they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpSummaryError {
    /// The provider refused.
    #[error("the summarizer's provider answered with status {status}: {text}")]
    Status {
        /// What it answered with.
        status: StatusCode,
        /// The start of what it said, 2 KiB at most.
        text: String,
    },
    /// The provider answered, and then with an error.
    #[error("the summarizer's provider answered with an error: {text}")]
    Said {
        /// The start of what it said, 2 KiB at most.
        text: String,
    },
    /// The answer isn't JSON, or there is none.
    #[error(
        "the summarizer's answer can't be read: check its URL and format, and that compressed \
         answers are decompressed"
    )]
    Unreadable(#[source] Option<serde_json::Error>),
    /// The answer is too long to be read.
    #[error("the summarizer's answer, or one event of it, has more than {most} bytes")]
    TooLong {
        /// Bytes that are read at most.
        most: usize,
    },
}

/// Streams of a format aren't read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "streams of {format} aren't read, because their events are binary: ask for a plain answer, or read \
     the stream yourself with `summarizer_stream_service`"
)]
pub struct UnreadStream {
    /// The format.
    pub format: WireFormat,
}

impl HttpSummaryError {
    pub(super) fn status(status: StatusCode, text: &[u8]) -> Self {
        let text = start_of(text);
        Self::Status { status, text }
    }

    pub(super) fn said(text: &[u8]) -> Self {
        let text = start_of(text);
        Self::Said { text }
    }
}

fn start_of(text: &[u8]) -> String {
    let start = text.get(..LONGEST_ERROR).unwrap_or(text);
    String::from_utf8_lossy(start).trim().to_owned()
}
