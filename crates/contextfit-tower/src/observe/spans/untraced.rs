use std::future::Future;

use crate::{FitError, FitReport, Reason, SummarizeError, Summary, SummaryJob, Usage};

/// No span.
pub(crate) struct FitSpan;

/// Whatever is done until this is dropped is in no span.
pub(crate) struct Entered;

impl FitSpan {
    pub(crate) const fn none() -> Self {
        Self
    }

    pub(crate) const fn new(_: Option<&str>, _: Reason, _: u64, _: u64) -> Self {
        Self
    }

    pub(crate) const fn enter(&self) -> Entered {
        Entered
    }

    pub(crate) const fn end(&self, _: Result<Option<&FitReport>, &FitError>) {}
}

/// No span.
pub(crate) struct SummarySpan;

impl SummarySpan {
    pub(crate) const fn new(_: Option<&str>, _: &SummaryJob) -> Self {
        Self
    }

    pub(crate) fn around<F: Future>(&self, run: F) -> impl Future<Output = F::Output> + use<F> {
        run
    }

    pub(crate) fn end(
        &self,
        _: &Result<Summary, SummarizeError>,
        _: Option<Usage>,
        tell: impl FnOnce(),
    ) {
        tell();
    }
}
