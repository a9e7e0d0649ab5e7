use std::borrow::Cow;

use http::request::Parts;
use http::{HeaderMap, Method, header};
use percent_encoding::percent_decode_str;

use crate::wire::WireFormat;

/// How the body of a request is written, by where the request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route<'a> {
    pub(super) format: WireFormat,
    /// The model, where the path names it.
    pub(super) model: Option<Cow<'a, str>>,
}

/// Where a request goes, if that is a conversation.
pub(super) fn route(head: &Parts) -> Option<Route<'_>> {
    if is_editable(head) {
        by_path(head.uri.path())
    } else {
        None
    }
}

/// The model that a path names, if it names one.
pub(in crate::http) fn model_in(path: &str) -> Option<Cow<'_, str>> {
    by_path(path)?.model
}

fn by_path(path: &str) -> Option<Route<'_>> {
    let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let (format, model) = match *segments.as_slice() {
        // Azure names the model as a deployment.
        [.., "deployments", model, "chat", "completions"] => (WireFormat::OpenAiChat, Some(model)),
        [.., "chat", "completions"] => (WireFormat::OpenAiChat, None),
        [.., "responses"] => (WireFormat::OpenAiResponses, None),
        // OpenAI's Assistants have messages of their own.
        [.., "threads", _, "messages"] => return None,
        [.., "messages"] => (WireFormat::AnthropicMessages, None),
        [.., "api", "chat"] => (WireFormat::OllamaChat, None),
        [.., "model", model, "converse" | "converse-stream"] => {
            (WireFormat::BedrockConverse, Some(model))
        }
        [.., "model", model, "invoke" | "invoke-with-response-stream"]
            if model.contains("anthropic") =>
        {
            (WireFormat::AnthropicMessages, Some(model))
        }
        [.., "publishers", publisher, "models", called] => vertex(publisher, called)?,
        [.., "models" | "tunedModels", called] => gemini(called)?,
        _ => return None,
    };
    let decoded = |model| percent_decode_str(model).decode_utf8_lossy();
    Some(Route {
        format,
        model: model.map(decoded),
    })
}

/// A model of Vertex AI, and what is asked of it.
fn vertex<'a>(publisher: &str, called: &'a str) -> Option<(WireFormat, Option<&'a str>)> {
    let (model, action) = called.split_once(':')?;
    match (publisher, action) {
        ("anthropic", "rawPredict" | "streamRawPredict") => {
            Some((WireFormat::AnthropicMessages, Some(model)))
        }
        ("mistralai", "rawPredict" | "streamRawPredict") => {
            Some((WireFormat::OpenAiChat, Some(model)))
        }
        _ => gemini(called),
    }
}

fn gemini(called: &str) -> Option<(WireFormat, Option<&str>)> {
    let (model, action) = called.split_once(':')?;
    let generates = matches!(action, "generateContent" | "streamGenerateContent");
    generates.then_some((WireFormat::Gemini, Some(model)))
}

/// Whether the body is JSON that may be changed.
pub(super) fn is_editable(head: &Parts) -> bool {
    head.method == Method::POST && is_json(&head.headers) && !is_signed(&head.headers)
}

/// Where nothing else is said, it may be.
fn is_json(headers: &HeaderMap) -> bool {
    let is = |name, allows: fn(&str) -> bool| {
        let value = headers.get(name);
        value.is_none_or(|value| value.to_str().is_ok_and(allows))
    };
    is(header::CONTENT_TYPE, |kind| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/json") || kind.ends_with("+json")
    }) && is(header::CONTENT_ENCODING, |encoding| {
        encoding.eq_ignore_ascii_case("identity")
    })
}

/// Whether a header vouches for the body as it is: with another body, the request is refused.
fn is_signed(headers: &HeaderMap) -> bool {
    let names = [
        "content-digest",
        "content-md5",
        "digest",
        "x-amz-content-sha256",
    ];
    let authorization = headers.get(header::AUTHORIZATION);
    names.iter().any(|name| headers.contains_key(*name))
        || authorization.is_some_and(|value| value.as_bytes().starts_with(b"AWS4-HMAC"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(path: &str, headers: &[(&'static str, &str)]) -> Parts {
        let mut request = http::Request::post(format!("https://example.com{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn found(path: &str) -> Option<(WireFormat, Option<String>)> {
        let head = head(path, &[]);
        route(&head).map(|route| (route.format, route.model.map(Cow::into_owned)))
    }

    #[test]
    fn the_path_says_how_a_body_is_written_and_may_name_the_model() {
        use WireFormat::*;
        for (path, format, model) in [
            ("/v1/chat/completions", OpenAiChat, None),
            ("/v1/chat/completions/", OpenAiChat, None),
            ("/v1beta/openai/chat/completions", OpenAiChat, None),
            (
                "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
                OpenAiChat,
                Some("my-gpt"),
            ),
            ("/v1/responses", OpenAiResponses, None),
            ("/v1/messages?beta=true", AnthropicMessages, None),
            ("/api/chat", OllamaChat, None),
            (
                "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
                Gemini,
                Some("gemini-2.5-pro"),
            ),
            (
                "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent",
                Gemini,
                Some("gemini-2.5-pro"),
            ),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
                AnthropicMessages,
                Some("claude-sonnet-4-5@20250929"),
            ),
            (
                "/model/anthropic.claude-sonnet-4-20250514-v1%3A0/converse-stream",
                BedrockConverse,
                Some("anthropic.claude-sonnet-4-20250514-v1:0"),
            ),
            (
                "/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke",
                AnthropicMessages,
                Some("us.anthropic.claude-sonnet-4-20250514-v1:0"),
            ),
        ] {
            let expected = Some((format, model.map(str::to_owned)));
            assert_eq!(found(path), expected, "{path}");
        }
    }

    #[test]
    fn other_traffic_is_no_conversation() {
        for path in [
            "/",
            "/v1/embeddings",
            "/v1/models/gemini-2.5-pro:countTokens",
            "/v1/messages/count_tokens",
            "/v1/messages/batches",
            "/v1/threads/t/messages",
            "/v1/responses/r/cancel",
            "/v1/completions",
            "/model/meta.llama3/invoke",
            "/api/generate",
        ] {
            assert_eq!(found(path), None, "{path}");
        }
        let get = http::Request::get("/v1/chat/completions").body(()).unwrap();
        assert_eq!(route(&get.into_parts().0), None);
    }

    #[test]
    fn a_body_that_may_not_be_changed_is_left_alone() {
        for (name, value, is_read) in [
            ("content-type", "application/json; charset=utf-8", true),
            ("content-type", "application/vnd.api+json", true),
            ("content-type", "multipart/form-data", false),
            ("content-encoding", "identity", true),
            ("content-encoding", "gzip", false),
            ("authorization", "Bearer k", true),
            ("authorization", "AWS4-HMAC-SHA256 Credential=c", false),
            ("x-amz-content-sha256", "ab", false),
            ("content-digest", "sha-256=:ab=:", false),
        ] {
            let head = head("/v1/chat/completions", &[(name, value)]);
            assert_eq!(route(&head).is_some(), is_read, "{name}: {value}");
        }
    }
}
