//! What the engine does, and the faults in it that a review found, one idea a file.
//!
//! Each test is named by what holds. The README beside this folder says what each needs to fail.

mod calibrating;
mod clipping;
mod elsewhere;
mod envelopes;
mod estimates;
mod explaining;
mod later;
mod learned;
mod lowering;
mod parts;
mod privacy;
mod recovery;
mod sessions;
mod settings;
mod strategies;
mod summaries;
mod summarizers;
mod triggers;
mod usage;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::summary::Envelope;
use contextfit_testing::summaries::{seal_summaries, summary_keys};
use contextfit_tests::{Erased, Shape};
use contextfit_tower::{
    BoxError, Fitter, FitterBuilder, OverflowClassifier, SummarizeError, Summary,
};

type Failure = fn() -> Result<Summary, SummarizeError>;

/// The ways in which there is no usable summary.
const FAILURES: [Failure; 4] = [
    || Err(SummarizeError::failed("no connection")),
    || Ok(Summary::new(" \n\t")),
    || Ok(Summary::new("They decided to").cut_off(true)),
    || Ok(Summary::new("word ".repeat(10_000))),
];

/// A text of so many tokens.
fn t(tokens: usize) -> String {
    "abc ".repeat(tokens)
}

/// So many messages, of the user and the assistant in turn, with a text of so many tokens each.
fn talk(count: usize, tokens: usize) -> Vec<ChatMessage> {
    let message = |index: usize| match index % 2 {
        0 => ChatMessage::user(t(tokens)),
        _ => ChatMessage::assistant(t(tokens)),
    };
    (0..count).map(message).collect()
}

/// A request for a model.
fn ask(messages: impl IntoIterator<Item = ChatMessage>) -> ChatRequest {
    let mut request = ChatRequest::new("a-model", messages);
    seal_summaries(&mut request);
    request
}

/// A call and its result.
fn round(result: impl Into<contextfit_core::chat::Content>) -> [ChatMessage; 2] {
    [
        ChatMessage::assistant("I look.").call("call_1", "read", "{}"),
        ChatMessage::tool("call_1", result),
    ]
}

/// A window of 4 000 tokens, of which a prompt may use 3 000.
fn small() -> FitterBuilder {
    Fitter::builder()
        .summary_keys(summary_keys())
        .window(4_000)
        .reserve(1_000)
}

/// The message that stands for what was cut, and what it says.
fn envelope(request: &ChatRequest) -> Envelope {
    Envelope::find_unverified(request).expect("an envelope").1
}

/// Tokens of the whole prompt, as the fitter counts.
fn prompt(fitter: &Fitter, request: &ChatRequest) -> u64 {
    fitter.measure(request).expect("readable").prompt()
}

/// The layers around a service, with any classifier.
fn recovering<C>(shape: Shape, inner: Erased, fitter: &Fitter, classifier: C) -> Erased
where
    C: OverflowClassifier<ChatResponse, BoxError> + Clone + 'static,
{
    shape.around_with(inner, fitter, classifier)
}
