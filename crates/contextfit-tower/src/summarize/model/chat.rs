use std::sync::Arc;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use tower_service::Service;

use crate::summarize::{ServiceSummarizer, Summary, SummaryJob, summarizer_service};
use crate::{BoxError, ChatUsageReader, Stop, UsageReader};

/// A summarizer made of a service that speaks [`ChatRequest`]. See [`chat_summarizer`].
pub type ChatSummarizer<S> = ServiceSummarizer<
    S,
    ChatRequest,
    Box<dyn Fn(&SummaryJob) -> ChatRequest + Send + Sync>,
    fn(ChatResponse) -> Result<Summary, BoxError>,
>;

/// Makes a summarizer of a service that speaks [`ChatRequest`], with a model of its own.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
/// use contextfit_tower::chat_summarizer;
/// use tower::service_fn;
///
/// let provider = service_fn(|request: ChatRequest| async move {
///     let reply = ChatMessage::assistant("They agreed on port 8080.");
///     Ok::<_, std::io::Error>(ChatResponse::new(request.model, reply, "stop"))
/// });
/// let summarizer = chat_summarizer(provider, "a-cheap-model")
///     .window(32_000)
///     .max_output_tokens(4_096);
/// ```
pub fn chat_summarizer<S>(service: S, model: impl Into<Arc<str>>) -> ChatSummarizer<S>
where
    S: Service<ChatRequest, Response = ChatResponse> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
{
    let model = model.into();
    let name = Arc::clone(&model);
    let request = move |job: &SummaryJob| {
        let messages = [
            ChatMessage::system(job.system()),
            ChatMessage::user(job.prompt()),
        ];
        let mut request = ChatRequest::new(Arc::clone(&model), messages);
        request.max_tokens = Some(u32::try_from(job.max_output_tokens).unwrap_or(u32::MAX));
        request
    };
    let summarizer: ChatSummarizer<S> = summarizer_service(service, Box::new(request), read);
    summarizer.model(name)
}

/// Reads a summary out of a chat's answer.
fn read(response: ChatResponse) -> Result<Summary, BoxError> {
    let mut summary = Summary::new(response.text());
    let said = response.choices.first().map(|choice| &choice.message);
    summary.calls_tool = said.is_some_and(|said| !said.tool_calls.is_empty());
    summary.usage = ChatUsageReader.usage(&response);
    summary.cut_off = matches!(
        summary
            .usage
            .and_then(|usage| usage.stop)
            .or_else(|| ChatUsageReader::stop(&response)),
        Some(Stop::Length | Stop::ContextWindow | Stop::Interrupted)
    );
    Ok(summary)
}
