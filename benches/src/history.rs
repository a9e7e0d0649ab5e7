use contextfit_core::chat::{ChatMessage, ChatRequest, Content};
use contextfit_core::estimate::CharEstimator;

use crate::random::Random;

/// What texts are made of: prose, code, JSON, a log, and some that isn't ASCII.
const SAMPLE: &str = r#"
The worker takes a job from the queue, writes the result and only then acknowledges it. If it dies
in between, the job is delivered again, so every step has to be safe to repeat.
    pub fn acknowledge(&mut self, id: JobId) -> Result<(), QueueError> {
        let job = self.running.remove(&id).ok_or(QueueError::Unknown(id))?;
        self.log.append(&Record::Done { id, attempts: job.attempts })
    }
{"id":"job-7731","state":"running","attempts":2,"owner":"worker-3","tags":["import","nightly"]}
2026-03-02T04:11:07.482Z  WARN queue::lease: lease expired id=job-7731 owner=worker-3 after=30s
2026-03-02T04:11:07.490Z  INFO queue::deliver: delivered again id=job-7731 owner=worker-5
Größere Aufträge werden geteilt — höchstens 64 Stück. Отчёт готов. 任务已经完成。 ✅
test queue::tests::a_lease_that_expires_is_delivered_again ... ok
"#;

/// A long agent session: `messages` messages of about `tokens` tokens, at four characters each.
///
/// Turns of a user's message, a few rounds of tool calls, and an answer. Two fifths of the messages
/// are tool results. Their sizes have a heavy tail: each doubling is half as frequent, so that most
/// are short and a few are most of the text. The same arguments always give the same history.
///
/// ```
/// use contextfit_benches::history;
/// use contextfit_core::estimate::{CharEstimator, measure};
///
/// let request = history(3_600, 1_000_000);
/// assert_eq!(request.messages.len(), 3_600);
/// let tokens = measure(&request, &CharEstimator::default()).prompt();
/// assert!((990_000..=1_010_000).contains(&tokens), "{tokens}");
/// ```
#[must_use]
pub fn history(messages: usize, tokens: usize) -> ChatRequest {
    let outline = outline(messages);
    let weight: usize = outline.iter().map(Outline::weight).sum();
    let framing = usize::try_from(CharEstimator::MESSAGE_OVERHEAD).unwrap_or_default() * messages;
    let chars = tokens.saturating_sub(framing) * 4;
    // Ids and names aren't scaled.
    let short: usize = outline.iter().map(Outline::short).sum();
    let scale = |size: usize| size * chars.saturating_sub(short) / weight.max(1);
    let mut text = Text::default();
    ChatRequest::new(
        "a-model",
        outline.iter().map(|entry| entry.message(scale, &mut text)),
    )
}

/// A request of six messages, as a chat begins.
#[must_use]
pub fn small() -> ChatRequest {
    let request = history(6, 400);
    assert!(request.messages.iter().any(|it| !it.tool_calls.is_empty()));
    request
}

/// Every text of a request that an estimator reads, as it lies in memory.
#[must_use]
pub fn texts(request: &ChatRequest) -> Vec<&str> {
    let mut texts = Vec::new();
    for message in &request.messages {
        if let Some(Content::Text(text)) = &message.content {
            texts.push(&**text);
        }
        texts.extend(message.tool_call_id.as_deref());
        for call in &*message.tool_calls {
            texts.extend([&*call.id, call.name(), call.arguments()]);
        }
    }
    texts
}

/// The characters of all texts: what the fits-check is compared with.
#[must_use]
pub fn chars(texts: &[&str]) -> usize {
    texts.iter().map(|text| text.chars().count()).sum()
}

/// A message before it has a text. Sizes are weights, in no unit.
enum Outline {
    System(usize),
    User(usize),
    Calls(Vec<(usize, usize)>),
    Result(usize, usize),
    Answer(usize),
}

impl Outline {
    fn weight(&self) -> usize {
        match self {
            Self::System(size) | Self::User(size) | Self::Answer(size) | Self::Result(_, size) => {
                *size
            }
            Self::Calls(calls) => calls.iter().map(|&(_, size)| size).sum(),
        }
    }

