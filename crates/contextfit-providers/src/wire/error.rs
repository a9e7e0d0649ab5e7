use bytes::Bytes;
use contextfit_core::request::AdapterError;

use super::WireFormat;

/// A body can't be read as a request of its format.
///
/// Nothing is lost: the body can be sent all the same, for the provider to say what it thinks of
/// it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the body is no request of {format}: {source}")]
pub struct WireError {
    format: WireFormat,
    source: AdapterError,
    body: Bytes,
}

impl WireError {
    pub(super) const fn new(format: WireFormat, source: AdapterError, body: Bytes) -> Self {
        Self {
            format,
            source,
            body,
        }
    }

    /// Where it is malformed: a path such as `messages[3].content`.
    #[must_use]
    pub fn place(&self) -> &str {
        self.source.place()
    }

    /// What is wrong.
    #[must_use]
    pub const fn problem(&self) -> &AdapterError {
        &self.source
    }

    /// The body, as it was given.
    #[must_use]
    pub fn into_body(self) -> Bytes {
        self.body
    }
}
