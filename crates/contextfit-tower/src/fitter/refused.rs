use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use crate::SummaryJob;

/// The summaries that were refused: none is asked for twice.
///
/// Asked for the same text under the same bound, a summarizer that returned nothing usable would
/// most likely do so again, and again be paid for it. As soon as there is more to summarize it is
/// another job. A summarizer that failed to answer is not remembered: that may pass.
#[derive(Debug, Default)]
pub(super) struct RefusedJobs {
    keys: Mutex<VecDeque<JobKey>>,
    hasher: RandomState,
}

/// A keyed hash of what a summarizer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobKey(u64);

impl RefusedJobs {
    /// More than anybody has at once; the oldest are forgotten.
    const MOST: usize = 1_024;

    pub(super) fn key(&self, job: &SummaryJob) -> JobKey {
        JobKey(
            self.hasher
                .hash_one((&job.transcript, &job.previous, job.max_tokens, job.kind)),
        )
    }

    pub(super) fn contains(&self, key: JobKey) -> bool {
        self.keys().contains(&key)
    }

    pub(super) fn insert(&self, key: JobKey) {
        let mut keys = self.keys();
        if keys.len() >= Self::MOST {
            keys.pop_front();
        }
        keys.push_back(key);
    }

    fn keys(&self) -> std::sync::MutexGuard<'_, VecDeque<JobKey>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
