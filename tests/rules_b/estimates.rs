//! 1 and 2: what a text costs, and what of it a compaction keeps.

use std::sync::Arc;

use contextfit_core::budget::BudgetRules;
use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::estimate::{CharEstimator, Estimator};
use contextfit_core::request::{Piece, Str};
use contextfit_core::summary::Envelope;
use contextfit_tests::{Scribe, content};
use contextfit_tower::{ConfigError, Fitter};

use crate::{EXACT, built, preset, talk};

#[test]
fn b01_four_characters_are_a_token_and_half_of_the_limit_is_the_target() {
    assert_eq!(CharEstimator::CHARS_PER_TOKEN.get(), 4);
    assert!((BudgetRules::TARGET - 0.5).abs() < f64::EPSILON);
}

/// Ours differs: 256 000 tokens are the caller's own maximum, because a window that was guessed
/// in silence is wrong for most models.
#[test]
fn b01_a_maximum_of_256_000_tokens_is_said_and_never_guessed() {
    let unknown = || Fitter::builder().topic_and_half();
    assert_eq!(unknown().build().err(), Some(ConfigError::NoWindow));
    assert!(unknown().max_context_tokens(256_000).build().is_ok());
}

/// Ours differs in its wording: a tag that nobody closes from inside, instead of a prefix.
#[tokio::test]
async fn b01_a_summary_says_what_it_is() {
    let fitter = built(preset(4_000).summarizer(Scribe::default()));
    let request = talk(&[100, 2_000, 2_000, 100]);
    let fitted = fitter.fit(request).await.expect("fits").request;
    let (at, envelope) = Envelope::find_unverified(&fitted).expect("a summary");
    assert_eq!(envelope.summary, "They went through it all.");
    assert!(content(&fitted.messages[at]).contains("a record of the earlier part"));
}

#[test]
fn b02_a_text_costs_a_quarter_of_its_characters_rounded_down() {
    for (text, tokens) in [
        ("", 0),
        ("abc", 0),
        ("abcd", 1),
        ("abcdefg", 1),
        ("abcdefgh", 2),
        // Characters, not bytes.
        ("éééé", 1),
        ("日本語だ", 1),
    ] {
        let count = CharEstimator::default().count(Piece::Text(Str::plain(text)));
        assert_eq!(count.floor(), tokens, "{text}");
    }
}

#[test]
fn b02_a_conversation_costs_the_sum_of_its_messages_each_rounded_down() {
    let fitter = built(preset(4_000));
    let measured = |messages: &[ChatMessage]| {
        let request = ChatRequest::new("a-model", messages.iter().cloned());
        fitter.measure(&request).expect("readable").messages
    };
    let seven = ChatMessage::user("abcdefg");
    assert_eq!(measured(&[]), 0);
    assert_eq!(measured(std::slice::from_ref(&seven)), 1);
    assert_eq!(measured(&[seven.clone(), seven.clone(), seven]), 3);
}

/// Ours differs: the name of who speaks costs its characters, and what a provider writes around
/// it is the overhead of a message, 4 tokens unless set. `[Alice] 12345678` are 4 tokens.
#[test]
fn b02_who_speaks_costs_too() {
    let message = ChatMessage {
        name: Some(Arc::from("Alice")),
        ..ChatMessage::user("12345678")
    };
    let request = ChatRequest::new("a-model", [message]);
    for (estimator, tokens) in [(EXACT, 3), (CharEstimator::default(), 7)] {
        let fitter = built(preset(4_000).estimator(estimator));
        let measured = fitter.measure(&request);
        assert_eq!(measured.expect("readable").messages, tokens);
    }
}
