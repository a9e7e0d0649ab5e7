//! Requests as providers take them: the bytes that a client sends, fitted and left alone otherwise.
//!
//! # Over HTTP, with any client
//!
//! A client that can send a body in bytes is a `Service<http::Request<Bytes>>` in a line, and the layer
//! `HttpFitLayer` of the feature `http`, which is on unless turned off, is all it takes:
//!
//! ```
//! use bytes::Bytes;
//! use contextfit::{BoxError, Catalogue, Fitter, ExtractiveSummarizer};
//! use contextfit::http::HttpFitLayer;
//! use http_body_util::{BodyExt, Full};
//! use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! // Stands for a client: `client.execute(request.try_into()?)`, say.
//! let client = service_fn(|request: http::Request<Bytes>| async move {
//!     let answer = format!(r#"{{"content":[{{"text":"{} bytes"}}]}}"#, request.body().len());
//!     http::Response::builder()
//!         .header("content-type", "application/json")
//!         .body(Full::from(answer))
//! });
//!
//! let fitter = Fitter::builder()
//!     .models(Catalogue::builtin())
//!     .summarizer(ExtractiveSummarizer)
//!     .build()?;
//! let mut service = ServiceBuilder::new().layer(HttpFitLayer::new(fitter)).service(client);
//!
//! let body = r#"{"model":"claude-sonnet-4-5","max_tokens":64,"messages":[{"role":"user","content":"Hi."}]}"#;
//! let request = http::Request::post("https://api.anthropic.com/v1/messages").body(Bytes::from(body))?;
//! let response = service.ready().await?.call(request).await?;
//! let answer = response.into_body().collect().await?.to_bytes();
//! assert_eq!(answer, format!(r#"{{"content":[{{"text":"{} bytes"}}]}}"#, body.len()));
//! # Ok(()) }
//! ```
//!
//! How a body is written is known by the path of the request, and the model by the body or the path:
//!
//! | format | path |
//! |---|---|
//! | OpenAI Chat Completions, and the many that speak like it | `…/chat/completions` |
//! | OpenAI Responses | `…/responses` |
//! | Anthropic Messages | `…/messages`, `…/publishers/anthropic/models/…:rawPredict`, `…/model/…anthropic…/invoke` |
//! | Gemini, Vertex AI | `…/models/…:generateContent`, `…:streamGenerateContent` |
//! | Bedrock Converse | `…/model/…/converse`, `…/converse-stream` |
//! | Ollama | `…/api/chat` |
//!
//! `HttpFitLayer::format` names the format where paths are your own.
//!
//! What fits is sent as the bytes that came. Of what doesn't, each message that is kept and each other
//! field is as it was written, in its order; `content-length` is set anew. All other traffic goes
//! through: other paths, bodies that aren't JSON or are compressed, and requests whose body is signed
//! in a header, which is why a layer that signs goes below. A body that can't be read goes through too,
//! for the provider to say what it thinks of it, and the observer hears of it
//! ([`FitEvent::Unreadable`]); and so does one that only continues a conversation that the provider has
//! ([`FitEvent::HistoryElsewhere`]): OpenAI's `previous_response_id` and `conversation`.
//!
//! The same client can ask a model for the summaries, of this provider or of another:
//! [`http_summarizer`](super::summarizer#over-http).
//!
//! # What comes back
//!
//! A response is handed on as it came, as soon as it is known not to be an overflow. For that the start
//! of it is read: an error's text, a plain answer whole, a stream up to its first content. So the first
//! token isn't delayed, and an overflow can still be recovered from where it comes
//!
//! - with an error status,
//! - as an error with status 200, in a body or as the first event of a stream, also after events that
//!   only open it,
//! - as an answer that says that the window was full.
//!
//! After content was handed on, nothing is sent again; an overflow then is reported to the observer.
//! The usage at the end of a stream reaches the observer and the [`Calibrator`] as that of any answer.
//!
//! `HttpFitLayer::overflow` takes another classifier, or the same with more:
//! `HttpOverflow::new().templates(…)` knows what a gateway of yours says ([`recovery`]), and
//! `.or(TextOverflow::new())` reads errors of the client too. `without_retry` recovers from nothing;
//! all settings of the [`Fitter`] hold as anywhere, and [`enabled(false)`] leaves the recovery alone.
//!
//! # Watching
//!
//! What happens is told to an observer, `Fitter::builder().observer(observer_fn(|event| …))`: each
//! request that is changed, refused or left alone, each overflow, and what each call cost. Its events
//! are those of [`FitEvent`]. `examples/http.rs` prints them.
//!
//! # Without HTTP
//!
//! [`WireRequest`] is a body by itself: parse it, [`fit`](crate::Fitter::fit) it, and take its bytes. It is a
//! request type as any other, for a service of yours, too.
//!
//! ```
//! use contextfit::wire::{WireFormat, WireRequest};
//! use contextfit::request::Conversation;
//!
//! let body = r#"{"messages":[{"role":"user","content":[{"text":"Hi."}]}]}"#;
//! let request = WireRequest::parse(WireFormat::BedrockConverse, body)?.with_model("amazon.nova-pro-v1:0");
//! assert_eq!((request.len(), request.model()), (1, Some("amazon.nova-pro-v1:0")));
//!
//! let error = WireRequest::parse(WireFormat::BedrockConverse, r#"{"messages":[{"role":7}]}"#);
//! let error = error.unwrap_err();
//! assert_eq!(error.place(), "messages[0].role");
//! assert_eq!(error.into_body(), r#"{"messages":[{"role":7}]}"#);
//! # Ok::<(), contextfit::wire::WireError>(())
//! ```
//!
//! # Rules of the providers
//!
//! What a provider demands of a conversation holds after a cut: calls and results together, reasoning
//! with what it led to, thinking with its signature, never an empty list. Marks of a prompt cache stay
//! on what is kept, and none is added. Where user and assistant have to take turns (Bedrock), a summary
//! next to a message of the user becomes a part of it on the wire; for others that demand it,
//! [`WireRequest::merge_neighbours`] does the same.
//!
//! [`recovery`]: super::recovery
//! [`Fitter`]: crate::Fitter
//! [`enabled(false)`]: crate::FitterBuilder::enabled
//! [`FitEvent`]: crate::FitEvent
//! [`FitEvent::Unreadable`]: crate::FitEvent::Unreadable
//! [`FitEvent::HistoryElsewhere`]: crate::FitEvent::HistoryElsewhere
//! [`Calibrator`]: crate::Calibrator
//! [`WireRequest`]: crate::wire::WireRequest
//! [`WireRequest::merge_neighbours`]: crate::wire::WireRequest::merge_neighbours
