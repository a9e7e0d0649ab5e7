use std::sync::Arc;

use contextfit::chat::{ChatMessage, ChatRequest};
use contextfit::{ConfigError, ContextFit, ContextFitLayer, Fitter};
use contextfit_testing::provider::{
    Counting, ExactCounter, Outcome, ReceivedCall, SimulatedOverflow, SimulatedProvider,
};
use tower::{Layer, Service, ServiceExt};

use super::fault::Fault;
use super::step::Step;
use super::summarizer::Counted;
use super::tally::Tally;
use crate::args::ReplayArgs;

/// The layers around a simulated provider, and all who watch them.
#[derive(Debug)]
pub(crate) struct Stack {
    service: ContextFit<SimulatedProvider, contextfit::request::Native, SimulatedOverflow>,
    provider: SimulatedProvider,
    fitter: Fitter,
    tally: Arc<Tally>,
}

impl Stack {
    /// The stack that the command line asks for.
    pub(crate) fn new(args: &ReplayArgs) -> Result<Self, ConfigError> {
        let counter = ExactCounter::new();
        let tally = Arc::new(Tally::default());

        // One request is two calls at the most.
        let mut provider = SimulatedProvider::new(args.setup.window)
            .counter(counter.clone())
            .keep_last(2);
        if let Some(factor) = args.count_factor {
            provider = provider.counting(Counting::Estimate { factor });
        }

        let mut fitter = args.setup.fitter().observer(Arc::clone(&tally));
        if let Some(summarizer) = args.setup.summarizer.summarizer() {
            fitter = fitter.summarizer(Counted {
                summarizer,
                counter,
                tally: Arc::clone(&tally),
            });
        }

        let fitter = fitter.build()?;
        let layer = ContextFitLayer::new(fitter.clone()).overflow_retry(SimulatedOverflow);
        Ok(Self {
            service: layer.layer(provider.clone()),
            provider,
            fitter,
            tally,
        })
    }

    /// What a request costs, as the provider counts.
    pub(crate) fn prompt_tokens(&self, request: &ChatRequest) -> u64 {
        self.provider.prompt_tokens(request)
    }

    /// Sends a request. With what became of it come, if it was answered, the messages that the
    /// provider received last.
    pub(crate) async fn send(&mut self, request: ChatRequest) -> (Step, Option<Vec<ChatMessage>>) {
        let mut step = Step {
            messages: request.messages.len(),
            tokens_asked: self.prompt_tokens(&request),
            ..Step::default()
        };
        let before = self.provider.totals();
        let result = async { self.service.ready().await?.call(request).await }.await;
        let heard = self.tally.take();
        let after = self.provider.totals();
        let received = self.provider.received();
        let received =
            &received[received.len() - (after.calls - before.calls).min(received.len())..];

        step.tokens_sent = after.prompt_tokens - before.prompt_tokens;
        if let Some(last) = received.last() {
            step.prompt = last.prompt;
            let measured = self.fitter.measure(&last.request);
            step.estimate = measured.ok().map(|measured| measured.prompt());
        }
        step.compactions = heard.compactions;
        step.overflows = heard.overflows;
        step.summarizer_calls = heard.summarizer_calls;
        step.summarizer_tokens = heard.summarizer_tokens;
        step.structure_error = received.iter().find_map(|call| malformed(call));
        match result {
            Ok(_) => {
                step.recoveries = (heard.overflows > 0).into();
                let kept = received.last().map(|call| call.request.messages.clone());
                (step, kept)
            }
            Err(error) => {
                if step.structure_error.is_none() {
                    step.refused = Some(Fault::refusal(&error, &heard));
                }
                (step, None)
            }
        }
    }
}

/// What the provider found malformed in a call.
fn malformed(call: &ReceivedCall) -> Option<Fault> {
    match &call.outcome {
        Outcome::Structure(error) => Some(Fault::malformed(error)),
        _ => None,
    }
}
