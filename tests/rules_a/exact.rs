//! Conversations of an exact number of tokens, and the preset that counts them so.

use std::fmt::Display;

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::estimate::CharEstimator;
use contextfit_core::request::{Hints, Native, RequestAdapter, Switch};
use contextfit_core::summary::Envelope;
use contextfit_testing::summaries::{seal_summaries, summary_keys, summary_message};
use contextfit_tests::{Shape, bottom, provider, send};
use contextfit_tower::{FitReport, Fitter, FitterBuilder};

/// The preset with a window, that counts four characters as a token and nothing else.
pub(crate) fn preset(window: u64) -> FitterBuilder {
    Fitter::builder()
        .recent_budget()
        .summary_keys(summary_keys())
        .estimator(CharEstimator::default().with_message_overhead(0))
        .window(window)
}

/// Of 20 000 tokens, 12 000 may be used, and 3 000 are kept.
pub(crate) fn small() -> FitterBuilder {
    preset(20_000).reserve(8_000)
}

/// Builds a fitter whose settings work.
pub(crate) fn build<A>(builder: FitterBuilder<A>) -> Fitter<A> {
    builder.build().expect("settings that work")
}

/// What compacts every request, whatever its size: a fitter whose requests ask for it.
pub(crate) fn forced(
    builder: FitterBuilder,
) -> Fitter<impl RequestAdapter<ChatRequest> + Clone + Send + Sync + 'static> {
    let force = |_: &ChatRequest| Hints::default().switch(Switch::Force);
    build(builder.adapter(Native.with_hints(force)))
}

/// A message of the user with exactly so many tokens.
pub(crate) fn user(label: impl Display, tokens: usize) -> ChatMessage {
    ChatMessage::user(chars(label, 4 * tokens))
}

/// A message of the assistant with exactly so many tokens.
pub(crate) fn assistant(label: impl Display, tokens: usize) -> ChatMessage {
    ChatMessage::assistant(chars(label, 4 * tokens))
}

/// A message of the assistant that calls a tool for each id, with exactly so many tokens.
pub(crate) fn calls(ids: &[&str], tokens: usize) -> ChatMessage {
    let spent: usize = ids.iter().map(|id| id.len() + "read{}".len()).sum();
    let said = ChatMessage::assistant(chars("Calling", 4 * tokens - spent));
    ids.iter()
        .fold(said, |said, id| said.call(*id, "read", "{}"))
}

/// The result of a call, with exactly so many tokens.
pub(crate) fn result(id: &str, tokens: usize) -> ChatMessage {
    let text = chars(format_args!("Result of {id}"), 4 * tokens - id.len());
    ChatMessage::tool(id, text)
}

/// So many rounds of a call and its result, each of the two with exactly so many tokens.
pub(crate) fn rounds(count: usize, tokens: usize) -> Vec<ChatMessage> {
    let round = |number: usize| {
        let id = format!("call_{number:02}");
        [calls(&[&id], tokens), result(&id, tokens)]
    };
    (0..count).flat_map(round).collect()
}

/// So many questions of the user, each with exactly so many tokens.
pub(crate) fn questions(count: usize, tokens: usize) -> Vec<ChatMessage> {
    let question = |number| user(format_args!("Question {number}"), tokens);
    (0..count).map(question).collect()
}

/// The message of an earlier compaction.
pub(crate) fn envelope(summary: impl Into<String>) -> ChatMessage {
    let envelope = Envelope {
        summary: summary.into(),
        messages: 7,
        ..Envelope::default()
    };
    summary_message(&envelope)
}

/// Has a request offer a tool whose schema has 4 002 tokens.
pub(crate) fn with_a_schema(mut request: ChatRequest) -> ChatRequest {
    let schema = format!(r#"[{{"name":"{}"}}]"#, "n".repeat(16_000));
    request.tools = serde_json::from_str(&schema).expect("a schema");
    request
}

/// A text that starts with a label and has exactly so many characters.
fn chars(label: impl Display, count: usize) -> String {
    let label = format!("{label}: ");
    assert!(label.len() <= count, "{label} is too long for {count}");
    let filler = "and so it goes on and on ".chars().cycle();
    label.chars().chain(filler).take(count).collect()
}

/// A request for a model.
pub(crate) fn ask(messages: impl IntoIterator<Item = ChatMessage>) -> ChatRequest {
    let mut request = ChatRequest::new("a-model", messages);
    seal_summaries(&mut request);
    request
}

/// Tokens of the whole prompt, as a fitter counts.
pub(crate) fn tokens<A>(fitter: &Fitter<A>, request: &ChatRequest) -> u64
where
    A: RequestAdapter<ChatRequest>,
{
    fitter.measure(request).expect("readable").prompt()
}

/// The summary that stands in a request.
pub(crate) fn summary(request: &ChatRequest) -> String {
    Envelope::find_unverified(request)
        .expect("an envelope")
        .1
        .summary
}

/// A request after a fit that changes it, and the report.
pub(crate) async fn fit<A>(fitter: &Fitter<A>, request: &ChatRequest) -> (ChatRequest, FitReport)
where
    A: RequestAdapter<ChatRequest> + Clone,
{
    let fitted = fitter.fit(request.clone()).await.expect("it can be sent");
    let report = fitted.report.expect("it was changed");
    (fitted.request, report)
}

/// Whether a fit leaves a request as it is.
pub(crate) async fn is_left_alone<A>(fitter: &Fitter<A>, request: &ChatRequest) -> bool
where
    A: RequestAdapter<ChatRequest> + Clone,
{
    let fitted = fitter.fit(request.clone()).await.expect("it can be sent");
    fitted.report.is_none() && fitted.request.messages == request.messages
}

/// What reaches a provider that takes anything, through both layers.
pub(crate) async fn sent<A>(fitter: &Fitter<A>, request: &ChatRequest) -> ChatRequest
where
    A: RequestAdapter<ChatRequest> + Clone + Send + Sync + 'static,
{
    let provider = provider(10_000_000);
    let stack = Shape::Joint.around(bottom(&provider), fitter);
    send(&stack, request.clone()).await.expect("it is answered");
    assert_eq!(provider.totals().answered, 1);
    provider.last_received().expect("sent").request.clone()
}
