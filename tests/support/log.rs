use std::sync::{Arc, Mutex, PoisonError};

use contextfit_tower::{FitEvent, FitReport, Observer};

/// An observer that remembers. Clones share the memory.
#[derive(Clone, Debug, Default)]
pub struct Log {
    entries: Arc<Mutex<Vec<Entry>>>,
}

/// An event that outlives its request.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A request was changed.
    Fitted(FitReport),
    /// A request is sent over its limit.
    Stuck,
    /// A summary was refused, with this text.
    SummaryRefused(String),
    /// A request was refused, with this text.
    Refused(String),
    /// A request that was too long can't be made smaller, with this text.
    NotRecovered(String),
    /// The provider found a request too long; whether a smaller one is made.
    Overflow(bool),
    /// There is no budget to send a request again.
    RetryRefused,
    /// The provider can't have read a whole request.
    Truncated,
    /// A request's history is on the provider's server, and it is left alone.
    HistoryElsewhere,
    /// A request can't be read, with this text, and is left alone.
    Unreadable(String),
}

impl Log {
    /// All events, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().clone()
    }

    /// The reports of requests that were changed, oldest first.
    #[must_use]
    pub fn reports(&self) -> Vec<FitReport> {
        let entries = self.entries().into_iter();
        entries
            .filter_map(|entry| match entry {
                Entry::Fitted(report) => Some(report),
                _ => None,
            })
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Log {
    fn on_event(&self, event: &FitEvent<'_>) {
        let entry = match event {
            FitEvent::Fitted(report) => Entry::Fitted((*report).clone()),
            FitEvent::Stuck { .. } => Entry::Stuck,
            FitEvent::SummaryRefused(error) => Entry::SummaryRefused(error.to_string()),
            FitEvent::Refused(error) => Entry::Refused(error.to_string()),
            FitEvent::NotRecovered(error) => Entry::NotRecovered(error.to_string()),
            FitEvent::Overflow { recovering, .. } => Entry::Overflow(*recovering),
            FitEvent::RetryRefused { .. } => Entry::RetryRefused,
            FitEvent::Truncated { .. } => Entry::Truncated,
            FitEvent::HistoryElsewhere { .. } => Entry::HistoryElsewhere,
            FitEvent::Unreadable(error) => Entry::Unreadable(error.to_string()),
            // Every answer has one.
            FitEvent::Usage { .. } => return,
            other => panic!("an event that no test knows: {other:?}"),
        };
        self.lock().push(entry);
    }
}
