//! G. Many requests at once, and settings that are honoured.

use std::sync::Arc;
use std::time::Duration;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::request::{Hints, Native, RequestAdapter, Switch};
use contextfit_core::table::Pins;
use contextfit_testing::provider::{Counting, Outcome, SimulatedProvider};
use contextfit_tests::{
    Entry, Log, Scribe, Shape, agent, bottom, chat, estimate, provider, ptrs, send, text, texts,
};
use contextfit_tower::{Fitter, FitterBuilder, Replay};
use tokio::task::JoinSet;

fn fitter() -> FitterBuilder {
    Fitter::builder().window(4_000).reserve(1_000)
}

/// Counts more than the client estimates.
fn stricter(factor: f64) -> SimulatedProvider {
    SimulatedProvider::new(4_000).counting(Counting::Estimate { factor })
}

#[tokio::test(start_paused = true)]
async fn g1_twenty_at_once_do_what_one_does() {
    let unique = |turn, round, call| format!("{turn}.{round}.{call}");
    for shape in Shape::RECOVERING {
        for request in [chat(40, 100), chat(14, 100), agent(3, 6, 80, unique)] {
            for factor in [1.0, 1.6] {
                let run = async |at_once: usize| {
                    let provider = stricter(factor).delay(Duration::from_secs(1));
                    let scribe = Scribe::default().pending(3);
                    let fitter = fitter().summarizer(scribe.clone());
                    let fitter = fitter.build().expect("settings that work");
                    let stack = shape.around(bottom(&provider), &fitter);
                    let mut requests = JoinSet::new();
                    for _ in 0..at_once {
                        let (stack, request) = (stack.clone(), request.clone());
                        requests.spawn(async move { send(&stack, request).await });
                    }
                    for response in requests.join_all().await {
                        response.expect("answered");
                    }
                    let answered = provider.received().into_iter();
                    let answered = answered.filter(|call| call.outcome == Outcome::Answered);
                    let answered: Vec<_> = answered.map(|call| texts(&call.request)).collect();
                    (provider.calls(), scribe.calls(), answered)
                };
                let before = texts(&request);
                let (calls, summaries, alone) = run(1).await;
                let (all_calls, all_summaries, together) = run(20).await;
                assert_eq!(all_calls, 20 * calls, "{shape:?}");
                assert_eq!(all_summaries, 20 * summaries);
                assert_eq!(together, vec![alone[0].clone(); 20]);
                assert_eq!(
                    texts(&request),
                    before,
                    "the caller's history is the caller's"
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn g1_a_request_that_is_given_up_takes_no_other_with_it() {
    for shape in Shape::RECOVERING {
        let provider = stricter(1.6).delay(Duration::from_secs(1));
        let fitter = fitter().summarizer(Scribe::default().pending(3));
        let stack = shape.around(
            bottom(&provider),
            &fitter.build().expect("settings that work"),
        );
        let mut requests = JoinSet::new();
        let mut aborted = Vec::new();
        for number in 0..20 {
            let stack = stack.clone();
            let handle = requests.spawn(async move { send(&stack, chat(14, 100)).await });
            if number % 2 == 0 {
                aborted.push(handle);
            }
        }
        // Some time after the first call is answered: in the middle of a recovery.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        for handle in aborted {
            handle.abort();
        }
        let mut answered = 0;
        while let Some(response) = requests.join_next().await {
            if let Ok(response) = response {
                response.expect("answered");
                answered += 1;
            }
        }
        assert_eq!(answered, 10, "{shape:?}");
    }
}

/// Requests that are over every budget here, each for a reason of its own.
fn over_budget() -> Vec<ChatRequest> {
    let mut fixed = chat(5, 50);
    fixed.messages[0] = ChatMessage::system(text("Obey.", 5_000));
    let mut result = chat(5, 50);
    result
        .messages
        .push(ChatMessage::assistant("").call("a", "read", "{}"));
    result
        .messages
        .push(ChatMessage::tool("a", text("Result:", 12_000)));
    vec![
        chat(40, 100),
        agent(3, 6, 80, |turn, round, call| {
            format!("{turn}.{round}.{call}")
        }),
        chat(5, 50).max_tokens(4_000),
        fixed,
        result.clone(),
    ]
}

/// An assistant's message that calls a tool may have an empty text, at no particular place.
fn same_texts(one: &ChatRequest, other: &ChatRequest) -> bool {
    let all = one.messages.iter().zip(ptrs(one)).zip(ptrs(other));
    one.messages == other.messages
        && all
            .into_iter()
            .all(|((message, one), other)| message.text().is_empty() || one == other)
}

#[tokio::test]
async fn g2_switched_off_is_untouched() {
    for request in over_budget() {
        for shape in Shape::FITTING {
            for hint in [false, true] {
                let (provider, scribe, log) =
                    (provider(100_000), Scribe::default(), Log::default());
                let switch = if hint { Switch::Off } else { Switch::Auto };
                let fitter = fitter()
                    .enabled(hint)
                    .summarizer(scribe.clone())
                    .observer(log.clone())
                    .adapter(
                        Native.with_hints(move |_: &ChatRequest| Hints::default().switch(switch)),
                    );
                let stack = shape.around(
                    bottom(&provider),
                    &fitter.build().expect("settings that work"),
                );
                send(&stack, request.clone())
                    .await
                    .expect("the provider takes it");
                let sent = provider.last_received().expect("sent");
                assert!(same_texts(&sent.request, &request), "{shape:?}");
                assert_eq!(sent.request.max_tokens, request.max_tokens);
                assert_eq!((scribe.calls(), log.entries()), (0, vec![]));
            }
        }
    }
}

#[tokio::test]
async fn g2_recovery_is_a_switch_of_its_own() {
    // Enabled, recovering, left alone by a hint: how many calls, and is there an answer?
    for (shape, enabled, replay, switch, calls, answered) in [
        (Shape::Joint, true, Replay::Always, Switch::Auto, 2, true),
        (Shape::Joint, false, Replay::Always, Switch::Auto, 2, true),
        (Shape::Stacked, false, Replay::Always, Switch::Auto, 2, true),
        (Shape::Retry, false, Replay::Always, Switch::Auto, 2, true),
        (Shape::Fit, true, Replay::Always, Switch::Auto, 1, false),
        (Shape::Fit, false, Replay::Always, Switch::Auto, 1, false),
        (Shape::Joint, true, Replay::Never, Switch::Auto, 1, false),
        (Shape::Joint, false, Replay::Never, Switch::Auto, 1, false),
        (Shape::Retry, true, Replay::Never, Switch::Auto, 1, false),
        (Shape::Joint, true, Replay::Always, Switch::Off, 1, false),
        (Shape::Joint, false, Replay::Always, Switch::Off, 1, false),
        (Shape::Retry, true, Replay::Always, Switch::Off, 1, false),
    ] {
        let (provider, scribe) = (provider(4_000).overflow_calls(1), Scribe::default());
        let fitter = fitter()
            .enabled(enabled)
            .replay(replay)
            .summarizer(scribe.clone())
            .adapter(Native.with_hints(move |_: &ChatRequest| Hints::default().switch(switch)));
        let fitter = fitter.build().expect("settings that work");
        let stack = shape.around(bottom(&provider), &fitter);
        let what = format!("{shape:?}, enabled {enabled}, {replay:?}, {switch:?}");
        let result = send(&stack, chat(12, 100)).await;
        assert_eq!(
            (provider.calls(), result.is_ok()),
            (calls, answered),
            "{what}"
        );
        assert_eq!(scribe.calls(), calls - 1, "{what}");
    }
}

#[tokio::test]
async fn g2_a_request_within_its_budget_is_changed_when_it_asks_for_that_alone() {
    for (switch, changes) in [(Switch::Auto, 0), (Switch::Off, 0), (Switch::Force, 1)] {
        for shape in Shape::FITTING {
            let (provider, log) = (provider(4_000), Log::default());
            let fitter = fitter()
                .target(0.2)
                .observer(log.clone())
                .adapter(Native.with_hints(move |_: &ChatRequest| Hints::default().switch(switch)));
            let stack = shape.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            send(&stack, chat(12, 100)).await.expect("answered");
            assert_eq!(log.reports().len(), changes, "{shape:?}, {switch:?}");
        }
    }
}

#[tokio::test]
async fn g2_what_may_not_be_clipped_or_cut_is_not() {
    for request in over_budget() {
        for (results, users) in [(false, false), (true, false), (false, true), (true, true)] {
            let (provider, log) = (provider(100_000), Log::default());
            let fitter = fitter()
                .clip_tool_results(results)
                .clip_user_messages(users)
                .pins(Pins::BOTH)
                .summarizer(Scribe::default())
                .observer(log.clone());
            let stack = Shape::Joint.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            let _ = send(&stack, request.clone()).await;
            for clip in log.reports().iter().flat_map(|report| report.plan.clips()) {
                match request.messages[clip.message].role {
                    ChatRole::Tool => assert!(results),
                    ChatRole::User => assert!(users),
                    role => panic!("{role:?} is never clipped"),
                }
            }
        }
    }
}

#[tokio::test]
async fn g2_the_callers_maximum_and_the_bound_of_a_summary_are_kept() {
    for most in [1_000, 2_000, 100_000] {
        for bound in [50, 200] {
            let (provider, scribe) = (provider(100_000), Scribe::default());
            let fitter = Fitter::builder()
                .window(100_000)
                .max_context_tokens(most)
                .reserve(100)
                .summary_tokens(bound)
                .summarizer(scribe.clone())
                .build()
                .expect("settings that work");
            let stack = Shape::Joint.around(bottom(&provider), &fitter);
            send(&stack, chat(40, 100)).await.expect("answered");
            let sent = provider.last_received().expect("sent");
            assert!(estimate(&sent.request) <= most - 100);
            assert_eq!(scribe.calls(), usize::from(most < 100_000));
            assert!(scribe.jobs().iter().all(|job| job.max_tokens <= bound));
        }
    }
}

#[tokio::test]
async fn g2_observers_may_be_shared_by_fitters_with_other_settings() {
    // Two stacks side by side: what one is set to is nothing to the other.
    let log = Arc::new(Log::default());
    let provider = provider(100_000);
    let build = |enabled| {
        let fitter = fitter().enabled(enabled).observer(Arc::clone(&log));
        Shape::Joint.around(
            bottom(&provider),
            &fitter.build().expect("settings that work"),
        )
    };
    let (on, off) = (build(true), build(false));
    for _ in 0..3 {
        send(&off, chat(40, 100)).await.expect("answered");
        assert_eq!(
            provider
                .last_received()
                .expect("sent")
                .request
                .messages
                .len(),
            82
        );
        send(&on, chat(40, 100)).await.expect("answered");
        assert!(
            provider
                .last_received()
                .expect("sent")
                .request
                .messages
                .len()
                < 82
        );
    }
    assert_eq!(log.entries().len(), 3);
    assert!(
        log.entries()
            .iter()
            .all(|entry| matches!(entry, Entry::Fitted(_)))
    );
}
