use std::sync::{Arc, Mutex, PoisonError};

use contextfit_tower::{FitEvent, FitReport, Observer};

/// An observer that remembers. Clones share the memory.
#[derive(Clone, Debug, Default)]
pub struct Log {
    heard: Arc<Mutex<Heard>>,
}

#[derive(Debug, Default)]
struct Heard {
    entries: Vec<Entry>,
    names: Vec<&'static str>,
    decisions: usize,
}

/// An event that outlives its request.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few, and most are reports"
)]
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
    /// A request's model isn't known, and it is left alone.
    UnknownModel,
    /// A request can't be read, with this text, and is left alone.
    Unreadable(String),
    /// This message looks like a summary of ours and isn't.
    ForeignSummary(usize),
}

impl Log {
    /// The events that tell of something unusual, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().entries.clone()
    }

    /// The names of all events, oldest first.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.lock().names.clone()
    }

    /// How many events were decisions.
    #[must_use]
    pub fn decisions(&self) -> usize {
        self.lock().decisions
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

    fn lock(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Log {
    fn on_event(&self, event: &FitEvent<'_>) {
        let mut heard = self.lock();
        heard.names.push(event.name());
        heard.decisions += usize::from(event.is_decision());
        let entry = match event {
            FitEvent::Fitted(report) => Entry::Fitted((*report).clone()),
            FitEvent::Stuck { .. } => Entry::Stuck,
            FitEvent::SummaryRefused(error) => Entry::SummaryRefused(error.to_string()),
            FitEvent::Refused { error, .. } => Entry::Refused(error.to_string()),
            FitEvent::NotRecovered { error, .. } => {
                let nothing_to_cut = || "nothing to cut, or no summary".to_owned();
                Entry::NotRecovered(error.map_or_else(nothing_to_cut, ToString::to_string))
            }
            FitEvent::Overflow { recovering, .. } => Entry::Overflow(*recovering),
            FitEvent::RetryRefused { .. } => Entry::RetryRefused,
            FitEvent::Truncated { .. } => Entry::Truncated,
            FitEvent::UnknownModel(_) => Entry::UnknownModel,
            FitEvent::HistoryElsewhere { .. } => Entry::HistoryElsewhere,
            FitEvent::Unreadable(error) => Entry::Unreadable(error.to_string()),
            FitEvent::ForeignSummary { message, .. } => Entry::ForeignSummary(*message),
            // Every request has one of these, or every answer, or they go before another.
            FitEvent::Passed { .. }
            | FitEvent::SwitchedOff { .. }
            | FitEvent::SummaryRun { .. }
            | FitEvent::Recovered { .. }
            | FitEvent::Usage { .. } => return,
            other => panic!("an event that no test knows: {other:?}"),
        };
        heard.entries.push(entry);
    }
}
