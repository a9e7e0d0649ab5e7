use std::collections::VecDeque;
use std::sync::Arc;

use contextfit_core::chat::ChatRequest;

use super::StructureError;

/// A call that the [`SimulatedProvider`](super::SimulatedProvider) got.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReceivedCall {
    /// Which call it was, from 0.
    pub number: usize,
    /// The request. Its text is shared with the caller's.
    pub request: ChatRequest,
    /// Tokens of its prompt, as the provider counts.
    pub prompt: u64,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It was answered.
    Answered,
    /// It was too long, whether the provider said so or only let it show.
    Overflow,
    /// The conversation was put together in a wrong way.
    Structure(StructureError),
    /// It failed with this status, because the test wanted it to.
    Scripted(u16),
}

/// All calls of a [`SimulatedProvider`](super::SimulatedProvider), counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Calls of every outcome.
    pub calls: usize,
    /// Calls that were answered.
    pub answered: usize,
    /// Calls that were too long.
    pub overflows: usize,
    /// Calls with a conversation put together in a wrong way.
    pub structure_errors: usize,
    /// Calls that failed because the test wanted them to.
    pub scripted: usize,
    /// Tokens of all prompts, as the provider counts.
    pub prompt_tokens: u64,
}

/// What a provider and its clones remember.
#[derive(Default)]
pub(super) struct Record {
    pub(super) totals: Totals,
    pub(super) received: VecDeque<Arc<ReceivedCall>>,
}

impl Record {
    /// Adds a call; `outcome` learns its number. At most `keep` calls are kept whole.
    pub(super) fn add(
        &mut self,
        request: &ChatRequest,
        prompt: u64,
        keep: usize,
        outcome: impl FnOnce(usize) -> Outcome,
    ) -> Outcome {
        let number = self.totals.calls;
        let outcome = outcome(number);
        self.totals.calls += 1;
        self.totals.prompt_tokens = self.totals.prompt_tokens.saturating_add(prompt);
        *match outcome {
            Outcome::Answered => &mut self.totals.answered,
            Outcome::Overflow => &mut self.totals.overflows,
            Outcome::Structure(_) => &mut self.totals.structure_errors,
            Outcome::Scripted(_) => &mut self.totals.scripted,
        } += 1;
        if keep > 0 {
            self.received.push_back(Arc::new(ReceivedCall {
                number,
                request: request.clone(),
                prompt,
                outcome: outcome.clone(),
            }));
        }
        let surplus = self.received.len().saturating_sub(keep);
        self.received.drain(..surplus);
        outcome
    }
}
