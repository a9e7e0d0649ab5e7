use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use contextfit_tower::SummaryJob;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::uri::{PathAndQuery, Uri};
use http::{Method, Request};
use serde_json::{Value, json};

use super::UnreadStream;
use crate::http::request::model_in;
use crate::wire::WireFormat;

/// The least output that OpenAI's Responses may be asked for, in tokens.
const LEAST_OUTPUT: u64 = 16;

/// Where a model is, and how it is asked.
///
/// The URL is the whole one, and a key goes into the [headers](Self::header), or into its query. Gemini
/// and Bedrock are named the model by the URL. A request that has to be signed is signed by the
/// service that sends it.
///
/// ```
/// use contextfit_providers::http::ModelEndpoint;
/// use contextfit_providers::wire::WireFormat;
/// use http::header::{HeaderName, HeaderValue};
/// use serde_json::json;
///
/// let key = HeaderValue::from_static("a key");
/// let haiku = ModelEndpoint::new(
///     WireFormat::AnthropicMessages,
///     "https://api.anthropic.com/v1/messages".parse()?,
/// )
/// .model("claude-haiku-4-5")
/// .header(HeaderName::from_static("x-api-key"), key)
/// .header(HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
///
/// // A server cuts what is above its `num_ctx` without a word, and it is small unless set.
/// let local = ModelEndpoint::new(WireFormat::OllamaChat, "http://localhost:11434/api/chat".parse()?)
///     .model("qwen3:8b")
///     .json(json!({"think": false, "options": {"num_ctx": 32_768}}));
/// # Ok::<(), http::uri::InvalidUri>(())
/// ```
#[derive(Clone)]
pub struct ModelEndpoint {
    format: WireFormat,
    uri: Uri,
    model: Option<String>,
    headers: HeaderMap,
    json: Value,
    is_streamed: bool,
}

impl ModelEndpoint {
    /// A model that is asked in this format, at this URL.
    #[must_use]
    pub fn new(format: WireFormat, uri: Uri) -> Self {
        let json = HeaderValue::from_static("application/json");
        Self {
            format,
            uri,
            model: None,
            headers: HeaderMap::from_iter([(CONTENT_TYPE, json)]),
            json: json!({}),
            is_streamed: false,
        }
    }

    /// Names the model, where the URL doesn't.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Sets a header of the request: the one with the key, say.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Has the model stream its answer, so that a
    /// [stall time-out](contextfit_tower::SummarizerExt::stall_timeout_with) hears of all that it puts out,
    /// and of its thoughts, too. Without, the whole answer has to come within that time.
    ///
    /// Gemini is asked at the URL of `streamGenerateContent`, for server-sent events. OpenAI's Chat
    /// Completions are asked for usage in the stream; a server that doesn't know `stream_options` is
    /// spared that by [`json`](Self::json).
    ///
    /// ```
    /// use contextfit_providers::http::ModelEndpoint;
    /// use contextfit_providers::wire::WireFormat;
    ///
    /// let local = "http://localhost:8080/v1/chat/completions".parse()?;
    /// let local = ModelEndpoint::new(WireFormat::OpenAiChat, local).streamed()?;
    /// let bedrock = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse".parse()?;
    /// let bedrock = ModelEndpoint::new(WireFormat::BedrockConverse, bedrock).streamed();
    /// assert!(bedrock.is_err());
    /// # Ok::<(), contextfit_tower::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The events of Bedrock's Converse are binary, and aren't read.
    pub fn streamed(mut self) -> Result<Self, UnreadStream> {
        match self.format {
            WireFormat::BedrockConverse => {
                return Err(UnreadStream {
                    format: self.format,
                });
            }
            WireFormat::Gemini => self.uri = streaming(self.uri),
            _ => {}
        }
        self.is_streamed = true;
        Ok(self)
    }

    /// The name of the model: the one that was given to it, or that the URL has.
    pub(super) fn model_name(&self) -> Option<String> {
        let named = || model_in(self.uri.path()).map(Cow::into_owned);
        self.model.clone().or_else(named)
    }

