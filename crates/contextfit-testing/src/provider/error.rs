use std::sync::Arc;

use serde_json::{Value, json};

use super::StructureError;

/// A refusal of the [`SimulatedProvider`](super::SimulatedProvider).
///
/// Its text is what a client of a real provider gets to see, the status and the body, and
/// nothing that only a simulation knows. What went wrong is kept beside it, typed.
///
/// ```
/// use contextfit_testing::provider::ProviderError;
///
/// let error = ProviderError::context_length(900, Some(200), 1_000);
/// assert_eq!(error.status, 400);
/// assert!(error.body.contains(
///     "This model's maximum context length is 1000 tokens. However, you requested 1100 tokens"
/// ));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the provider answered with status {status}: {body}")]
#[non_exhaustive]
pub struct ProviderError {
    /// The HTTP status.
    pub status: u16,
    /// The body: a JSON object with an `error` in it, as OpenAI writes it.
    pub body: Arc<str>,
    /// What went wrong.
    pub kind: ProviderErrorKind,
}

/// What went wrong, in a [`ProviderError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProviderErrorKind {
    /// The prompt, or the prompt and the output asked for, are more than the window.
    ContextLength {
        /// Tokens of the prompt, as the provider counts.
        prompt: u64,
        /// The output asked for, in tokens.
        output: Option<u64>,
        /// Tokens of the window.
        window: u64,
    },
    /// The conversation is put together in a way that the provider refuses.
    Structure(StructureError),
    /// The test wanted an error.
    Scripted,
}

impl ProviderError {
    /// The error for a request that is too long.
    #[must_use]
    pub fn context_length(prompt: u64, output: Option<u64>, window: u64) -> Self {
        let problem = match output {
            Some(output) => format!(
                "you requested {} tokens ({prompt} in the messages, {output} in the completion). \
                 Please reduce the length of the messages or completion.",
                prompt.saturating_add(output)
            ),
            None => format!(
                "your messages resulted in {prompt} tokens. \
                 Please reduce the length of the messages."
            ),
        };
        Self::new(
            400,
            &json!({
                "message": format!(
                    "This model's maximum context length is {window} tokens. However, {problem}"
                ),
                "type": "invalid_request_error",
                "param": "messages",
                "code": "context_length_exceeded",
            }),
            ProviderErrorKind::ContextLength {
                prompt,
                output,
                window,
            },
        )
    }

    /// The error for a conversation that is put together in a wrong way.
    #[must_use]
    pub fn structure(error: StructureError) -> Self {
        Self::new(
            400,
            &json!({
                "message": error.to_string(),
                "type": "invalid_request_error",
                "param": error.place(),
                "code": null,
            }),
            ProviderErrorKind::Structure(error),
        )
    }

    /// An error that a test wants, with what a provider says at such a status.
    #[must_use]
    pub fn scripted(status: u16) -> Self {
        let (message, kind, code) = match status {
            401 => (
                "Incorrect API key provided.",
                "invalid_request_error",
                Some("invalid_api_key"),
            ),
            429 => (
                "Rate limit reached for requests. Please try again in 20s.",
                "requests",
                Some("rate_limit_exceeded"),
            ),
            400..500 => ("Invalid request.", "invalid_request_error", None),
            _ => (
                "The server had an error while processing your request. Sorry about that!",
                "server_error",
                None,
            ),
        };
        Self::new(
            status,
            &json!({"message": message, "type": kind, "param": null, "code": code}),
            ProviderErrorKind::Scripted,
        )
    }

    fn new(status: u16, error: &Value, kind: ProviderErrorKind) -> Self {
        Self {
            status,
            body: json!({"error": error}).to_string().into(),
            kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_in(error: &ProviderError) -> Value {
        let body: Value = serde_json::from_str(&error.body).unwrap();
        body["error"].clone()
    }

    #[test]
    fn a_request_that_is_too_long_is_refused_in_the_words_of_openai() {
        let error = ProviderError::context_length(1_001, None, 1_000);
        assert_eq!(
            error_in(&error),
            json!({
                "message": "This model's maximum context length is 1000 tokens. However, your \
                    messages resulted in 1001 tokens. Please reduce the length of the messages.",
                "type": "invalid_request_error",
                "param": "messages",
                "code": "context_length_exceeded",
            })
        );
        let error = ProviderError::context_length(900, Some(200), 1_000);
        assert_eq!(
            error_in(&error)["message"],
            "This model's maximum context length is 1000 tokens. However, you requested 1100 \
             tokens (900 in the messages, 200 in the completion). Please reduce the length of \
             the messages or completion."
        );
    }

    #[test]
    fn structure_errors_name_the_place_and_the_calls() {
        let error = ProviderError::structure(StructureError::Unanswered {
            message: 3,
            ids: vec!["a".into(), "b".into()],
        });
        let json = error_in(&error);
        assert_eq!(
            (error.status, &json["param"]),
            (400, &json!("messages.[3].role"))
        );
        let message = json["message"].as_str().unwrap();
        assert!(message.ends_with("did not have response messages: a, b"));
    }

    #[test]
    fn the_text_shows_status_and_body() {
        let error = ProviderError::scripted(429);
        assert!(error.to_string().contains("429"));
        assert!(error.to_string().contains(&*error.body));
        assert_eq!(error_in(&error)["code"], "rate_limit_exceeded");
        assert_eq!(
            error_in(&ProviderError::scripted(503))["type"],
            "server_error"
        );
    }
}