    /// Characters that don't follow from the weight.
    fn short(&self) -> usize {
        match self {
            Self::Result(call, _) => id(*call).len(),
            Self::Calls(calls) => calls
                .iter()
                .map(|&(call, _)| id(call).len() + tool(call).len() + arguments("").len())
                .sum(),
            _ => 0,
        }
    }

    fn message(&self, scale: impl Fn(usize) -> usize, text: &mut Text) -> ChatMessage {
        match self {
            Self::System(size) => ChatMessage::system(text.take(scale(*size))),
            Self::User(size) => ChatMessage::user(text.take(scale(*size))),
            Self::Answer(size) => ChatMessage::assistant(text.take(scale(*size))),
            Self::Result(call, size) => ChatMessage::tool(id(*call), text.take(scale(*size))),
            Self::Calls(calls) => {
                let silent = ChatMessage {
                    content: None,
                    ..ChatMessage::assistant("")
                };
                calls.iter().fold(silent, |message, &(call, size)| {
                    let arguments = arguments(&text.take(scale(size)));
                    message.call(id(call), tool(call), arguments)
                })
            }
        }
    }
}

fn id(call: usize) -> String {
    format!("call_{call:016x}")
}

const fn tool(call: usize) -> &'static str {
    ["read_file", "search", "run_tests", "edit_file"][call % 4]
}

/// Not escaped: nothing here parses it.
fn arguments(text: &str) -> String {
    format!(r#"{{"path":"crates/queue/src/lease.rs","text":"{text}"}}"#)
}

fn outline(messages: usize) -> Vec<Outline> {
    let mut random = Random::new(7);
    let mut outline = vec![Outline::System(40)];
    let mut call = 0;
    while outline.len() < messages {
        outline.push(Outline::User(random.below(20)));
        for _ in 0..=random.below(5) {
            let calls: Vec<_> = (0..=usize::from(random.below(4) == 0))
                .map(|index| (call + index, random.below(12)))
                .collect();
            let results = call..call + calls.len();
            call = results.end;
            outline.push(Outline::Calls(calls));
            outline.extend(results.map(|call| Outline::Result(call, heavy_tail(&mut random))));
        }
        outline.push(Outline::Answer(random.below(60)));
    }
    outline.truncate(messages);
    outline
}

/// From 8 to 8 · 2⁸, each doubling half as frequent.
fn heavy_tail(random: &mut Random) -> usize {
    let least = 8 << random.doublings(7);
    least + random.below(least)
}

/// Reads on in the sample, round and round.
#[derive(Default)]
struct Text {
    taken: usize,
}

impl Text {
    fn take(&mut self, chars: usize) -> String {
        let skip = self.taken % SAMPLE.chars().count();
        self.taken += chars;
        SAMPLE.chars().cycle().skip(skip).take(chars).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextfit_core::chat::ChatRole;
    use contextfit_core::estimate::measure;

    #[test]
    fn two_fifths_are_tool_results_and_a_tenth_of_them_are_most_of_the_text() {
        let request = history(3_600, 1_000_000);
        let mut results: Vec<usize> = request
            .messages
            .iter()
            .filter(|message| message.role == ChatRole::Tool)
            .map(|message| message.text().chars().count())
            .collect();
        assert!((1_400..1_700).contains(&results.len()), "{}", results.len());
        results.sort_unstable();
        let all: usize = results.iter().sum();
        let largest: usize = results.iter().rev().take(results.len() / 10).sum();
        assert!(largest * 2 > all, "{largest} of {all}");
    }

    #[test]
    fn the_texts_are_all_that_is_counted() {
        let request = history(360, 100_000);
        let estimator = CharEstimator::new(std::num::NonZeroU32::MIN).with_message_overhead(0);
        let measured = measure(&request, &estimator).prompt();
        assert_eq!(measured, u64::try_from(chars(&texts(&request))).unwrap());
    }
}
