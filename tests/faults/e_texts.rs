//! E. What the text of an error says, and what its numbers are.

use contextfit_core::chat::{ChatRequest, ChatResponse};
use contextfit_providers::TextOverflow;
use contextfit_providers::overflow::{Class, OverflowTemplates};
use contextfit_tests::{Scribe, attempts, chat, estimate};
use contextfit_tower::{BoxError, Fitter};
use serde_json::json;

/// What a provider gets to see that first answers with an error of this text.
async fn sent(text: &str) -> Vec<ChatRequest> {
    let fitter = Fitter::builder()
        .window(4_000)
        .reserve(1_000)
        .summarizer(Scribe::default())
        .build()
        .expect("settings that work");
    let first: Result<ChatResponse, BoxError> = Err(text.into());
    attempts(fitter, TextOverflow::new(), chat(12, 100), first).await
}

fn class(text: &str) -> Class {
    OverflowTemplates::known().classify(text, None).class
}

/// A text as a proxy, Python, a log or a page has it.
fn wrapped(text: &str) -> [String; 7] {
    let json = json!({ "error": { "message": text, "type": "upstream_error" } }).to_string();
    let python = text.replace('\\', r"\\").replace('\'', r"\'");
    let page = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    [
        text.to_owned(),
        format!("Error code: 400 - {{'error': {{'message': '{python}'}}}}"),
        json!({ "detail": json }).to_string(),
        json,
        format!("<html><body><h1>Error</h1><p>{page}</p></body></html>"),
        format!("429 {text}"),
        format!("litellm.APIConnectionError: OpenAIException - {text}\nReceived Model Group=a"),
    ]
}

const OVERFLOWS: [&str; 9] = [
    "This model's maximum context length is 16385 tokens. However, your messages resulted in 17020 tokens.",
    r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}"#,
    "The input token count (1061317) exceeds the maximum number of tokens allowed (1048576).",
    "request (9150 tokens) exceeds the available context size (8192 tokens), try increasing it",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 400 `max_new_tokens`",
    "{'code': '1261', 'message': 'Prompt exceeds max length'}",
    "Range of input length should be [1, 98304]",
    "context_length_exceeded",
    "Your input exceeds the context window of this model.",
];

#[tokio::test]
async fn e1_an_overflow_is_recognised_however_it_is_wrapped() {
    for text in OVERFLOWS {
        for wrapped in wrapped(text) {
            assert_eq!(sent(&wrapped).await.len(), 2, "{wrapped}");
        }
    }
}

#[tokio::test]
async fn e1_what_says_nothing_of_a_prompt_is_none() {
    for text in [
        "Bad gateway",
        "The model `a-model` does not exist",
        "401 Unauthorized: token exceeds maximum length",
        "context deadline exceeded",
        "CUDA out of memory",
    ] {
        for wrapped in wrapped(text) {
            assert_eq!(sent(&wrapped).await.len(), 1, "{wrapped}");
        }
    }
}

#[tokio::test]
async fn e2_a_rate_limit_leaves_the_history_alone() {
    let untouched = json!([chat(12, 100)]);
    for text in [
        "Request too large for model `a` on tokens per minute (TPM): Limit 6000, Requested 14810, please reduce your message size and try again.",
        "Too many tokens, please wait before trying again.",
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 51200. The input or output tokens must be reduced in order to run successfully.",
        r#"{"error":{"type":"rate_limit_error","message":"This request would exceed the rate limit for your organization of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested."}}"#,
    ] {
        for wrapped in wrapped(text) {
            assert_eq!(class(&wrapped), Class::RateOrQuota, "{wrapped}");
            assert_eq!(json!(sent(&wrapped).await), untouched, "{wrapped}");
        }
    }
}

#[tokio::test]
async fn e2_a_header_or_a_setting_of_a_rate_limit_hides_no_overflow() {
    for mention in [
        "headers: {'x-ratelimit-limit-tokens': '30000', 'x-ratelimit-remaining-requests': '9'}",
        r#"{"rate_limit": {"rpm": 100, "tpm": 100000}}"#,
        "rate limit settings: none",
    ] {
        for text in OVERFLOWS {
            let text = format!("{text} {mention}");
            assert_eq!(sent(&text).await.len(), 2, "{text}");
        }
    }
}

#[tokio::test]
async fn e3_too_many_bytes_are_no_overflow() {
    let untouched = json!([chat(12, 100)]);
    for text in [
        r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        "total message size 3150954 exceeds limit 2097152",
        "<html><head><title>413 Request Entity Too Large</title></head></html>",
        "Request payload size exceeds the limit: 20971520 bytes.",
        "messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes",
    ] {
        for wrapped in wrapped(text) {
            assert_eq!(class(&wrapped), Class::ByteSize, "{wrapped}");
            assert_eq!(json!(sent(&wrapped).await), untouched, "{wrapped}");
        }
    }
}

#[tokio::test]
async fn e7_a_code_or_a_delta_is_no_number_of_the_error() {
    let without = sent("prompt is too long").await;
    for text in [
        "invalid params, context window exceeds limit (2013)",
        "prompt too long; exceeded max context length by 1500 tokens (ref: 1200)",
        "prompt too long, code 3051, request 1500",
        "429 prompt is too long",
        "prompt is too long (status 413, attempt 100 of 200)",
    ] {
        let found = OverflowTemplates::known().classify(text, Some(400));
        assert_eq!(
            (found.requested_tokens(), found.limit),
            (None, None),
            "{text}"
        );
        // Sized as without any number.
        let sent = sent(text).await;
        assert_eq!(sent.len(), 2, "{text}");
        assert_eq!(estimate(&sent[1]), estimate(&without[1]), "{text}");
    }
}

#[tokio::test]
async fn e7_the_numbers_of_the_error_size_the_second_attempt() {
    let without = estimate(&sent("prompt is too long").await[1]);
    // Hardly too long by the provider's count, and by two thirds.
    let hardly = estimate(&sent("prompt is too long: 1010 tokens > 1000 maximum").await[1]);
    let far = estimate(&sent("prompt is too long: 1,650 tokens > 1,000 maximum").await[1]);
    assert!(hardly > without && hardly > far, "{hardly} {without} {far}");
    for (text, requested, limit) in [
        (
            "prompt is too long: 213,462 tokens > 200,000 maximum",
            213_462,
            200_000,
        ),
        (
            "prompt is too long: 213.462 tokens > 200.000 maximum",
            213_462,
            200_000,
        ),
        (
            "prompt is too long: 213 462 tokens > 200 000 maximum",
            213_462,
            200_000,
        ),
        (
            "prompt is too long: 213k tokens > 0.2M maximum",
            213_000,
            200_000,
        ),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
            209_573,
            200_000,
        ),
    ] {
        for wrapped in wrapped(text) {
            let found = OverflowTemplates::known().classify(&wrapped, None);
            let numbers = (found.requested_tokens(), found.limit);
            assert_eq!(numbers, (Some(requested), Some(limit)), "{wrapped}");
        }
    }
}
