use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Usage;
use crate::summarize::{SummarizeError, Summary};

/// The calls for one summary whose answers nobody else hears of: those that failed and were made
/// up for, and those that wrote an earlier part.
///
/// Whoever makes something else of an answer enters it here, so that what was paid for is counted
/// and what was refused is told. Clones share the log. It is never locked across an await.
#[derive(Clone, Default)]
pub(crate) struct CallLog(Arc<Mutex<Calls>>);

/// What is in a log.
#[derive(Clone, Default)]
pub(crate) struct Calls {
    /// How many there were.
    pub(crate) number: usize,
    /// How many of them came to nothing.
    pub(crate) failed: usize,
    /// What they cost, and what those cost whose summary was refused, as far as it is known.
    pub(crate) usage: Option<Usage>,
    /// Why there was no summary, oldest first.
    pub(crate) errors: Vec<Arc<SummarizeError>>,
}

impl Calls {
    /// Adds the last call of all, with what came of it.
    pub(crate) fn end(&mut self, answer: &Result<Summary, SummarizeError>) {
        match answer {
            Ok(summary) => {
                self.number += 1;
                self.pay(summary.usage);
            }
            Err(error) => self.fail(error),
        }
    }

    /// Counts what came to nothing, if anybody was called for it.
    fn fail(&mut self, error: &SummarizeError) {
        let called = usize::from(error.is_of_a_call());
        self.number += called;
        self.failed += called;
    }

    /// Adds what a call cost.
    pub(crate) fn pay(&mut self, usage: Option<Usage>) {
        self.usage = match (self.usage, usage) {
            (Some(before), Some(usage)) => Some(before.plus(usage)),
            (before, usage) => before.or(usage),
        };
    }

    /// Adds other calls.
    pub(crate) fn add(&mut self, other: Self) {
        self.number += other.number;
        self.failed += other.failed;
        self.pay(other.usage);
        self.errors.extend(other.errors);
    }
}

impl CallLog {
    /// Enters a summary that another one carries on.
    pub(in crate::summarize) fn written(&self, summary: &Summary) {
        let mut calls = self.lock();
        calls.number += 1;
        calls.pay(summary.usage);
    }

    /// Enters a call that failed, and gives back why: all that an error stands for, oldest first.
    pub(in crate::summarize) fn failed(&self, error: SummarizeError) -> Vec<Arc<SummarizeError>> {
        let mut calls = self.lock();
        calls.fail(&error);
        let errors = error.apart();
        // Those before the last are entered.
        calls.errors.extend(errors.last().cloned());
        errors
    }

    /// Enters what was paid for a summary that is refused.
    pub(in crate::summarize) fn paid(&self, usage: Option<Usage>) {
        self.lock().pay(usage);
    }

    /// What is in it.
    pub(crate) fn calls(&self) -> Calls {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_paid_is_added_up_and_an_error_is_entered_once() {
        let log = CallLog::default();
        log.written(&Summary::new("a").usage(Usage::new(10, 1)));
        log.paid(None);
        log.paid(Some(Usage::new(5, 2)));
        let mut errors = log.failed(SummarizeError::Blank);
        errors.extend(log.failed(SummarizeError::CutOff));
        let both = log.failed(SummarizeError::exhausted(errors));
        assert_eq!(both.len(), 2);
        let calls = log.calls();
        assert_eq!(calls.number, 4);
        assert_eq!(calls.usage, Some(Usage::new(15, 3)));
        let errors: Vec<_> = calls.errors.iter().map(ToString::to_string).collect();
        assert!(errors[0].contains("blank") && errors[1].contains("cut off"));
    }
}
