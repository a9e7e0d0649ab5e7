use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::estimate::{CharEstimator, measure, message_tokens};
use contextfit_core::request::Conversation;
use tower_service::Service;

use super::record::Record;
use super::settings::Settings;
use super::{Counting, Outcome, Overflowing, ProviderError, ReceivedCall, Totals, check_structure};

/// A provider of a model with a window, in this process.
///
/// It counts, checks and refuses as a real one does, and keeps a record of all it got. Without
/// settings it behaves as OpenAI: it counts exactly, checks how the conversation is put
/// together, then whether prompt and output asked for fit the window (equality fits), and
/// answers "Done.". The settings make it misbehave in the ways that real providers do.
///
/// Clones share the record, and the number of a call is counted over all of them. Settings are
/// a clone's own: two clones with other settings are two models of one provider.
///
/// What a call gets is decided when it arrives; a delay only holds it back. So a call whose
/// future is dropped was received all the same. The service is always ready.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_testing::provider::{Outcome, ProviderErrorKind, SimulatedProvider};
/// use tower::ServiceExt;
///
/// let provider = SimulatedProvider::new(100).answer("It is 8080.");
///
/// let short = ChatRequest::new("a-model", [ChatMessage::user("Which port does it use?")]);
/// let response = provider.clone().oneshot(short).await.expect("fits");
/// assert_eq!(response.text(), "It is 8080.");
///
/// let long = ChatRequest::new("a-model", [ChatMessage::user("and so on ".repeat(100))]);
/// let error = provider.clone().oneshot(long).await.expect_err("doesn't fit");
/// assert!(matches!(error.kind, ProviderErrorKind::ContextLength { window: 100, .. }));
///
/// assert_eq!(provider.calls(), 2);
/// assert_eq!(provider.received()[1].outcome, Outcome::Overflow);
/// # }
/// ```
#[derive(Clone)]
pub struct SimulatedProvider {
    pub(super) settings: Settings,
    pub(super) record: Arc<Mutex<Record>>,
}

/// # What it received
impl SimulatedProvider {
    /// The calls it got, oldest first; all, unless it [keeps only the last](Self::keep_last).
    #[must_use]
    pub fn received(&self) -> Vec<Arc<ReceivedCall>> {
        self.record(|record| record.received.iter().cloned().collect())
    }

    /// The last call it got.
    #[must_use]
    pub fn last_received(&self) -> Option<Arc<ReceivedCall>> {
        self.record(|record| record.received.back().cloned())
    }

    /// How many calls it got.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.totals().calls
    }

    /// All calls it got, counted.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.record(|record| record.totals)
    }

    /// What the prompt of a request costs, as this provider counts.
    #[must_use]
    pub fn prompt_tokens(&self, request: &ChatRequest) -> u64 {
        let visible = match self.settings.counting {
            Counting::Exact => self.settings.counter.count_request(request),
            Counting::Estimate { factor } => {
                scaled(measure(request, &CharEstimator::default()).prompt(), factor)
            }
        };
        visible.saturating_add(self.settings.hidden_tokens)
    }

    fn record<T>(&self, with: impl FnOnce(&mut Record) -> T) -> T {
        with(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How it replies.
impl SimulatedProvider {
    fn reply(&self, request: &ChatRequest) -> Result<ChatResponse, ProviderError> {
        let prompt = self.prompt_tokens(request);
        let structure = if self.settings.check_structure {
            check_structure(request)
        } else {
            Ok(())
        };
        let outcome = self.record(|record| {
            record.add(request, prompt, self.settings.keep, |number| {
                match (self.settings.fail_after, structure) {
                    (Some((calls, status)), _) if number >= calls => Outcome::Scripted(status),
                    _ if number < self.settings.overflow_calls => Outcome::Overflow,
                    (_, Err(error)) => Outcome::Structure(error),
                    _ if self.overflows(request, prompt) => Outcome::Overflow,
                    _ => Outcome::Answered,
                }
            })
        });
        match outcome {
            Outcome::Answered => Ok(self.respond(request, prompt)),
            Outcome::Overflow => self.reply_to_overflow(request, prompt),
            Outcome::Structure(error) => Err(ProviderError::structure(error)),
            Outcome::Scripted(status) => Err(ProviderError::scripted(status)),
        }
    }

    fn overflows(&self, request: &ChatRequest, prompt: u64) -> bool {
        let output = request.max_output_tokens().unwrap_or_default();
        prompt.saturating_add(output.into()) > self.settings.window
    }

    fn reply_to_overflow(
        &self,
        request: &ChatRequest,
        prompt: u64,
    ) -> Result<ChatResponse, ProviderError> {
        let window = self.settings.window;
        let claimed = if self.overflows(request, prompt) {
            prompt
        } else {
            // The test wants an overflow of what would fit.
            window.saturating_add(1)
        };
        match self.settings.overflowing {
            Overflowing::Refuse => {
                let output = request.max_output_tokens().map(u64::from);
                Err(ProviderError::context_length(claimed, output, window))
            }
            Overflowing::TruncateSilently => Ok(self.respond(request, claimed.min(window))),
            Overflowing::FullWindow => {
                let nothing = ChatMessage::assistant("");
                Ok(ChatResponse::new(request.model.clone(), nothing, "length").usage(window, 0))
            }
        }
    }

    fn respond(&self, request: &ChatRequest, prompt: u64) -> ChatResponse {
        let message = (self.settings.answer)(request);
        let completion = match self.settings.counting {
            Counting::Exact => self.settings.counter.count_said(&message),
            Counting::Estimate { factor } => {
                let said = ChatRequest::new("", [message.clone()]);
                let estimator = CharEstimator::default().with_message_overhead(0);
                scaled(message_tokens(&said, &estimator, 0).all, factor)
            }
        };
        let reason = if message.tool_calls.is_empty() {
            "stop"
        } else {
            "tool_calls"
        };
        ChatResponse::new(request.model.clone(), message, reason).usage(prompt, completion)
    }
}

/// Rounded to a whole token.
fn scaled(tokens: u64, factor: f64) -> u64 {
    (tokens as f64 * factor).round() as u64
}

impl Service<ChatRequest> for SimulatedProvider {
    type Response = ChatResponse;
    type Error = ProviderError;
    type Future = Pin<Box<dyn Future<Output = Result<ChatResponse, ProviderError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ProviderError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ChatRequest) -> Self::Future {
        let reply = self.reply(&request);
        let delay = self.settings.delay;
        Box::pin(async move {
            // Without a delay no runtime is needed.
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            reply
        })
    }
}

impl fmt::Debug for SimulatedProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedProvider")
            .field("window", &self.settings.window)
            .field("totals", &self.totals())
            .finish_non_exhaustive()
    }
}
