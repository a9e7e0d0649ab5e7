use std::fmt;

use contextfit_core::request::Native;
use contextfit_tower::{ContextFitLayer, Fitter, NoRetry};
use tower_layer::Layer;

use super::HttpFit;
use crate::http::{HttpOverflow, PeekBodyLayer, SendRequestLayer};
use crate::wire::WireFormat;

/// Applies [`HttpFit`] to a service of `http::Request<Bytes>`.
///
/// ```
/// use bytes::Bytes;
/// use contextfit_providers::http::HttpFitLayer;
/// use contextfit_tower::{BoxError, Fitter, HeadSummarizer};
/// use http_body_util::{BodyExt, Full};
/// use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// // Stands for a provider with a window of 2 000 bytes, and for a client of it.
/// let provider = service_fn(|request: http::Request<Bytes>| async move {
///     let (status, body) = match request.body().len() {
///         0..2_000 => (200, r#"{"choices":[]}"#),
///         _ => (400, r#"{"error":{"message":"maximum context length is 500 tokens","code":"context_length_exceeded"}}"#),
///     };
///     let body = Full::from(body);
///     http::Response::builder().status(status).body(body).map_err(BoxError::from)
/// });
///
/// let fitter = Fitter::builder().window(128_000).summarizer(HeadSummarizer).build()?;
/// let mut service = ServiceBuilder::new().layer(HttpFitLayer::new(fitter)).service(provider);
///
/// let said = r#"{"role":"user","content":"Say it again."},{"role":"assistant","content":"It."}"#;
/// let body = format!(r#"{{"model":"m","messages":[{}]}}"#, vec![said; 50].join(","));
/// let request = http::Request::post("https://example.com/v1/chat/completions").body(body.into())?;
/// let response = service.ready().await?.call(request).await?;
/// assert_eq!(response.status(), 200);
/// assert_eq!(response.into_body().collect().await?.to_bytes(), r#"{"choices":[]}"#);
/// # Ok(()) }
/// ```
///
/// A client needs no more than a line to be such a service. With `reqwest`, whose own types convert
/// to and from those of `http`:
///
/// ```ignore
/// let client = reqwest::Client::new();
/// let provider = service_fn(move |request: http::Request<Bytes>| {
///     let client = client.clone();
///     async move {
///         let response = client.execute(request.try_into()?).await?;
///         Ok::<http::Response<reqwest::Body>, reqwest::Error>(response.into())
///     }
/// });
/// ```
pub struct HttpFitLayer<A = Native, C = HttpOverflow> {
    fitter: Fitter<A>,
    classifier: C,
    format: Option<WireFormat>,
}

impl<A> HttpFitLayer<A> {
    /// Makes requests fit, and recovers from the overflows that a [`HttpOverflow`] recognises.
    #[must_use]
    pub fn new(fitter: Fitter<A>) -> Self {
        Self {
            fitter,
            classifier: HttpOverflow::new(),
            format: None,
        }
    }
}

impl<A, C> HttpFitLayer<A, C> {
    /// Recognises overflows in another way.
    #[must_use]
    pub fn overflow<D>(self, classifier: D) -> HttpFitLayer<A, D> {
        HttpFitLayer {
            fitter: self.fitter,
            classifier,
            format: self.format,
        }
    }

    /// Recovers from nothing.
    #[must_use]
    pub fn without_retry(self) -> HttpFitLayer<A, NoRetry> {
        self.overflow(NoRetry)
    }

    /// Says how the bodies of all requests are written, for a service whose paths don't.
    #[must_use]
    pub fn format(mut self, format: WireFormat) -> Self {
        self.format = Some(format);
        self
    }
}

impl<S, A: Clone, C: Clone> Layer<S> for HttpFitLayer<A, C> {
    type Service = HttpFit<S, A, C>;

    fn layer(&self, inner: S) -> Self::Service {
        let inner = SendRequestLayer.layer(PeekBodyLayer.layer(inner));
        let layer = ContextFitLayer::new(self.fitter.clone());
        HttpFit {
            inner: layer
                .overflow_retry(self.classifier.clone())
                .reporting()
                .layer(inner),
            format: self.format,
        }
    }
}

impl<A: Clone, C: Clone> Clone for HttpFitLayer<A, C> {
    fn clone(&self) -> Self {
        Self {
            fitter: self.fitter.clone(),
            classifier: self.classifier.clone(),
            format: self.format,
        }
    }
}

impl<A, C> fmt::Debug for HttpFitLayer<A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFitLayer")
            .field("fitter", &self.fitter)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}
