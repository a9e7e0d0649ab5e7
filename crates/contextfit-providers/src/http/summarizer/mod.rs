//! A summarizer that asks a model over HTTP.

mod endpoint;
mod error;
mod reply;
mod whole;

pub use self::endpoint::ModelEndpoint;
pub use self::error::HttpSummaryError;

use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use contextfit_core::estimate::Estimator;
use contextfit_tower::{BoxError, Stop, SummarizeError, Summarizer, Summary, SummaryJob};
use http_body::Body;
use tower_service::Service;

use self::reply::Reply;
use self::whole::read_whole;
use crate::usage::ResponseUsage;

/// Bytes of an error that are read, and told.
const LONGEST_ERROR: usize = 2 * 1024;

/// Bytes of an answer that are read.
const LONGEST_ANSWER: usize = 8 * 1024 * 1024;

/// Makes a summarizer of an HTTP client and of the endpoint of a model, which may be another
/// provider's than that of the conversation, and most often is a cheaper one.
///
/// The model is asked for the summary and nothing else: its instructions stand in the system prompt,
/// the conversation in a single message of the user, as quoted text, and it is offered no tools,
/// whatever the conversation has. The answer isn't streamed. One that calls a tool or that isn't whole
/// is refused, and one that is an error is no summary; see [`HttpSummaryError`].
///
/// The service is cloned for each summary and driven to readiness first. It is a client, or a stack of
/// its own around one: with a time-out, say, or with a retry.
///
/// ```
/// use bytes::Bytes;
/// use contextfit_providers::http::{HttpFitLayer, ModelEndpoint, http_summarizer};
/// use contextfit_providers::wire::WireFormat;
/// use contextfit_tower::{BoxError, Fitter};
/// use http::header::{AUTHORIZATION, HeaderValue};
/// use http_body_util::{BodyExt, Full};
/// use tower::{Layer, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// // Stands for a client, and for the providers that it reaches.
/// let client = service_fn(|request: http::Request<Bytes>| async move {
///     let answer = match request.uri().host() {
///         Some("cheap.example") => r#"{"choices":[{"message":{"content":"They said it again."},"finish_reason":"stop"}]}"#,
///         _ if request.body().len() > 8_000 => r#"{"error":{"message":"it is too long"}}"#,
///         _ => r#"{"content":[{"type":"text","text":"It."}]}"#,
///     };
///     let response = http::Response::builder().header("content-type", "application/json");
///     response.body(Full::<Bytes>::from(answer)).map_err(BoxError::from)
/// });
///
/// let key = "the key of the summarizer";
/// let endpoint = ModelEndpoint::new(
///     WireFormat::OpenAiChat,
///     "https://cheap.example/v1/chat/completions".parse()?,
/// )
/// .model("a-cheap-model")
/// .header(AUTHORIZATION, HeaderValue::try_from(format!("Bearer {key}"))?);
/// let summarizer = http_summarizer(client, endpoint)
///     .window(32_000)
///     .max_output_tokens(4_096);
///
/// let fitter = Fitter::builder().window(2_000).summarizer(summarizer).build()?;
/// let service = HttpFitLayer::new(fitter).layer(client);
///
/// let said = r#"{"role":"user","content":"Say it again."},{"role":"assistant","content":"It."}"#;
/// let body = format!(r#"{{"model":"m","max_tokens":64,"messages":[{}]}}"#, vec![said; 200].join(","));
/// let request = http::Request::post("https://dear.example/v1/messages").body(body.into())?;
/// let response = service.oneshot(request).await?;
/// let answer = response.into_body().collect().await?.to_bytes();
/// assert_eq!(answer, r#"{"content":[{"type":"text","text":"It."}]}"#);
/// # Ok(()) }
/// ```
pub fn http_summarizer<S, B>(service: S, endpoint: ModelEndpoint) -> HttpSummarizer<S>
where
    S: Service<http::Request<Bytes>, Response = http::Response<B>>,
{
    HttpSummarizer {
        service: Mutex::new(service),
        endpoint,
        max_output_tokens: None,
        window: None,
        estimator: None,
    }
}

/// A summarizer made of an HTTP client. See [`http_summarizer`].
pub struct HttpSummarizer<S> {
    // Only ever locked to clone the service: it needn't be `Sync`.
    service: Mutex<S>,
    endpoint: ModelEndpoint,
    max_output_tokens: Option<u32>,
    window: Option<u64>,
    estimator: Option<Arc<dyn Estimator>>,
}

impl<S> HttpSummarizer<S> {
    /// Says how much output the model gives at most, in tokens. It bounds the summary.
    #[must_use]
    pub const fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Says how many tokens the model can hold, output included. What is longer is given to it in
    /// chunks, see [`Summarizer::window`].
    #[must_use]
    pub const fn window(mut self, tokens: u64) -> Self {
        self.window = Some(tokens);
        self
    }

    /// Says what counts tokens as the model does, for its window. The fitter's own estimator counts
    /// unless set.
    #[must_use]
    pub fn estimator(mut self, estimator: impl Estimator + 'static) -> Self {
        self.estimator = Some(Arc::new(estimator));
        self
    }

    fn summary(&self, answer: &[u8]) -> Result<Summary, HttpSummaryError> {
        let reply = Reply::read(self.endpoint.format(), answer)?;
        let mut usage = ResponseUsage::new();
        usage.read(answer);
        let is_cut_off = matches!(
            usage.stop(),
            Some(Stop::Length | Stop::ContextWindow | Stop::Interrupted)
        );
        let mut summary = Summary::new(reply.text)
            .cut_off(is_cut_off)
            .calls_tool(reply.calls_tool);
        summary.usage = usage.usage();
        Ok(summary)
    }
}

#[async_trait]
impl<S, B> Summarizer for HttpSummarizer<S>
where
    S: Service<http::Request<Bytes>, Response = http::Response<B>> + Clone + Send,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes> + Send,
    B::Error: Into<BoxError>,
{
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let mut service = self
            .service
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let request = self.endpoint.request(&job);
        poll_fn(|cx| service.poll_ready(cx))
            .await
            .map_err(SummarizeError::failed)?;
        let response = service.call(request);
        let (head, body) = response.await.map_err(SummarizeError::failed)?.into_parts();
        let most = if head.status.is_success() {
            LONGEST_ANSWER
        } else {
            LONGEST_ERROR
        };
        let body = read_whole(body, most)
            .await
            .map_err(SummarizeError::failed)?;
        let summary = if !head.status.is_success() {
            Err(HttpSummaryError::status(head.status, &body.start))
        } else if body.is_cut {
            Err(HttpSummaryError::TooLong { most })
        } else {
            self.summary(&body.start)
        };
        summary.map_err(SummarizeError::failed)
    }

    fn model(&self) -> Option<&str> {
        self.endpoint.model_name()
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.max_output_tokens
    }

    fn window(&self) -> Option<u64> {
        self.window
    }

    fn estimator(&self) -> Option<Arc<dyn Estimator>> {
        self.estimator.clone()
    }
}

impl<S> fmt::Debug for HttpSummarizer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSummarizer")
            .field("endpoint", &self.endpoint)
            .field("max_output_tokens", &self.max_output_tokens)
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}
