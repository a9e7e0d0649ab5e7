//! A budget bounds what is sent again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contextfit_core::chat::ChatRequest;
use contextfit_testing::provider::SimulatedProvider;
use contextfit_tests::{
    Entry, Erased, Log, Scribe, TooLong, Transient, bottom, chat, provider, questions, send,
};
use contextfit_tower::{
    ContextFitLayer, Fitter, OverflowRetryLayer, RetryBudget, SummarizeError, TowerBudget,
    is_final_overflow, retry_budget_fn, summarizer_fn,
};
use tower::Layer;
use tower::retry::Retry;
use tower::retry::budget::{Budget, TpsBudget};

/// Counts what is put in and what is asked for, and allows it or not.
#[derive(Clone, Debug, Default)]
struct Purse {
    allows: bool,
    deposits: Arc<AtomicUsize>,
    withdrawals: Arc<AtomicUsize>,
}

impl Budget for Purse {
    fn deposit(&self) {
        self.deposits.fetch_add(1, Ordering::SeqCst);
    }

    fn withdraw(&self) -> bool {
        self.withdrawals.fetch_add(1, Ordering::SeqCst);
        self.allows
    }
}

fn fitter(log: &Log, scribe: &Scribe) -> Fitter {
    let builder = Fitter::builder().window(4_000).reserve(1_000);
    let builder = builder.summarizer(scribe.clone()).observer(log.clone());
    builder.build().expect("settings that work")
}

/// Both layers that recover.
fn stacks(
    provider: &SimulatedProvider,
    fitter: &Fitter,
    budget: impl RetryBudget + Clone + 'static,
) -> [Erased; 2] {
    let fit = ContextFitLayer::new(fitter.clone()).overflow_retry(TooLong);
    let retry = OverflowRetryLayer::new(fitter.clone(), TooLong);
    [
        Erased::new(fit.retry_budget(budget.clone()).layer(bottom(provider))),
        Erased::new(retry.retry_budget(budget).layer(bottom(provider))),
    ]
}

#[tokio::test]
async fn what_the_budget_refuses_is_not_sent_again_nor_paid_for() {
    for allows in [false, true] {
        for number in 0..2 {
            let (provider, scribe, log) = (
                provider(4_000).overflow_calls(1),
                Scribe::default(),
                Log::default(),
            );
            let purse = Purse {
                allows,
                ..Purse::default()
            };
            let budget = TowerBudget::new(Arc::new(purse.clone()));
            let stack = &stacks(&provider, &fitter(&log, &scribe), budget)[number];
            let result = send(stack, chat(12, 100)).await;
            assert_eq!(result.is_ok(), allows);
            if let Err(error) = result {
                // The same once more would be as long.
                assert_eq!(is_final_overflow(&*error), number == 0);
            }
            let made = if allows { (2, 1) } else { (1, 0) };
            assert_eq!((provider.calls(), scribe.calls()), made);
            assert_eq!(log.entries().contains(&Entry::RetryRefused), !allows);
            assert!(log.entries().contains(&Entry::Overflow(allows)));
            assert_eq!(purse.withdrawals.load(Ordering::SeqCst), 1);
            let deposits = if allows { 1 } else { 0 };
            assert_eq!(purse.deposits.load(Ordering::SeqCst), deposits);
        }
    }
}

#[tokio::test]
async fn only_an_overflow_draws_on_the_budget() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&asked);
    let budget = Arc::new(retry_budget_fn(move || {
        counts.fetch_add(1, Ordering::SeqCst);
        true
    }));
    let (log, scribe) = (Log::default(), Scribe::default());
    for provider in [provider(4_000), provider(4_000).fail_after(0, 503)] {
        for stack in stacks(&provider, &fitter(&log, &scribe), budget.clone()) {
            let _ = send(&stack, chat(12, 100)).await;
        }
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn many_overflows_at_once_are_recovered_from_as_far_as_the_budget_goes() {
    // Ten at first, and nothing for what is answered.
    let budget = TpsBudget::new(Duration::from_secs(10), 1, 0.0);
    let budget = TowerBudget::new(Arc::new(budget));
    let provider = provider(4_000).overflow_calls(usize::MAX);
    let (log, scribe) = (Log::default(), Scribe::default());
    let [stack, _] = stacks(&provider, &fitter(&log, &scribe), budget);
    for _ in 0..30 {
        send(&stack, chat(12, 100)).await.expect_err("it overflows");
    }
    assert_eq!(provider.calls(), 30 + 10);
}

#[tokio::test]
async fn a_request_that_its_summarizer_ended_is_not_repeated_by_a_retry_outside() {
    // Before it is sent, and after an overflow.
    for (request, calls) in [(chat(40, 100), 0), (chat(12, 100), 1)] {
        let provider = provider(4_000).overflow_calls(usize::MAX);
        let aborts = summarizer_fn(async |_| Err::<String, _>(SummarizeError::abort("spent")));
        let fitter = Fitter::builder().window(4_000).reserve(1_000);
        let fitter = fitter
            .summarizer(aborts)
            .build()
            .expect("settings that work");
        let layer = ContextFitLayer::new(fitter).overflow_retry(TooLong);
        let stack = Erased::new(Retry::new(Transient(9), layer.layer(bottom(&provider))));
        let error = send(&stack, request).await.expect_err("ended");
        assert!(is_final_overflow(&*error));
        assert_eq!(provider.calls(), calls);
    }
}

/// Every way in which an overflow may end.
fn requests() -> [ChatRequest; 3] {
    [chat(12, 100), chat(40, 100), questions(1, 1_500)]
}

#[tokio::test]
async fn a_retry_outside_calls_the_provider_twice_at_most_however_an_overflow_ends() {
    for request in requests() {
        for summarizer in [Scribe::default(), Scribe::new("")] {
            for allows in [false, true] {
                let provider = provider(4_000).overflow_calls(usize::MAX);
                let budget = Arc::new(retry_budget_fn(move || allows));
                let fitter = fitter(&Log::default(), &summarizer);
                let [stack, _] = stacks(&provider, &fitter, budget);
                let stack = Erased::new(Retry::new(Transient(9), stack));
                let error = send(&stack, request.clone()).await.expect_err("too long");
                assert!(is_final_overflow(&*error));
                let most = if allows { 2 } else { 1 };
                assert!(provider.calls() <= most, "{} calls", provider.calls());
            }
        }
    }
}
