//! For the middleware of `async-openai`, which takes requests in whatever form its API groups make:
//! a layer below the client instead of around it.
//!
//! What is sent passes a `tower::Service<HttpRequestFactory>`, so that one layer serves all that a
//! client does: chat completions, responses, streams, with types or without. All but conversations
//! goes through untouched.
//!
//! ```
//! use contextfit_providers::clients::async_openai::async_openai::Client;
//! use contextfit_providers::clients::async_openai::async_openai::config::OpenAIConfig;
//! use contextfit_providers::clients::async_openai::async_openai::middleware::ReqwestService;
//! use contextfit_providers::clients::async_openai::middleware::FactoryFitLayer;
//! use contextfit_tower::{ConfigError, Fitter};
//! use tower::ServiceBuilder;
//!
//! # fn client() -> Result<Client<OpenAIConfig>, ConfigError> {
//! let fitter = Fitter::builder().window(128_000).build()?;
//! let service = ServiceBuilder::new()
//!     .layer(FactoryFitLayer::new(fitter))
//!     .service(ReqwestService::default());
//! let client = Client::with_config(OpenAIConfig::new()).with_http_service(service);
//! # Ok(client) }
//! ```

mod factory_request;
mod fit;
mod layer;
mod send_factory;

pub use self::factory_request::FactoryRequest;
pub use self::fit::FactoryFit;
pub use self::layer::FactoryFitLayer;
