//! A summarizer that asks a model over HTTP.

mod answer;
mod chunks;
mod endpoint;
mod error;
mod said;

pub use self::answer::HttpAnswer;
pub use self::endpoint::ModelEndpoint;
pub use self::error::{HttpSummaryError, UnreadStream};

use bytes::Bytes;
use contextfit_tower::{BoxError, StreamServiceSummarizer, SummaryJob, summarizer_stream_service};
use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

/// Bytes of an error that are told.
const LONGEST_ERROR: usize = 2 * 1024;

/// Makes a summarizer of an HTTP client and of the endpoint of a model, which may be another
/// provider's than that of the conversation, and most often is a cheaper one.
///
/// The model is asked for the summary and nothing else: its instructions stand in the system prompt,
/// the conversation in a single message of the user, as quoted text, and it is offered no tools,
/// whatever the conversation has. An answer that calls a tool or that isn't whole is refused, and one
/// that is an error is no summary; see [`HttpAnswer`] for how it is read, and [`HttpSummaryError`].
///
/// It is plain unless the endpoint has it [streamed](ModelEndpoint::streamed), which is what to set
/// with a [stall time-out](contextfit_tower::SummarizerExt::stall_timeout_with): a plain answer is put out
/// all at once, whatever pieces its bytes come in, so it has to be there within that time.
///
/// The service is cloned for each call and driven to readiness first. It is a client, or a stack of
/// its own around one. A time-out in that stack is one for all of the answer, or for its headers only.
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
pub fn http_summarizer<S, B>(service: S, endpoint: ModelEndpoint) -> HttpSummarizer<S, B>
where
    S: Service<Request<Bytes>, Response = Response<B>>,
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let (format, model) = (endpoint.format(), endpoint.model_name());
    let request = move |job: &SummaryJob| endpoint.request(job);
    let answer = move |response| HttpAnswer::new(format, response);
    let summarizer: HttpSummarizer<S, B> =
        summarizer_stream_service(service, Box::new(request), Box::new(answer));
    match model {
        Some(model) => summarizer.model(model),
        None => summarizer,
    }
}

/// A summarizer made of an HTTP client whose responses have a body `B`. See [`http_summarizer`].
pub type HttpSummarizer<S, B> = StreamServiceSummarizer<
    S,
    Request<Bytes>,
    Box<dyn Fn(&SummaryJob) -> Request<Bytes> + Send + Sync>,
    Box<dyn Fn(Response<B>) -> HttpAnswer<B> + Send + Sync>,
>;
