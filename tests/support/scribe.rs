use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use contextfit_tower::{SummarizeError, Summarizer, Summary, SummaryJob};

use super::pending;

/// A summarizer that remembers what it was asked for. Clones share the memory.
#[derive(Clone, Debug)]
pub struct Scribe {
    summary: Summary,
    polls: usize,
    window: Option<u64>,
    jobs: Arc<Mutex<Vec<SummaryJob>>>,
}

impl Default for Scribe {
    fn default() -> Self {
        Self::new("They went through it all.")
    }
}

impl Scribe {
    /// Always gives this summary.
    pub fn new(summary: impl Into<Summary>) -> Self {
        Self {
            summary: summary.into(),
            polls: 0,
            window: None,
            jobs: Arc::default(),
        }
    }

    /// Lets its callers wait for so many polls.
    #[must_use]
    pub const fn pending(mut self, polls: usize) -> Self {
        self.polls = polls;
        self
    }

    /// Sets the window of its model, in tokens.
    #[must_use]
    pub const fn window(mut self, tokens: u64) -> Self {
        self.window = Some(tokens);
        self
    }

    /// What it was asked for, oldest first.
    #[must_use]
    pub fn jobs(&self) -> Vec<SummaryJob> {
        self.lock().clone()
    }

    /// How often it was asked.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<SummaryJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Summarizer for Scribe {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        self.lock().push(job);
        pending(self.polls).await;
        Ok(self.summary.clone())
    }

    fn window(&self) -> Option<u64> {
        self.window
    }
}
