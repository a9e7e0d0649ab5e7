use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
        let start = job.transcript.as_bytes();
        let start = start.get(..Self::START).unwrap_or(start);
        JobKey {
            job: self.hash((&job.transcript, &job.previous, job.max_tokens, job.kind)),
            start: self.hash((start, &job.previous)),
            messages: job.messages,
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
