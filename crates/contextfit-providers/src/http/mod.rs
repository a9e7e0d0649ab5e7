//! Services of HTTP requests to a provider, of any client: `Service<http::Request<Bytes>>`.
//!
//! [`HttpFitLayer`] puts everything around one.

mod fit;
mod request;

pub use self::fit::{HttpFit, HttpFitLayer};
pub use self::request::{ProviderRequest, SendRequest, SendRequestLayer};
