use std::collections::BTreeSet;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::summary::Envelope;

use super::facts::{Fact, FactKind, facts_of, files_of, is_word_of};
use super::way::Way;
use crate::now;

/// How often a conversation is compacted.
const COMPACTIONS: usize = 10;

/// What is left of a conversation after some compactions in a row.
#[derive(Clone, Debug)]
pub struct Moment {
    /// How many there were.
    pub compactions: usize,
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

/// Plays a conversation in eleven parts of as many messages. After each of the first ten all but the
/// newest messages are cut, and a summary of at most `bound` tokens stands for them, the one that was
/// there before included. What is left is looked for in its envelope alone.
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
    let mut request = ChatRequest::new("a-model", []);
    let mut cut: BTreeSet<usize> = BTreeSet::new();
    for part in 1..=COMPACTIONS {
        let from = (part - 1) * conversation.len() / (COMPACTIONS + 1);
        let to = part * conversation.len() / (COMPACTIONS + 1);
        places.extend((from..to).map(Some));
        request.messages.extend_from_slice(&conversation[from..to]);
        let fitted = now(fitter.fit(request)).expect("it fits");
        request = fitted.request;
        let Some(report) = fitted.report else {
            continue;
        };
        let gone = report.plan.cut();
        let newly: Vec<usize> = gone.iter().filter_map(|index| places[index]).collect();
        let at = gone.iter().next().expect("something was cut");
        let mut index = 0;
        places.retain(|_| {
            index += 1;
            !gone.contains(index - 1)
        });
        places.insert(at, None);
        assert_eq!(places.len(), request.messages.len());
        cut.extend(newly);

        let envelope = request.messages.iter().find_map(envelope_of);
        let envelope = envelope.expect("a summary stands for what is cut");
        let later: BTreeSet<&Fact> = facts[to..].iter().flatten().collect();
        let was: BTreeSet<&Fact> = cut.iter().flat_map(|&index| &facts[index]).collect();
        let mut moment = Moment {
            compactions: moments.len() + 1,
            all: Share::default(),
            again: Share::default(),
            files: Share::default(),
            kinds: Default::default(),
        };
        for fact in was {
            let left = fact.is_in(&envelope);
            moment.all.count(left);
            moment.kinds[fact.kind as usize].count(left);
            if later.contains(fact) {
                moment.again.count(left);
            }
        }
        let files: BTreeSet<String> = cut
            .iter()
            .flat_map(|&index| files_of(&conversation[index]))
            .collect();
        for file in files {
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
