//! 19: which errors are overflows.

use std::sync::LazyLock;

use contextfit_core::chat::ChatResponse;
use contextfit_providers::TextOverflow;
use contextfit_providers::overflow::{OverflowTemplates, is_overflow_text};
use contextfit_tests::{Scribe, attempts, chat};
use contextfit_tower::{BoxError, Fitter};

const PHRASES: [&str; 7] = [
    "context length",
    "context_length",
    "context window",
    "maximum context",
    "too many tokens",
    "prompt is too long",
    "input length",
];

const OTHER_STATUSES: [u16; 7] = [200, 401, 403, 422, 429, 500, 503];

/// An error of a client that speaks HTTP.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the provider answered: {body}")]
struct HttpError {
    status: u16,
    body: String,
}

/// As the rule has it: nothing is an overflow but by status 400 or 413.
static STRICT: LazyLock<OverflowTemplates> = LazyLock::new(|| {
    let builder = OverflowTemplates::builder().only_statuses([400, 413]);
    builder.build().expect("known phrases")
});

/// Whether the whole layer takes an error for an overflow.
async fn is_overflow(error: BoxError) -> bool {
    let fitter = Fitter::builder()
        .topic_and_half()
        .window(4_000)
        .reserve(1_000);
    let fitter = fitter.summarizer(Scribe::default()).build();
    let classifier = TextOverflow::new()
        .templates(STRICT.clone())
        .status(|error: &HttpError| Some(error.status));
    let first: Result<ChatResponse, BoxError> = Err(error);
    let sent = attempts(
        fitter.expect("settings that work"),
        classifier,
        chat(12, 100),
        first,
    );
    sent.await.len() == 2
}

#[tokio::test]
async fn b19_each_phrase_says_overflow_with_status_400_or_413() {
    for phrase in PHRASES {
        for body in [
            phrase.to_owned(),
            phrase.to_uppercase(),
            format!("{{\"error\": \"the {phrase} of this model\"}}"),
        ] {
            for status in [400, 413] {
                let body = body.clone();
                assert!(is_overflow_text(&body, Some(status)), "{body} {status}");
                assert!(is_overflow(HttpError { status, body }.into()).await);
            }
        }
    }
}

#[tokio::test]
async fn b19_with_another_status_none_does() {
    for phrase in PHRASES {
        for status in OTHER_STATUSES {
            let body = phrase.to_owned();
            assert!(
                !STRICT.classify(&body, Some(status)).class.is_overflow(),
                "{body} {status}"
            );
            assert!(!is_overflow(HttpError { status, body }.into()).await);
        }
    }
}

#[tokio::test]
async fn b19_an_error_that_is_not_http_is_none() {
    for phrase in PHRASES {
        assert!(
            !STRICT.classify(phrase, None).class.is_overflow(),
            "{phrase}"
        );
        assert!(!is_overflow(phrase.into()).await, "{phrase}");
    }
}

#[tokio::test]
async fn b19_another_error_with_status_400_is_none() {
    for body in [
        "invalid api key",
        "tools is not supported",
        "context",
        "too many tools",
        "",
    ] {
        for status in [400, 413] {
            let body = body.to_owned();
            assert!(!is_overflow_text(&body, Some(status)), "{body}");
            assert!(!is_overflow(HttpError { status, body }.into()).await);
        }
    }
}

/// The broad phrases alone: what they say without the setting that makes this rule exact.
#[test]
fn b19_a_broad_phrase_says_nothing_by_itself() {
    let broad = |phrase: &&str| !["too many tokens", "prompt is too long"].contains(phrase);
    for phrase in PHRASES.into_iter().filter(broad) {
        assert!(!is_overflow_text(phrase, None), "{phrase}");
        for status in OTHER_STATUSES {
            assert!(!is_overflow_text(phrase, Some(status)), "{phrase} {status}");
        }
    }
}
