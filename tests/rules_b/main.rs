//! What the second of the two systems that are covered does, rule by rule.
//!
//! A test is named by the rule's number.

mod budget;
mod compaction;
mod estimates;
mod failures;
mod overflow;
mod recovery;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::estimate::CharEstimator;
use contextfit_testing::provider::{ProviderError, ProviderErrorKind, SimulatedProvider};
use contextfit_tests::{Erased, bottom, ptr, ptrs, text};
use contextfit_tower::{BoxError, ContextFitLayer, Fitter, FitterBuilder, Overflow, classifier_fn};
use tower::Layer;

/// Four characters to a token and nothing besides.
const EXACT: CharEstimator =
    CharEstimator::new(CharEstimator::CHARS_PER_TOKEN).with_message_overhead(0);

/// The preset, with a window of so many tokens, all of them for the prompt.
fn preset(window: u64) -> FitterBuilder {
    let preset = Fitter::builder().topic_and_half();
    preset.window(window).reserve(0).estimator(EXACT)
}

/// A fitter with settings that work.
fn built<A>(builder: FitterBuilder<A>) -> Fitter<A> {
    builder.build().expect("settings that work")
}

/// A conversation whose messages have so many tokens each: the topic, what is said to it, and a
/// last question.
fn talk(tokens: &[usize]) -> ChatRequest {
    let last = tokens.len() - 1;
    let message = |(index, &tokens): (usize, &usize)| {
        // Four of them would be the message's own, for the usual estimator.
        let text = text(&format!("Message {index}:"), tokens + 4);
        if index == 0 || index == last {
            ChatMessage::user(text)
        } else {
            ChatMessage::assistant(text)
        }
    };
    ChatRequest::new("a-model", tokens.iter().enumerate().map(message))
}

/// The same conversation, with a system message of so many tokens before it.
fn under_system(tokens: usize, mut request: ChatRequest) -> ChatRequest {
    let system = ChatMessage::system(text("You are careful.", tokens + 4));
    request.messages.insert(0, system);
    request
}

/// The messages of a conversation, by number, that are still there, their text not copied.
fn kept(before: &ChatRequest, after: &ChatRequest) -> Vec<usize> {
    let after = ptrs(after);
    let is_kept = |&index: &usize| after.contains(&ptr(&before.messages[index]));
    (0..before.messages.len()).filter(is_kept).collect()
}

/// The preset's layers around a provider of which it is known that a request was too long, and
/// nothing more.
fn without_numbers(provider: &SimulatedProvider, fitter: Fitter) -> Erased {
    let too_long = classifier_fn(|_, result: &Result<ChatResponse, BoxError>| {
        let error: &ProviderError = result.as_ref().err()?.downcast_ref()?;
        let is_overflow = matches!(error.kind, ProviderErrorKind::ContextLength { .. });
        is_overflow.then(Overflow::new)
    });
    let layer = ContextFitLayer::new(fitter).overflow_retry(too_long);
    Erased::new(layer.layer(bottom(provider)))
}
