//! 57 to 59: which errors and which answers are overflows.

use contextfit_core::budget::OversizedOutput;
use contextfit_core::chat::{ChatMessage, ChatResponse};
use contextfit_providers::TextOverflow;
use contextfit_providers::overflow::{Verdict, is_overflow_text};
use contextfit_tests::{Scribe, attempts, chat};
use contextfit_tower::{
    BoxError, ChatUsageReader, Fitter, FitterBuilder, Overflow, OverflowClassifier, UsageOverflow,
};
use serde_json::json;

/// A window of 4 000 tokens, of which a prompt may use 3 000.
fn small() -> FitterBuilder {
    let builder = Fitter::builder()
        .recent_budget()
        .summarizer(Scribe::default());
    builder.window(4_000).reserve(1_000)
}

/// Whether the whole layer takes a result for an overflow.
async fn is_overflow<E: Into<BoxError>>(
    classifier: impl OverflowClassifier<ChatResponse, E> + Clone,
    asked: Option<u32>,
    result: Result<ChatResponse, E>,
) -> bool {
    let fitter = small().build().expect("settings that work");
    let mut request = chat(12, 100);
    request.max_tokens = asked;
    attempts(fitter, classifier, request, result).await.len() == 2
}

/// An error of a client, with the one it came from.
#[derive(Debug, thiserror::Error)]
enum ClientError {
    #[error("too long, by its type")]
    TooLong,
    #[error("{0}")]
    RateLimited(&'static str),
    #[error("{0}")]
    Unknown(&'static str),
    #[error("the request failed")]
    Failed(#[source] BoxError),
}

impl ClientError {
    fn verdict(&self) -> Verdict {
        match self {
            Self::TooLong => Verdict::Overflow(Overflow::new()),
            Self::RateLimited(_) => Verdict::NotOverflow,
            Self::Unknown(_) | Self::Failed(_) => Verdict::Unknown,
        }
    }
}

fn failed(source: impl Into<BoxError>) -> ClientError {
    ClientError::Failed(source.into())
}

#[tokio::test]
async fn a57_an_error_is_an_overflow_by_its_text_typed_or_boxed() {
    use ClientError::Unknown;
    for (text, is_one) in [
        ("prompt is too long", true),
        ("Error: PROMPT IS TOO LONG: 9 > 8", true),
        ("invalid api key", false),
        ("", false),
    ] {
        let classifier = TextOverflow::new();
        assert_eq!(
            is_overflow(classifier, None, Err(Unknown(text))).await,
            is_one
        );
        let classifier = TextOverflow::new();
        let boxed = BoxError::from(failed(failed(Unknown(text))));
        assert_eq!(is_overflow(classifier, None, Err(boxed)).await, is_one);
    }
}

#[tokio::test]
async fn a57_no_error_is_none() {
    let message = ChatMessage::assistant("prompt is too long");
    let answer = ChatResponse::new("a-model", message, "prompt is too long");
    let answer: Result<_, BoxError> = Ok(answer);
    assert!(!is_overflow(TextOverflow::new(), None, answer).await);
    assert!(!is_overflow_text("", None));
}

#[tokio::test]
async fn a57_a_typed_error_in_the_chain_decides_alone() {
    use ClientError::{RateLimited, TooLong, Unknown};
    type Make = fn() -> ClientError;
    let errors: [(Make, bool, bool); 6] = [
        (|| TooLong, true, false),
        (|| failed(failed(TooLong)), true, false),
        (|| RateLimited("prompt is too long"), false, true),
        (|| failed(RateLimited("prompt is too long")), false, true),
        // A type that doesn't say leaves it to the text.
        (|| Unknown("prompt is too long"), true, true),
        (|| Unknown("no"), false, false),
    ];
    for (error, by_type, by_text) in errors {
        let by = |classifier| is_overflow(classifier, None, Err(error()));
        let typed = TextOverflow::new().verdict(ClientError::verdict);
        assert_eq!(by(typed).await, by_type, "{}", error());
        assert_eq!(by(TextOverflow::new()).await, by_text, "{}", error());
    }
}

/// Each says "too many tokens" too.
const EXCLUSIONS: [&str; 5] = [
    "ThrottlingException: too many tokens",
    "service unavailable: too many tokens",
    "too many tokens: rate limit reached",
    "too many requests with too many tokens",
    "error 429: Too Many Requests (too many tokens)",
];

#[test]
fn a57_exclusions_come_first() {
    assert!(is_overflow_text("too many tokens", None));
    for text in EXCLUSIONS {
        for text in worn(text) {
            for status in STATUSES {
                assert!(!is_overflow_text(&text, status), "{text} {status:?}");
            }
        }
    }
}

#[tokio::test]
async fn a57_an_exclusion_counts_wherever_in_the_chain() {
    for text in EXCLUSIONS {
        let error = failed(ClientError::Unknown(text));
        assert!(
            !is_overflow(TextOverflow::new(), None, Err(error)).await,
            "{text}"
        );
    }
    let error = failed("the prompt is too long, or it is a rate limit");
    assert!(!is_overflow(TextOverflow::new(), None, Err(error)).await);
}

/// For each pattern of the rule, texts that it is in.
const PHRASES: [&[&str]; 24] = [
    &["prompt is too long"],
    &["request_too_large"],
    &["input is too long for requested model"],
    &["exceeds the context window"],
    &[
        "exceeds the model's maximum context length",
        "exceeds the models maximum context length",
        "exceeds the maximum context length",
        "exceeds model's maximum context length",
        "exceeds maximum context length",
    ],
    &[
        "input token count (500) exceeds the maximum",
        "input token count exceeds the maximum",
    ],
    &["maximum prompt length is 7"],
    &["reduce the length of the messages"],
    &["maximum context length is 4097 tokens"],
    &[
        "exceeds the maximum allowed input length",
        "exceeds maximum allowed input length",
    ],
    &[
        "is longer than the model's context length",
        "is longer than the models context length",
    ],
    &["exceeds the limit of 8"],
    &["exceeds the available context size"],
    &["greater than the context length"],
    &["context window exceeds limit"],
    &["exceeded model token limit"],
    &["too large for model with 32768 maximum context length"],
    &["but the configured context size is"],
    &["model_context_window_exceeded"],
    &[
        "prompt too long; exceeded context length",
        "prompt too long; exceeded max context length",
    ],
    &["range of input length should be"],
    &[
        "context length exceeded",
        "context_length_exceeded",
        "context_length exceeded",
    ],
    &["too many tokens"],
    &["token limit exceeded"],
];

const STATUSES: [Option<u16>; 8] = [
    None,
    Some(200),
    Some(400),
    Some(403),
    Some(413),
    Some(422),
    Some(500),
    Some(503),
];

/// A text as it may arrive.
fn worn(text: &str) -> [String; 6] {
    let json = json!({ "error": { "code": 400, "message": text } }).to_string();
    [
        text.to_owned(),
        text.to_uppercase(),
        format!("Error code: 400 - {text}. (request 17)"),
        format!("over{text}flow"),
        json!({ "detail": json }).to_string(),
        json,
    ]
}

#[test]
fn a58_each_phrase_says_overflow() {
    for phrase in PHRASES.concat() {
        for text in worn(phrase) {
            for status in STATUSES {
                assert!(is_overflow_text(&text, status), "{text} {status:?}");
            }
        }
    }
}

#[test]
fn a58_near_misses_say_nothing() {
    for text in [
        "prompt is long",
        "request_too_old",
        "input is long for requested model",
        "fits the context window",
        "within the model's maximum context length",
        "output token count exceeds the maximum",
        "exceeds the maximum: input token count",
        "maximum prompt length is unknown",
        "reduce the length of the tool names",
        "maximum context length is not set",
        "exceeds the maximum allowed length of a name",
        "is longer than the model's name",
        "exceeds the limit of your plan",
        "uses the available context size",
        "smaller than the context length",
        "context window limit",
        "exceeded model limit",
        "large for model with 32768 maximum context length",
        "the configured context size is",
        "model_context_window",
        "range of temperature should be",
        "context-length",
        "many tokens",
        "token limit",
    ] {
        for text in worn(text) {
            assert!(!is_overflow_text(&text, None), "{text}");
        }
    }
}

const LENGTH_STOPS: [&str; 3] = ["length", "max_tokens", "max_output_tokens"];
const OTHER_STOPS: [&str; 3] = ["stop", "tool_calls", "content_filter"];

fn answer(stop: &str, prompt: u64, completion: u64) -> Result<ChatResponse, BoxError> {
    let message = ChatMessage::assistant("The first");
    Ok(ChatResponse::new("a-model", message, stop).usage(prompt, completion))
}

fn by_usage() -> UsageOverflow<ChatUsageReader> {
    UsageOverflow::new(ChatUsageReader)
}

#[tokio::test]
async fn a59_without_an_answer_or_its_usage_there_is_none() {
    let classifier = by_usage().trust_short_stops(true);
    let error = BoxError::from("no connection");
    assert!(!is_overflow(classifier, Some(100), Err(error)).await);
    let mut bare = answer("length", 9_000, 0).expect("an answer");
    bare.usage = None;
    assert!(!is_overflow::<BoxError>(classifier, Some(100), Ok(bare)).await);
}

#[tokio::test]
async fn a59_a_prompt_above_the_window_is_one_whatever_ended_the_answer() {
    for stop in [LENGTH_STOPS, OTHER_STOPS].concat() {
        assert!(
            is_overflow(by_usage(), None, answer(stop, 4_001, 5)).await,
            "{stop}"
        );
        assert!(
            !is_overflow(by_usage(), None, answer(stop, 4_000, 5)).await,
            "{stop}"
        );
    }
}

#[tokio::test]
async fn a59_nothing_generated_at_99_percent_of_the_window_is_one() {
    for (prompt, completion, is_one) in [
        (3_960, 0, true),
        (4_000, 0, true),
        (3_959, 0, false),
        (3_960, 1, false),
        (0, 0, false),
    ] {
        for stop in LENGTH_STOPS {
            let answer = answer(stop, prompt, completion);
            assert_eq!(
                is_overflow(by_usage(), None, answer).await,
                is_one,
                "{stop}"
            );
        }
        for stop in OTHER_STOPS {
            let answer = answer(stop, prompt, completion);
            assert!(!is_overflow(by_usage(), None, answer).await, "{stop}");
        }
    }
}

#[tokio::test]
async fn a59_a_length_stop_below_the_output_asked_for_is_one() {
    let trusting = by_usage().trust_short_stops(true);
    for (completion, asked, is_one) in [
        (1, Some(100), true),
        (99, Some(100), true),
        (100, Some(100), false),
        (0, Some(100), false),
        (40, None, false),
    ] {
        for stop in LENGTH_STOPS {
            let answer = || answer(stop, 10, completion);
            assert_eq!(
                is_overflow(trusting, asked, answer()).await,
                is_one,
                "{stop}"
            );
            // A setting here: a provider that caps the output says the same.
            assert!(!is_overflow(by_usage(), asked, answer()).await, "{stop}");
        }
        for stop in OTHER_STOPS {
            let answer = answer(stop, 10, completion);
            assert!(!is_overflow(trusting, asked, answer).await, "{stop}");
        }
    }
}

#[tokio::test]
async fn a59_the_output_asked_for_counts_and_not_what_it_was_lowered_to() {
    let fitter = || {
        let builder = small().oversized_output(OversizedOutput::Lower);
        builder.build().expect("settings that work")
    };
    let trusting = by_usage().trust_short_stops(true);
    let request = || chat(4, 100).max_tokens(3_900);
    let sent = attempts(fitter(), trusting, request(), answer("stop", 10, 1)).await;
    let lowered = sent[0].max_tokens.expect("still asked for");
    assert!(lowered < 3_900, "{lowered}");

    let filled = answer("length", 10, u64::from(lowered));
    assert_eq!(
        attempts(fitter(), trusting, request(), filled).await.len(),
        2
    );
    let asked = answer("length", 10, 3_900);
    assert_eq!(
        attempts(fitter(), trusting, request(), asked).await.len(),
        1
    );
}
