//! A summarizer that remembers.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use contextfit_tests::pending;
use contextfit_tower::{SummarizeError, Summarizer, Summary, SummaryJob, SummaryKind};

/// What a writer makes of a job.
type Answer = fn(&SummaryJob) -> Result<Summary, SummarizeError>;

/// A summarizer that remembers what it was asked for. Clones share the memory.
#[derive(Clone)]
pub(crate) struct Writer {
    answer: Answer,
    output: Option<u32>,
    window: Option<u64>,
    calls: Arc<Mutex<Calls>>,
}

#[derive(Default)]
struct Calls {
    jobs: Vec<SummaryJob>,
    /// Calls that are under way, and the most that ever were.
    open: usize,
    most_open: usize,
}

impl Writer {
    /// What it writes of a history.
    pub(crate) const HISTORY: &str = "They chose port 8080.";
    /// What it writes of the start of a turn.
    pub(crate) const TURN_START: &str = "The user asked for a test.";

    /// Writes one of the two.
    pub(crate) fn new() -> Self {
        Self::answering(|job| Ok(usual(job)))
    }

    /// Answers with what a function makes of each job.
    pub(crate) fn answering(answer: Answer) -> Self {
        Self {
            answer,
            output: None,
            window: None,
            calls: Arc::default(),
        }
    }

    /// Fails.
    pub(crate) fn failing() -> Self {
        Self::answering(|_| Err(SummarizeError::failed("no connection")))
    }

    /// Sets the most output of its model, in tokens.
    pub(crate) const fn output(mut self, tokens: u32) -> Self {
        self.output = Some(tokens);
        self
    }

    /// Sets the window of its model, in tokens.
    pub(crate) const fn window(mut self, tokens: u64) -> Self {
        self.window = Some(tokens);
        self
    }

    /// What it was asked for, oldest first.
    pub(crate) fn jobs(&self) -> Vec<SummaryJob> {
        self.with(|calls| calls.jobs.clone())
    }

    /// What it was asked for, being one thing.
    pub(crate) fn job(&self) -> SummaryJob {
        let [job] = &self.jobs()[..] else {
            panic!("one job, not {:?}", self.jobs())
        };
        job.clone()
    }

    /// What kinds of summaries it was asked for, oldest first.
    pub(crate) fn kinds(&self) -> Vec<SummaryKind> {
        self.jobs().iter().map(|job| job.kind).collect()
    }

    /// How often it was asked.
    pub(crate) fn calls(&self) -> usize {
        self.with(|calls| calls.jobs.len())
    }

    /// How many calls were under way at once.
    pub(crate) fn most_at_once(&self) -> usize {
        self.with(|calls| calls.most_open)
    }

    fn with<T>(&self, then: impl FnOnce(&mut Calls) -> T) -> T {
        then(&mut self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A summary that can be told by what it is of.
pub(crate) fn usual(job: &SummaryJob) -> Summary {
    Summary::new(match job.kind {
        SummaryKind::TurnStart => Writer::TURN_START,
        _ => Writer::HISTORY,
    })
}

#[async_trait]
impl Summarizer for Writer {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let answer = (self.answer)(&job);
        self.with(|calls| {
            calls.jobs.push(job);
            calls.open += 1;
            calls.most_open = calls.most_open.max(calls.open);
        });
        pending(3).await;
        self.with(|calls| calls.open -= 1);
        answer
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.output
    }

    fn window(&self) -> Option<u64> {
        self.window
    }
}
