//! Services of HTTP requests to a provider, of any client: `Service<http::Request<Bytes>>`.
//!
//! [`HttpFitLayer`] puts everything around one, and [`http_summarizer`] makes a summarizer of one. What
//! the layer is made of can be stacked by hand, too:
//!
//! - [`ProviderRequest`] is a request with its body read; the layers of `contextfit-tower` fit it.
//!   [`SendRequest`] stands below them, and hands it on as what it was.
//! - [`PeekBody`] stands next to the provider's service and reads the start of each response, as
//!   far as it takes to know whether it is an overflow. [`HttpOverflow`] says so to the layers, and
//!   reads what the request cost, at the end of a stream too.

mod fit;
mod request;
mod response;
mod summarizer;

pub use self::fit::{HttpFit, HttpFitFuture, HttpFitLayer};
pub use self::request::{ProviderRequest, SendRequest, SendRequestLayer};
pub use self::response::{
    HttpOverflow, HttpUsage, PeekBody, PeekBodyFuture, PeekBodyLayer, Peeked,
};
pub use self::summarizer::{
    HttpAnswer, HttpSummarizer, HttpSummaryError, ModelEndpoint, UnreadStream, http_summarizer,
};
