//! G. Many requests at once, settings that are honoured, and several models.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::estimate::CharEstimator;
use contextfit_core::request::{Hints, Native, RequestAdapter, Switch};
use contextfit_core::table::Pins;
use contextfit_testing::probe::ReadinessProbe;
use contextfit_testing::provider::{Counting, Outcome, ReceivedCall, SimulatedProvider};
use contextfit_tests::{
    Entry, Erased, Log, Scribe, Shape, agent, bottom, chat, estimate, provider, ptrs, send, sized,
    text, texts, unique,
};
use contextfit_tower::{BoxError, Fitter, FitterBuilder, ModelSpec, ModelTable, Replay};
use tokio::task::JoinSet;
use tower::{ServiceExt, service_fn};

fn fitter() -> FitterBuilder {
    Fitter::builder().window(4_000).reserve(1_000)
}

/// Counts more than the client estimates.
fn stricter(factor: f64) -> SimulatedProvider {
    SimulatedProvider::new(4_000).counting(Counting::Estimate { factor })
}

#[tokio::test(start_paused = true)]
async fn g1_twenty_at_once_do_what_one_does() {
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
        agent(3, 6, 80, unique),
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

/// Two models behind one service, each with a window of its own.
fn models(large: &SimulatedProvider, small: &SimulatedProvider) -> Erased {
    let (large, small) = (large.clone(), small.clone());
    let service = service_fn(move |request: ChatRequest| {
        let model = match &*request.model {
            "large" => large.clone(),
            "small" => small.clone(),
            other => panic!("nobody asks {other}"),
        };
        model.oneshot(request)
    });
    Erased::new(ReadinessProbe::new(service).map_err(BoxError::from))
}

/// The windows of the two models, as they are configured. Of the large one, 183 616 tokens may be
/// used, and 24 000 of the small one.
fn both() -> ModelTable {
    ModelTable::new()
        .model("large", ModelSpec::new(200_000))
        .model("small", ModelSpec::new(32_000))
}

fn asking(model: &str, mut request: ChatRequest) -> ChatRequest {
    request.model = model.into();
    request
}

#[tokio::test]
async fn g3_the_window_is_that_of_the_model_that_a_request_names() {
    let history = sized(150_000);
    for shape in Shape::ALL {
        let (large, small) = (provider(200_000), provider(32_000));
        let scribe = Scribe::default();
        let fitter = Fitter::builder().models(both()).summarizer(scribe.clone());
        let fitter = fitter.build().expect("settings that work");
        let stack = shape.around(models(&large, &small), &fitter);
        // To the small one and back, and again.
        for round in 1..=3 {
            let request = asking("large", history.clone());
            send(&stack, request).await.expect("answered");
            let sent = large.last_received().expect("sent");
            assert_eq!(ptrs(&sent.request), ptrs(&history), "{shape:?}");

            let request = asking("small", history.clone());
            send(&stack, request).await.expect("answered");
            let sent = small.last_received().expect("sent");
            assert!(estimate(&sent.request) <= 24_000);
            let overflows = if shape == Shape::Retry { round } else { 0 };
            assert_eq!(small.totals().overflows, overflows);
            assert_eq!((large.calls(), scribe.calls()), (round, round));
        }
        // A summary is for the model that reads it.
        assert!(scribe.jobs().iter().all(|job| job.max_tokens <= 6_000));
    }
}

#[tokio::test]
async fn g3_each_model_is_counted_by_its_own_estimator() {
    for shape in Shape::FITTING {
        // The small one finds twice as many tokens in a text.
        let small = SimulatedProvider::new(32_000).counting(Counting::Estimate { factor: 2.0 });
        let large = provider(200_000);
        let two_chars = NonZeroU32::new(2).expect("two");
        let twice = CharEstimator::new(two_chars).with_message_overhead(8);
        let table = ModelTable::new()
            .model("large", ModelSpec::new(200_000))
            .model("small", ModelSpec::new(32_000).estimator(twice));
        let fitter = Fitter::builder().models(table).build();
        let stack = shape.around(models(&large, &small), &fitter.expect("settings that work"));
        for (model, tokens, fits) in [
            ("small", 11_000, true),
            ("large", 100_000, true),
            ("small", 13_000, false),
            ("large", 183_616, true),
            ("large", 183_617, false),
            ("small", 100_000, false),
        ] {
            let request = asking(model, sized(tokens));
            send(&stack, request.clone()).await.expect("answered");
            let asked = if model == "small" { &small } else { &large };
            let sent = asked.last_received().expect("sent");
            assert_eq!(ptrs(&sent.request) == ptrs(&request), fits, "{tokens}");
        }
        assert_eq!(small.totals().overflows + large.totals().overflows, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn g3_two_models_at_once_are_nothing_to_each_other() {
    let history = sized(60_000);
    for shape in Shape::FITTING {
        let delay = Duration::from_secs(1);
        let (large, small) = (
            provider(200_000).delay(delay),
            provider(32_000).delay(delay),
        );
        let fitter = Fitter::builder().models(both());
        let fitter = fitter.summarizer(Scribe::default().pending(3)).build();
        let stack = shape.around(models(&large, &small), &fitter.expect("settings that work"));
        let mut requests = JoinSet::new();
        for number in 0..20 {
            let model = if number % 2 == 0 { "large" } else { "small" };
            let (stack, request) = (stack.clone(), asking(model, history.clone()));
            requests.spawn(async move { send(&stack, request).await });
        }
        for response in requests.join_all().await {
            response.expect("answered");
        }
        assert_eq!((large.calls(), small.calls()), (10, 10), "{shape:?}");
        let whole = ptrs(&history);
        let is_whole = |call: &ReceivedCall| ptrs(&call.request) == whole;
        assert!(large.received().iter().all(|call| is_whole(call)));
        assert!(small.received().iter().all(|call| !is_whole(call)));
        assert_eq!(small.totals().answered, 10);
    }
}

#[tokio::test]
async fn g3_what_one_model_taught_is_nothing_to_the_other() {
    // Both hold less than they are said to, and say so when they are asked for more.
    for shape in [Shape::Joint, Shape::Stacked] {
        for taught in ["large", "small"] {
            let (large, small) = (provider(64_000), provider(16_000));
            let fitter = Fitter::builder()
                .models(both())
                .summarizer(Scribe::default());
            let fitter = fitter.build().expect("settings that work");
            let stack = shape.around(models(&large, &small), &fitter);
            let too_long = |model: &str| {
                let tokens = if model == "large" { 150_000 } else { 20_000 };
                asking(model, sized(tokens))
            };
            send(&stack, too_long(taught)).await.expect("recovered");
            send(&stack, too_long(taught)).await.expect("fitted");
            let other = if taught == "large" { "small" } else { "large" };
            // What is over the limit of the one fits the other, or is said to.
            send(&stack, too_long(other)).await.expect("recovered");
            for (model, provider) in [("large", &large), ("small", &small)] {
                assert_eq!(provider.totals().overflows, 1, "{model} after {taught}");
                let first = &provider.received()[0].request;
                assert_eq!(ptrs(first).len(), ptrs(&too_long(model)).len());
            }
        }
    }
}
