use contextfit_core::chat::{ChatMessage, ChatRequest, Content};
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::summary::Envelope;
use contextfit_testing::summaries::{seal_summaries, summary_message};

/// A text that makes a message of so many tokens, as the default estimator counts; 4 of them
/// are the message's own. It starts with the label, so that no two messages are alike.
#[must_use]
pub fn text(label: &str, tokens: usize) -> String {
    let filler = " and so it goes on and on".chars().cycle();
    let chars = tokens.saturating_sub(4) * 4;
    label.chars().chain(filler).take(chars).collect()
}

/// A chat of so many questions with their answers and a last question, each message of so many
/// tokens, after a system message.
#[must_use]
pub fn chat(turns: usize, tokens: usize) -> ChatRequest {
    let mut messages = vec![ChatMessage::system("You are a careful assistant.")];
    for turn in 0..turns {
        messages.push(ChatMessage::user(text(
            &format!("Question {turn}:"),
            tokens,
        )));
        messages.push(ChatMessage::assistant(text(
            &format!("Answer {turn}:"),
            tokens,
        )));
    }
    messages.push(ChatMessage::user(text("The last question:", tokens)));
    ChatRequest::new("a-model", messages)
}

/// A long chat that was compacted before: our summary stands after the first question.
#[must_use]
pub fn compacted_chat() -> ChatRequest {
    let mut compacted = chat(40, 100);
    let envelope = Envelope {
        summary: "Port 8080 was chosen.".into(),
        messages: 7,
        ..Envelope::default()
    };
    compacted.messages.insert(2, summary_message(&envelope));
    seal_summaries(&mut compacted);
    compacted
}

/// A chat of questions alone: nobody else said anything.
#[must_use]
pub fn questions(count: usize, tokens: usize) -> ChatRequest {
    let questions =
        (0..count).map(|turn| ChatMessage::user(text(&format!("Question {turn}:"), tokens)));
    ChatRequest::new("a-model", questions)
}

/// The work of an agent: turns with so many rounds of two parallel calls, whose results come in
/// the other order. Each message has so many tokens.
///
/// `id` names call 0 or 1 of a round of a turn.
#[must_use]
pub fn agent(
    turns: usize,
    rounds: usize,
    tokens: usize,
    id: impl Fn(usize, usize, usize) -> String,
) -> ChatRequest {
    let mut messages = vec![ChatMessage::system("You are a careful agent.")];
    for turn in 0..turns {
        messages.push(ChatMessage::user(text(&format!("Task {turn}:"), tokens)));
        for round in 0..rounds {
            let label = |what: &str, call: usize| format!("{what} {turn}.{round}.{call}:");
            let id = |call| id(turn, round, call);
            messages.push(
                ChatMessage::assistant(text(&label("Plan", 0), tokens))
                    .call(id(0), "read", "{\"file\":0}")
                    .call(id(1), "read", "{\"file\":1}"),
            );
            for call in [1, 0] {
                messages.push(ChatMessage::tool(
                    id(call),
                    text(&label("Result", call), tokens),
                ));
            }
        }
        messages.push(ChatMessage::assistant(text(
            &format!("Report {turn}:"),
            tokens,
        )));
    }
    messages.push(ChatMessage::user(text("The last task:", tokens)));
    ChatRequest::new("a-model", messages)
}

/// Names each call of an [`agent`] otherwise.
#[must_use]
pub fn unique(turn: usize, round: usize, call: usize) -> String {
    format!("call_{turn}_{round}_{call}")
}

/// A chat whose whole prompt is exactly so many tokens, as the default estimator counts. They
/// are 200 or more.
#[must_use]
pub fn sized(tokens: u64) -> ChatRequest {
    let turns = (tokens / 200).saturating_sub(1);
    let mut request = chat(usize::try_from(turns).unwrap_or(0), 100);
    let rest = tokens.saturating_sub(estimate(&request)) + 100;
    let last = text("The last question:", usize::try_from(rest).unwrap_or(0));
    request.messages.pop();
    request.messages.push(ChatMessage::user(last));
    request
}

/// Tokens of the whole prompt, as the default estimator counts.
#[must_use]
pub fn estimate(request: &ChatRequest) -> u64 {
    measure(request, &CharEstimator::default()).prompt()
}

/// All texts of a request, in order.
#[must_use]
pub fn texts(request: &ChatRequest) -> Vec<String> {
    request.messages.iter().map(ChatMessage::text).collect()
}

/// The text of a message, which is plain.
///
/// # Panics
///
/// It isn't.
#[must_use]
pub fn content(message: &ChatMessage) -> &str {
    match &message.content {
        Some(Content::Text(text)) => text,
        other => panic!("a plain text, not {other:?}"),
    }
}

/// Where the text of a message is in memory: the same for a message that was moved or whose
/// text is shared, another for a copy.
#[must_use]
pub fn ptr(message: &ChatMessage) -> *const u8 {
    content(message).as_ptr()
}

/// [`ptr`] of every message.
#[must_use]
pub fn ptrs(request: &ChatRequest) -> Vec<*const u8> {
    request.messages.iter().map(ptr).collect()
}
