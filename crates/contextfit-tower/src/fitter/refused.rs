use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use contextfit_core::summary::Transcript;

use crate::SummaryJob;

/// The summaries that came to nothing, so that nobody pays for the same again.
///
/// - One that was refused isn't asked for twice. Asked for the same text under the same bound, a
///   summarizer that returned nothing usable would most likely do so again. As soon as there is
///   more to summarize it is another job. A summarizer that failed to answer is not remembered:
///   that may pass.
/// - One that wasn't needed, and failed for whatever reason, isn't tried again before the
///   conversation has grown by a quarter: until then each request would wait for it in vain.
#[derive(Debug, Default)]
pub(super) struct RefusedJobs {
    refused: Mutex<VecDeque<JobKey>>,
    failed_without_need: Mutex<VecDeque<JobKey>>,
    hasher: RandomState,
}

/// What a summarizer is asked for, by keyed hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobKey {
    job: u64,
    /// How the conversation begins.
    start: u64,
    messages: usize,
}

impl RefusedJobs {
    /// More than anybody has at once; the oldest are forgotten.
    const MOST: usize = 1_024;
    /// So many bytes tell one conversation from another. Where they don't, a compaction that isn't
    /// needed comes later than it could.
    const START: usize = 1_024;

    pub(super) fn key(&self, job: &SummaryJob) -> JobKey {
        let asked = (&job.previous, &job.instructions, job.kind);
        JobKey {
            job: self.hash((Said(&job.conversation, usize::MAX), asked, job.max_tokens)),
            start: self.hash((Said(&job.conversation, Self::START), &job.previous)),
            messages: job.conversation.len(),
        }
    }

    /// Whether a summary was refused.
    pub(super) fn contains(&self, key: JobKey) -> bool {
        lock(&self.refused).iter().any(|known| known.job == key.job)
    }

    /// Whether a summary that isn't needed failed, and the conversation hasn't grown enough since.
    pub(super) fn is_too_early(&self, key: JobKey) -> bool {
        let failed = lock(&self.failed_without_need);
        let last = failed.iter().rev().find(|known| known.start == key.start);
        last.is_some_and(|last| key.messages < last.messages + last.messages.div_ceil(4))
    }

    pub(super) fn refuse(&self, key: JobKey) {
        remember(&self.refused, key);
    }

    pub(super) fn fail_without_need(&self, key: JobKey) {
        remember(&self.failed_without_need, key);
    }

    fn hash(&self, value: impl Hash) -> u64 {
        self.hasher.hash_one(value)
    }
}

/// What is said in messages, to be hashed: the first so many bytes of it, and whatever part of a
/// message they end in.
struct Said<'a>(&'a Transcript, usize);

impl Hash for Said<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut left = self.1;
        for parts in self.0.messages() {
            if left == 0 {
                return;
            }
            for part in parts {
                let text = part.text.as_bytes();
                let text = text.get(..left).unwrap_or(text);
                (part.kind, &part.speaker, &part.tool, text).hash(state);
                left -= text.len();
            }
            // No message runs into the next.
            state.write_u8(0xff);
        }
    }
}

fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remember<T>(list: &Mutex<VecDeque<T>>, item: T) {
    let mut list = lock(list);
    if list.len() >= RefusedJobs::MOST {
        list.pop_front();
    }
    list.push_back(item);
}
