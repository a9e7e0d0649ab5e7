//! A summarizer whose answers are written beforehand, for tests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::estimate::CharEstimator;
use contextfit_core::summary::Transcript;

use super::model::Model;
use super::{SummarizeError, Summarizer, Summary, SummaryJob, SummaryKind, SummarySettings};

pub(crate) type Answer = Result<Summary, SummarizeError>;

/// Gives one answer after the other, then always the same, and remembers
/// what it was asked for. Clones share both.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    jobs: Arc<Mutex<Vec<SummaryJob>>>,
    model: Model,
}

impl Scripted {
    /// What it says when nothing else is written.
    pub(crate) const ALWAYS: &str = "They agreed.";

    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            ..Self::default()
        }
    }

    /// It fails so often.
    pub(crate) fn failing(times: usize) -> Self {
        Self::new((0..times).map(|number| Err(SummarizeError::failed(format!("failure {number}")))))
    }

    pub(crate) const fn window(mut self, tokens: u64) -> Self {
        self.model.window = Some(tokens);
        self
    }

    pub(crate) const fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.model.max_output_tokens = Some(tokens);
        self
    }

    pub(crate) fn jobs(&self) -> Vec<SummaryJob> {
        self.jobs.lock().unwrap().clone()
    }

    pub(crate) fn calls(&self) -> usize {
        self.jobs.lock().unwrap().len()
    }
}

#[async_trait]
impl Summarizer for Scripted {
    async fn summarize(&self, job: SummaryJob) -> Answer {
        self.jobs.lock().unwrap().push(job);
        let answer = self.answers.lock().unwrap().pop_front();
        answer.unwrap_or_else(|| Ok(Summary::new(Self::ALWAYS)))
    }

    tell_model!();
}

/// A job of so many messages, of about 100 tokens each, for a summary of 100 tokens.
pub(crate) fn job(messages: usize, previous: Option<&str>) -> SummaryJob {
    job_with(
        SummaryKind::History,
        messages,
        previous,
        SummarySettings::default(),
    )
}

pub(crate) fn job_with(
    kind: SummaryKind,
    messages: usize,
    previous: Option<&str>,
    settings: SummarySettings,
) -> SummaryJob {
    let text = |number| format!("Message {number}. {}", "word ".repeat(77));
    let chat = ChatRequest::new(
        "m",
        (0..messages).map(|number| ChatMessage::user(text(number))),
    );
    SummaryJob::new(
        kind,
        Transcript::of(&chat, 0..messages),
        previous,
        100,
        Arc::new(CharEstimator::default()),
        Arc::new(settings),
    )
}
