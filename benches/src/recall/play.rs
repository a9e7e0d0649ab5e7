use std::collections::BTreeSet;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::summary::Envelope;

use super::facts::{Fact, FactKind, facts_of, files_of, is_word_of};
use super::way::Way;
use crate::now;

/// How often a conversation is compacted.
const COMPACTIONS: usize = 10;

/// What is left of a conversation after some compactions in a row.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// Of all facts of the messages that were cut.
    pub all: Share,
    /// Of those of them that a message names that is yet to come.
    pub again: Share,
    /// Of the files that calls were made with, in the messages that were cut.
    pub files: Share,
    /// Of all facts, by kind.
    pub kinds: [Share; FactKind::ALL.len()],
}

/// How many are left of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many are left.
    pub left: usize,
    /// Of how many.
    pub of: usize,
}

impl Share {
    fn count(&mut self, left: bool) {
        self.of += 1;
        self.left += usize::from(left);
    }

    /// In percent; `None` of nothing.
    #[must_use]
    pub fn percent(self) -> Option<f64> {
        (self.of > 0).then(|| 100.0 * self.left as f64 / self.of as f64)
    }
}

/// Plays a conversation in eleven parts of as many messages, and says what is left after each
/// compaction.
///
/// After each of the first ten parts a [`Fitter`](contextfit_tower::Fitter) cuts all but the first
/// and the last message of the user and the newest messages, and goes on from what it fitted. The
/// summary has at most `bound` tokens, as characters over four, or as many as the cut frees. What is
/// left is looked for in its message alone.
///
/// # Panics
///
/// If a conversation can't be compacted.
#[must_use]
pub fn play(conversation: &[ChatMessage], way: Way, bound: u64) -> Vec<Moment> {
    let fitter = way.fitter(bound);
    let facts: Vec<BTreeSet<Fact>> = conversation.iter().map(facts_of).collect();
    let mut moments = Vec::new();
    // The messages that are left, each with its place in the conversation; a summary has none.
    let mut places: Vec<Option<usize>> = Vec::new();
    let mut cut: BTreeSet<usize> = BTreeSet::new();
    let mut request = ChatRequest::new("a-model", []);
    let end = |part: usize| part * conversation.len() / (COMPACTIONS + 1);
    for part in 1..=COMPACTIONS {
        let added = end(part - 1)..end(part);
        places.extend(added.clone().map(Some));
        request.messages.extend_from_slice(&conversation[added]);
        let fitted = now(fitter.fit(request)).expect("it fits");
        request = fitted.request;
        // Where a part is too small to be worth it, the next is added.
        let Some(report) = fitted.report else {
            continue;
        };
        let gone = report.plan.cut();
        let summary_at = gone.iter().next().expect("something was cut");
        cut.extend(gone.iter().filter_map(|index| places[index]));
        let mut kept: Vec<_> = (0..places.len())
            .filter(|&index| !gone.contains(index))
            .map(|index| places[index])
            .collect();
        kept.insert(summary_at, None);
        places = kept;

        let envelope = request.messages.iter().find_map(envelope_of);
        let envelope = envelope.expect("a summary stands for what was cut");
        let mut moment = Moment::default();
        let later: BTreeSet<&Fact> = facts[end(part)..].iter().flatten().collect();
        let were_there: BTreeSet<&Fact> = cut.iter().flat_map(|&place| &facts[place]).collect();
        for fact in were_there {
            let left = fact.is_in(&envelope);
            moment.all.count(left);
            moment.kinds[fact.kind as usize].count(left);
            if later.contains(fact) {
                moment.again.count(left);
            }
        }
        let files = cut.iter().flat_map(|&place| files_of(&conversation[place]));
        for file in files.collect::<BTreeSet<_>>() {
            moment.files.count(is_word_of(&file, &envelope));
        }
        moments.push(moment);
    }
    moments
}

fn envelope_of(message: &ChatMessage) -> Option<String> {
    let text = message.content.as_ref()?.text();
    let is_one = message.role == ChatRole::User && Envelope::read_unverified(&text).is_some();
    is_one.then_some(text)
}
