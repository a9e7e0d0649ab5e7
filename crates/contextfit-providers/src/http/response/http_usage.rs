use bytes::Bytes;
use contextfit_tower::{Usage, UsageReader};
use http_body::Body;

use super::Peeked;
use super::answer::Answer;

/// Reads the usage of a response that is complete before any of it is handed on: of a plain body, or
/// of a stream without content. Of other streams it is known at their end, where [`HttpOverflow`]
/// reports it.
///
/// [`HttpOverflow`]: super::HttpOverflow
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpUsage;

impl<B: Body<Data = Bytes>> UsageReader<http::Response<Peeked<B>>> for HttpUsage {
    fn usage(&self, response: &http::Response<Peeked<B>>) -> Option<Usage> {
        let body = response.body();
        matches!(body.answer(), Some(Answer::Complete | Answer::Empty))
            .then(|| body.usage())
            .flatten()
    }
}
