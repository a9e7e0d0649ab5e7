//! A summarizer may go through the same limited stack as the requests: while it works, the
//! layers hold no reservation.
//!
//! Time is paused, so a deadlock shows at once as a time-out.

use std::time::Duration;

use contextfit_core::chat::ChatRequest;
use contextfit_tests::{Erased, Hesitant, Shape, agent, bottom, chat, provider, send, unique};
use contextfit_tower::{Fitter, chat_summarizer};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower::buffer::Buffer;
use tower::limit::ConcurrencyLimit;

type Limit = fn(Erased) -> Erased;

/// Every kind of limit that a request holds a part of, each so tight that one request fills it.
const LIMITS: [Limit; 5] = [
    |service| Erased::new(ConcurrencyLimit::new(service, 1)),
    |service| Erased::new(Buffer::new(service, 1)),
    |service| Erased::new(Buffer::new(ConcurrencyLimit::new(service, 1), 1)),
    |service| Erased::new(ConcurrencyLimit::new(Buffer::new(service, 1), 1)),
    |service| Erased::new(ConcurrencyLimit::new(Hesitant::new(service, 2), 1)),
];

/// Sends a request so many times at once, through a stack with a summarizer under its limit.
async fn is_answered(
    shape: Shape,
    limit: Limit,
    request: &ChatRequest,
    overflows: usize,
    at_once: usize,
) {
    // Its window is larger than the client thinks, so that a summary may be asked for at once.
    let provider = provider(100_000)
        .overflow_calls(overflows)
        .delay(Duration::from_secs(1));
    let limited = limit(bottom(&provider));
    let fitter = Fitter::builder()
        .window(4_000)
        .reserve(1_000)
        .summarizer(chat_summarizer(limited.clone(), "a-summarizer"))
        .build()
        .expect("settings that work");
    let stack = shape.around(limited, &fitter);

    let mut requests = JoinSet::new();
    for _ in 0..at_once {
        let (stack, request) = (stack.clone(), request.clone());
        requests.spawn(async move { send(&stack, request).await });
    }
    let all = timeout(Duration::from_secs(3_600), requests.join_all()).await;
    for response in all.unwrap_or_else(|_| panic!("{shape:?} never ends")) {
        response.expect("answered");
    }
    let summaries = provider.received();
    let summaries = summaries
        .iter()
        .filter(|call| &*call.request.model == "a-summarizer")
        .count();
    assert_eq!(summaries, at_once, "each has its summary");
    assert_eq!(provider.calls(), 2 * at_once + overflows);
}

#[tokio::test(start_paused = true)]
async fn a_summary_before_the_call_does_not_deadlock() {
    for limit in LIMITS {
        for shape in Shape::FITTING {
            is_answered(shape, limit, &chat(40, 100), 0, 1).await;
            is_answered(shape, limit, &chat(40, 100), 0, 5).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_in_a_recovery_does_not_deadlock() {
    for limit in LIMITS {
        for shape in Shape::RECOVERING {
            is_answered(shape, limit, &chat(12, 100), 1, 1).await;
            // The requests that come first overflow, before any summary is asked for.
            is_answered(shape, |service| service, &chat(12, 100), 5, 5).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_through_the_whole_stack_does_not_deadlock() {
    // The summarizer's own requests are fitted too; they fit.
    for limit in LIMITS {
        let provider = provider(100_000)
            .overflow_calls(1)
            .delay(Duration::from_secs(1));
        let limited = limit(bottom(&provider));
        let inner = Fitter::builder()
            .window(100_000)
            .build()
            .expect("settings that work");
        let inside = Shape::Joint.around(limited.clone(), &inner);
        let outer = Fitter::builder()
            .window(4_000)
            .reserve(1_000)
            .summarizer(chat_summarizer(inside, "a-summarizer"))
            .build()
            .expect("settings that work");
        let stack = Shape::Joint.around(limited, &outer);
        let response = timeout(Duration::from_secs(3_600), send(&stack, chat(12, 100))).await;
        response.expect("no deadlock").expect("answered");
    }
}

#[tokio::test(start_paused = true)]
async fn summaries_in_two_parts_at_once_and_in_chunks_do_not_deadlock() {
    let mut turns = agent(2, 8, 60, unique);
    turns.messages.pop();
    for limit in LIMITS {
        for summarizer_window in [100_000, 2_200] {
            let provider = provider(100_000).delay(Duration::from_secs(1));
            let limited = limit(bottom(&provider));
            let summarizer = chat_summarizer(limited.clone(), "a-summarizer");
            let fitter = Fitter::builder()
                .recent_budget()
                .window(2_600)
                .summarizer(summarizer.window(summarizer_window))
                .build()
                .expect("settings that work");
            let stack = Shape::Joint.around(limited, &fitter);
            let response = timeout(Duration::from_secs(3_600), send(&stack, turns.clone())).await;
            response.expect("no deadlock").expect("answered");
            let received = provider.received();
            let summaries = received.iter().map(|call| &*call.request.model);
            let summaries = summaries.filter(|model| *model == "a-summarizer").count();
            assert_eq!(summaries > 2, summarizer_window == 2_200, "{summaries}");
            assert!(summaries >= 2);
        }
    }
}
