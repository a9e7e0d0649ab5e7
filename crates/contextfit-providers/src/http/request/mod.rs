//! A request to a provider, from its bytes and back to them.

mod provider_request;
mod route;
mod send;

pub use self::provider_request::ProviderRequest;
pub(super) use self::route::model_in;
pub use self::send::{SendRequest, SendRequestLayer};