    /// Merges JSON into the body of the request: what the model is told beside what is said to it.
    /// Objects are merged, any other value is set, and `null` takes a field away.
    #[must_use]
    pub fn json(mut self, more: Value) -> Self {
        merge(&mut self.json, more, false);
        self
    }

    pub(super) const fn format(&self) -> WireFormat {
        self.format
    }

    /// Asks for a summary.
    pub(super) fn request(&self, job: &SummaryJob) -> Request<Bytes> {
        let mut body = self.body(job.system(), &job.prompt(), job.max_output_tokens);
        if let Some(model) = &self.model {
            body["model"] = model.as_str().into();
        }
        self.ask_for_stream(&mut body);
        merge(&mut body, self.json.clone(), true);
        let mut request = Request::new(Bytes::from(body.to_string()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }

    fn body(&self, instructions: &str, prompt: &str, max_tokens: u64) -> Value {
        let said = json!([
            {"role": "system", "content": instructions},
            {"role": "user", "content": prompt},
        ]);
        match self.format {
            WireFormat::OpenAiChat => json!({
                "messages": said,
                self.max_tokens(): max_tokens,
            }),
            WireFormat::OpenAiResponses => json!({
                "instructions": instructions,
                "input": [{"role": "user", "content": prompt}],
                "max_output_tokens": max_tokens.max(LEAST_OUTPUT),
                // The conversation may be one that isn't to be kept.
                "store": false,
            }),
            WireFormat::AnthropicMessages => json!({
                "system": instructions,
                "messages": [{"role": "user", "content": prompt}],
                "max_tokens": max_tokens,
            }),
            WireFormat::Gemini => json!({
                "systemInstruction": {"parts": [{"text": instructions}]},
                "contents": [{"role": "user", "parts": [{"text": prompt}]}],
                "generationConfig": {"maxOutputTokens": max_tokens},
            }),
            WireFormat::BedrockConverse => json!({
                "system": [{"text": instructions}],
                "messages": [{"role": "user", "content": [{"text": prompt}]}],
                "inferenceConfig": {"maxTokens": max_tokens},
            }),
            WireFormat::OllamaChat => json!({
                "messages": said,
                "options": {"num_predict": max_tokens},
            }),
        }
    }

    fn ask_for_stream(&self, body: &mut Value) {
        match self.format {
            // They are asked by the URL.
            WireFormat::Gemini | WireFormat::BedrockConverse => {}
            // It streams unless told otherwise.
            WireFormat::OllamaChat => body["stream"] = self.is_streamed.into(),
            _ if !self.is_streamed => {}
            WireFormat::OpenAiChat => {
                body["stream"] = true.into();
                body["stream_options"] = json!({"include_usage": true});
            }
            WireFormat::OpenAiResponses | WireFormat::AnthropicMessages => {
                body["stream"] = true.into();
            }
        }
    }

    /// What the most output is called. OpenAI's models that reason know no other name than its new
    /// one, and many other servers know no other than the old one.
    fn max_tokens(&self) -> &'static str {
        let host = self.uri.host().unwrap_or_default();
        let is_open_ai = ["api.openai.com", ".openai.azure.com"]
            .iter()
            .any(|name| host.ends_with(name));
        if is_open_ai {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }
}

/// Where Gemini streams what it generates at a URL. One of another form is told by its query alone.
fn streaming(uri: Uri) -> Uri {
    let path = uri.path();
    let path = match path.strip_suffix(":generateContent") {
        Some(model) => format!("{model}:streamGenerateContent"),
        None => path.to_owned(),
    };
    let query = match uri.query() {
        Some(query) if query.split('&').any(|field| field.starts_with("alt=")) => query.to_owned(),
        Some(query) => format!("{query}&alt=sse"),
        None => "alt=sse".to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = PathAndQuery::try_from(format!("{path}?{query}")).ok();
    Uri::from_parts(parts).unwrap_or(uri)
}

/// Merges JSON into other JSON. A `null` takes a field away, or is kept to do so later.
fn merge(into: &mut Value, more: Value, takes_away: bool) {
    let Value::Object(more) = more else {
        *into = more;
        return;
    };
    if !into.is_object() {
        *into = json!({});
    }
    for (name, value) in more {
        if takes_away && value.is_null() {
            into.as_object_mut().map(|into| into.remove(&name));
        } else {
            merge(&mut into[&name], value, takes_away);
        }
    }
}

impl fmt::Debug for ModelEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys may stand in headers and in the query.
        f.debug_struct("ModelEndpoint")
            .field("format", &self.format)
            .field("host", &self.uri.host())
            .field("path", &self.uri.path())
            .field("model", &self.model)
            .field("is_streamed", &self.is_streamed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(uri: &str) -> ModelEndpoint {
        ModelEndpoint::new(WireFormat::OpenAiChat, uri.parse().unwrap())
    }

    #[test]
    fn open_ai_is_told_the_most_output_by_its_new_name() {
        for (uri, name) in [
            (
                "https://api.openai.com/v1/chat/completions",
                "max_completion_tokens",
            ),
            (
                "https://me.openai.azure.com/openai/deployments/m/chat/completions",
                "max_completion_tokens",
            ),
            (
                "https://openrouter.ai/api/v1/chat/completions",
                "max_tokens",
            ),
            ("/v1/chat/completions", "max_tokens"),
        ] {
            let body = endpoint(uri).body("Summarize.", "Hi.", 50);
            assert_eq!(body[name], 50, "{uri}");
            assert_eq!(body.as_object().unwrap().len(), 2);
        }
    }

    #[test]
    fn gemini_streams_at_another_url() {
        for (uri, streaming) in [
            (
                "https://g.example/v1beta/models/gemini-2.5-flash:generateContent?key=k",
                "https://g.example/v1beta/models/gemini-2.5-flash:streamGenerateContent?key=k&alt=sse",
            ),
            (
                "/models/m:generateContent",
                "/models/m:streamGenerateContent?alt=sse",
            ),
            (
                "/models/m:streamGenerateContent?alt=json&key=k",
                "/models/m:streamGenerateContent?alt=json&key=k",
            ),
            ("https://proxy.example", "https://proxy.example/?alt=sse"),
        ] {
            let endpoint = ModelEndpoint::new(WireFormat::Gemini, uri.parse().unwrap());
            assert_eq!(endpoint.streamed().unwrap().uri, streaming);
        }
    }

    #[test]
    fn a_model_is_named_by_whoever_names_it_or_by_its_url() {
        let gemini = "/v1beta/models/gemini-2.5-flash:generateContent";
        let gemini = ModelEndpoint::new(WireFormat::Gemini, gemini.parse().unwrap());
        assert_eq!(gemini.model_name().as_deref(), Some("gemini-2.5-flash"));
        let streamed = gemini.clone().streamed().unwrap();
        assert_eq!(streamed.model_name(), gemini.model_name());
        assert_eq!(gemini.model("own").model_name().as_deref(), Some("own"));
        assert_eq!(endpoint("/v1/chat/completions").model_name(), None);
    }

    #[test]
    fn objects_are_merged_and_nulls_take_away() {
        let endpoint = endpoint("/")
            .json(json!({"a": {"b": null}}))
            .json(json!({"a": {"c": [1]}, "d": 2}));
        let mut body = json!({"a": {"b": 1, "x": 1}, "d": {}, "e": 3});
        merge(&mut body, endpoint.json, true);
        assert_eq!(body, json!({"a": {"c": [1], "x": 1}, "d": 2, "e": 3}));
    }

    #[test]
    fn keys_stay_out_of_logs() {
        let key = HeaderValue::from_static("secret");
        let endpoint = endpoint("https://example.com/m?key=secret").header(CONTENT_TYPE, key);
        assert!(!format!("{endpoint:?}").contains("secret"));
    }
}
