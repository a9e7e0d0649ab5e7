//! What the counts that a provider reports teach.

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::estimate::estimator_fn;
use contextfit_core::summary::Envelope;
use contextfit_testing::provider::{Counting, Overflowing, SimulatedProvider};
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{Erased, Scribe, Shape, TooLong, bottom, provider, ptrs, send, texts};
use contextfit_tower::{
    Calibrator, ChatUsageReader, ContextFitLayer, Either, FitEvent, Fitter, FitterBuilder, Usage,
    UsageOverflow, observer_fn,
};
use std::sync::{Arc, Mutex};
use tower::Layer;

use crate::{ask, prompt, t, talk};

fn calibrated(window: u64) -> FitterBuilder {
    Fitter::builder()
        .summary_keys(summary_keys())
        .window(window)
        .calibrator(Calibrator::default())
}

fn built(builder: FitterBuilder) -> Fitter {
    builder.build().expect("settings that work")
}

/// The layers around a provider whose usage is read.
fn stack(shape: Shape, provider: &SimulatedProvider, fitter: &Fitter) -> Erased {
    let classifier = Either::new(TooLong, UsageOverflow::new(ChatUsageReader));
    match shape {
        Shape::Fit => {
            let layer = ContextFitLayer::new(fitter.clone()).usage(ChatUsageReader);
            Erased::new(layer.layer(bottom(provider)))
        }
        _ => shape.around_with(bottom(provider), fitter, classifier),
    }
}

/// Adds an answer and a question of so many tokens each.
fn go_on(chat: &mut ChatRequest, tokens: usize) {
    let number = chat.messages.len();
    let said = |who| format!("{who} {number}: {}", t(tokens));
    chat.messages.push(ChatMessage::assistant(said("Answer")));
    chat.messages.push(ChatMessage::user(said("Question")));
}

#[tokio::test]
async fn what_was_counted_is_exact_and_only_what_came_after_is_estimated() {
    for shape in Shape::ALL {
        let provider = provider(100_000).hidden_tokens(800);
        let fitter = built(calibrated(100_000));
        let stack = stack(shape, &provider, &fitter);
        let mut chat = ask(talk(3, 100));
        assert_eq!(prompt(&fitter, &chat) + 800, provider.prompt_tokens(&chat));
        for turn in 0..5 {
            send(&stack, chat.clone()).await.expect("answered");
            assert_eq!(
                prompt(&fitter, &chat),
                provider.prompt_tokens(&chat),
                "{shape:?}, {turn}"
            );
            go_on(&mut chat, 50);
            assert_eq!(
                prompt(&fitter, &chat),
                provider.prompt_tokens(&chat),
                "{shape:?}, {turn}"
            );
        }
    }
}

#[tokio::test]
async fn what_is_hidden_is_never_multiplied() {
    // 8 000 hidden tokens beside a prompt of 8, and then a long question.
    let provider = provider(100_000).hidden_tokens(8_000);
    let fitter = built(calibrated(100_000));
    let stack = stack(Shape::Joint, &provider, &fitter);
    let mut chat = ask([ChatMessage::user("What is 17 × 23?")]);
    send(&stack, chat.clone()).await.expect("answered");
    go_on(&mut chat, 10_000);
    assert_eq!(prompt(&fitter, &chat), provider.prompt_tokens(&chat));
}

#[tokio::test]
async fn a_provider_that_counts_more_is_learned_from_differences() {
    for (factor, most_off) in [(3.0, 10), (0.5, 10)] {
        let counting = Counting::Estimate { factor };
        let provider = provider(1_000_000).counting(counting).hidden_tokens(800);
        let fitter = built(calibrated(1_000_000));
        let stack = stack(Shape::Joint, &provider, &fitter);
        let mut chat = ask(talk(3, 100));
        for _ in 0..8 {
            send(&stack, chat.clone()).await.expect("answered");
            go_on(&mut chat, 1_000);
        }
        // The rest is another thousand words at once.
        let before = provider.prompt_tokens(&chat);
        send(&stack, chat.clone()).await.expect("answered");
        go_on(&mut chat, 10_000);
        let (real, estimated) = (provider.prompt_tokens(&chat), prompt(&fitter, &chat));
        let off = real.abs_diff(estimated) * 100 / (real - before);
        assert!(off <= most_off, "{off} % of what came after, at {factor}");
    }
}

#[test]
fn a_prompt_that_starts_otherwise_is_estimated_anew() {
    let fitter = built(calibrated(100_000));
    let said = |number: u32| format!("{number}: {}", t(100));
    let [one, two, three] = [1, 2, 3].map(said);
    let chat = ask([
        ChatMessage::user(one),
        ChatMessage::assistant(two),
        ChatMessage::user(three),
    ]);
    let estimated = prompt(&fitter, &chat);
    fitter
        .learn(&chat, &Usage::new(9_000, 1))
        .expect("readable");
    assert_eq!(prompt(&fitter, &chat), 9_000);
    // Whatever of it changes, at the same length.
    for change in [
        (|chat| chat.model = "another".into()) as fn(&mut ChatRequest),
        |chat| chat.messages.swap(0, 2),
        |chat| chat.messages[1].role = ChatRole::User,
        |chat| chat.messages[2] = ChatMessage::user(format!("4: {}", t(100))),
        |chat| chat.tools = serde_json::from_str("[{}]").ok(),
        |chat| chat.response_format = serde_json::from_str("{}").ok(),
    ] {
        let mut changed = chat.clone();
        change(&mut changed);
        assert_eq!(prompt(&fitter, &changed), estimated, "{changed:?}");
    }
    assert_eq!(prompt(&fitter, &chat), 9_000);
}

#[tokio::test]
async fn after_a_compaction_its_own_count_holds() {
    for shape in Shape::FITTING {
        let provider = provider(20_000).hidden_tokens(500);
        let scribe = Scribe::default();
        let fitter = built(calibrated(20_000).reserve(4_000).summarizer(scribe.clone()));
        let stack = stack(shape, &provider, &fitter);
        let mut chat = ask(talk(3, 100));
        for _ in 0..40 {
            send(&stack, chat.clone()).await.expect("answered");
            // The caller goes on with what was sent.
            let sent = provider.last_received().expect("sent").request.clone();
            if ptrs(&sent) != ptrs(&chat) {
                assert!(Envelope::find_unverified(&sent).is_some());
                assert_eq!(prompt(&fitter, &sent), provider.prompt_tokens(&sent));
            }
            chat = sent;
            go_on(&mut chat, 250);
        }
        assert!(provider.totals().overflows == 0, "{shape:?}");
        assert!((1..=3).contains(&scribe.calls()), "{}", scribe.calls());
    }
}

#[tokio::test]
async fn a_stateless_caller_overflows_once_or_twice_and_not_at_every_request() {
    // The provider counts three tokens where the estimator sees one.
    let counting = Counting::Estimate { factor: 3.0 };
    let run = async |calibrator: Option<Calibrator>| {
        let provider = provider(8_000).counting(counting);
        let builder = Fitter::builder()
            .summary_keys(summary_keys())
            .window(8_000)
            .summarizer(Scribe::default());
        let fitter = built(match calibrator {
            Some(calibrator) => builder.calibrator(calibrator),
            None => builder,
        });
        let stack = stack(Shape::Joint, &provider, &fitter);
        let mut chat = ask(talk(3, 100));
        for _ in 0..40 {
            send(&stack, chat.clone()).await.expect("answered");
            go_on(&mut chat, 50);
        }
        provider.totals().overflows
    };
    let without = run(None).await;
    let with = run(Some(Calibrator::default())).await;
    assert!(without > 15 && with <= 3, "{without} without, {with} with");
}

/// A provider that counts three tokens where the estimator sees one, and a request that is too
/// long for it.
fn dense() -> (SimulatedProvider, ChatRequest) {
    let counting = Counting::Estimate { factor: 3.0 };
    (provider(8_000).counting(counting), ask(talk(41, 100)))
}

#[tokio::test]
async fn an_overflow_tells_what_its_prompt_costs() {
    for shape in Shape::RECOVERING {
        let (provider, chat) = dense();
        let fitter = built(calibrated(8_000));
        // Nobody reads usage here.
        let stack = shape.around(bottom(&provider), &fitter);
        assert!(prompt(&fitter, &chat) < 5_000);
        send(&stack, chat.clone()).await.expect("recovered");
        assert_eq!(
            prompt(&fitter, &chat),
            provider.prompt_tokens(&chat),
            "{shape:?}"
        );
    }
}

#[tokio::test]
async fn what_a_full_window_says_is_no_count_of_the_prompt() {
    let (provider, chat) = dense();
    let provider = provider.overflow(Overflowing::FullWindow);
    let fitter = built(calibrated(8_000));
    let stack = stack(Shape::Joint, &provider, &fitter);
    let estimated = prompt(&fitter, &chat);
    send(&stack, chat.clone()).await.expect("recovered");
    assert_eq!(provider.calls(), 2);
    assert_eq!(prompt(&fitter, &chat), estimated);
}

#[tokio::test]
async fn what_was_too_long_and_what_was_made_of_it_teach_the_ratio() {
    for shape in [Shape::Joint, Shape::Retry] {
        let (provider, chat) = dense();
        let fitter = built(calibrated(8_000));
        let stack = stack(shape, &provider, &fitter);
        send(&stack, chat).await.expect("recovered");
        assert_eq!(provider.calls(), 2);
        let other = ask([ChatMessage::user(t(1_000))]);
        let estimated = prompt(&fitter, &other);
        assert!(
            (2_200..3_000).contains(&estimated),
            "{shape:?}: {estimated}"
        );
    }
}

#[tokio::test]
async fn a_recovery_is_sized_by_numbers_of_one_moment() {
    for shape in Shape::RECOVERING {
        let sent = async |builder: FitterBuilder| {
            let (provider, chat) = dense();
            let stack = stack(shape, &provider, &built(builder));
            send(&stack, chat).await.expect("recovered");
            texts(&provider.last_received().expect("sent").request)
        };
        let without = sent(Fitter::builder().summary_keys(summary_keys()).window(8_000)).await;
        let with = sent(calibrated(8_000)).await;
        assert!(without.len() > 3);
        assert_eq!(with, without, "{shape:?}");
    }
}

#[tokio::test]
async fn a_count_that_cannot_be_is_not_believed() {
    let fitter = built(calibrated(100_000));
    let chat = ask(talk(5, 1_000));
    let estimated = prompt(&fitter, &chat);
    let learn = |chat: &ChatRequest, counted| {
        let usage = Usage::new(counted, 1);
        fitter.learn(chat, &usage).expect("readable");
        prompt(&fitter, chat)
    };
    // A provider that reads only what fits counts only that.
    for counted in [0, 1, estimated / 4 - 1] {
        assert_eq!(learn(&chat, counted), estimated);
    }
    assert_eq!(learn(&chat, 6_000), 6_000);
}

#[test]
fn of_two_counts_that_contradict_each_other_none_is_believed() {
    // The tokens of several calls at once, and then those of one: or a prompt that was cut.
    for later in [6_500, 20_000] {
        let fitter = built(calibrated(100_000));
        let mut chat = ask(talk(5, 1_000));
        let learn = |chat: &ChatRequest, counted| {
            let usage = Usage::new(counted, 1);
            fitter.learn(chat, &usage).expect("readable");
            prompt(&fitter, chat)
        };
        let other = ask([ChatMessage::user(t(1_000).to_uppercase())]);
        let estimated = prompt(&fitter, &chat);
        assert_eq!(learn(&chat, 20_000), 20_000);
        go_on(&mut chat, 1_000);
        let added = prompt(&fitter, &chat) - 20_000;
        assert_eq!(learn(&chat, later), estimated + added);
        assert_eq!(learn(&chat, 8_500), 8_500);
        // Of one and the same prompt, too.
        assert_eq!(learn(&chat, 8_499), estimated + added);
        assert_eq!(prompt(&fitter, &other), 1_004);
    }
}

#[tokio::test]
async fn a_layer_around_a_recovery_does_not_take_its_count_for_its_own() {
    let (provider, chat) = dense();
    let fitter = built(calibrated(8_000));
    let inner = Shape::Retry.around_with(bottom(&provider), &fitter, TooLong);
    let layer = ContextFitLayer::new(fitter.clone()).usage(ChatUsageReader);
    let stack = Erased::new(layer.layer(inner));
    let estimated = prompt(&fitter, &chat);
    send(&stack, chat.clone()).await.expect("recovered");
    assert!(prompt(&fitter, &chat) >= estimated);
}

#[test]
fn what_was_estimated_far_too_high_teaches_no_ratio() {
    // An image that costs 85 tokens and not 1 200.
    let image =
        r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/b"}}]}"#;
    let image: ChatMessage = serde_json::from_str(image).expect("a message");
    let fitter = built(calibrated(100_000));
    let mut chat = ask(talk(1, 1_000));
    for turn in 0..4 {
        let real = 1_004 + 90 * turn;
        fitter.learn(&chat, &Usage::new(real, 1)).expect("readable");
        assert_eq!(prompt(&fitter, &chat), real);
        chat.messages.push(image.clone());
    }
    let other = ask([ChatMessage::user(t(1_000).to_uppercase())]);
    assert_eq!(prompt(&fitter, &other), 1_004);
}

#[tokio::test]
async fn what_is_learned_refuses_nothing() {
    use contextfit_tower::{OversizedFixedPart, WhenStuck};
    for counted in [9_000, 10_000, 1_000_000, u64::MAX] {
        for fixed in [OversizedFixedPart::Refuse, OversizedFixedPart::Send] {
            let builder = calibrated(10_000)
                .when_stuck(WhenStuck::Refuse)
                .oversized_fixed_part(fixed);
            let fitter = built(builder);
            let mut chat = ask(talk(5, 100));
            fitter
                .learn(&chat, &Usage::new(counted, 1))
                .expect("readable");
            go_on(&mut chat, 50);
            let fitted = fitter.fit(chat.clone()).await.expect("not refused");
            // What would leave no room at all is left out of account.
            let as_given = texts(&fitted.request) == texts(&chat);
            assert!(as_given || counted == 10_000, "{counted}, {fixed:?}");
        }
    }
}

#[tokio::test]
async fn what_is_learned_sends_nothing_that_is_too_long() {
    use contextfit_tower::OversizedFixedPart;
    // More than the window: what several calls cost, say.
    for fixed in [OversizedFixedPart::Refuse, OversizedFixedPart::Send] {
        let fitter = built(calibrated(10_000).oversized_fixed_part(fixed));
        let mut chat = ask(talk(5, 1_000));
        fitter
            .learn(&chat, &Usage::new(40_000, 1))
            .expect("readable");
        go_on(&mut chat, 3_000);
        let fitted = fitter.fit(chat.clone()).await.expect("cut");
        assert!(
            fitted.report.is_some_and(|report| report.fits()),
            "{fixed:?}"
        );
    }
}

#[tokio::test]
async fn what_fits_as_it_was_counted_is_not_refused_by_a_trigger() {
    use contextfit_core::trigger::Trigger;
    use contextfit_tower::WhenStuck;
    for trigger in [None, Some(Trigger::Tokens(3_000))] {
        let builder = calibrated(10_000)
            .reserve(1_000)
            .when_stuck(WhenStuck::Refuse);
        let fitter = built(match trigger {
            Some(trigger) => builder.soft_trigger(trigger),
            None => builder,
        });
        // Nothing of it can be cut, and it is estimated at 12 004.
        let chat = ask([ChatMessage::user(t(12_000))]);
        let usage = Usage::new(5_000, 1);
        fitter.learn(&chat, &usage).expect("readable");
        let fitted = fitter.fit(chat).await.expect("sent as it is");
        assert!(fitted.report.is_none());
    }
}

#[tokio::test]
async fn what_was_overestimated_is_in_the_way_of_no_recovery() {
    for shape in Shape::RECOVERING {
        let counting = Counting::Estimate { factor: 0.5 };
        let provider = provider(8_000).counting(counting);
        let fitter = built(calibrated(8_000));
        let mut chat = ask([ChatMessage::system(t(5_000))]
            .into_iter()
            .chain(talk(3, 100)));
        let around = |provider: &SimulatedProvider| stack(shape, provider, &fitter);
        let plain = around(&provider);
        send(&plain, chat.clone()).await.expect("answered");
        assert_eq!(prompt(&fitter, &chat), provider.prompt_tokens(&chat));
        // What comes after is more than it seems to be.
        let provider = provider.clone().hidden_tokens(4_500);
        for _ in 0..4 {
            go_on(&mut chat, 250);
        }
        send(&around(&provider), chat).await.expect("recovered");
        assert_eq!(provider.totals().overflows, 1, "{shape:?}");
    }
}

#[tokio::test]
async fn what_was_learned_wrongly_is_in_the_way_of_no_recovery() {
    // Three tokens where the estimator sees one: of the first count most seems to be hidden.
    let counting = Counting::Estimate { factor: 3.0 };
    let provider = provider(8_000).counting(counting);
    let fitter = built(calibrated(8_000));
    let stack = stack(Shape::Retry, &provider, &fitter);
    let mut chat = ask([ChatMessage::system(t(1_500)), ChatMessage::user(t(50))]);
    send(&stack, chat.clone()).await.expect("answered");
    go_on(&mut chat, 700);
    go_on(&mut chat, 700);
    send(&stack, chat).await.expect("recovered");
    assert_eq!(provider.totals().overflows, 1);
}

#[tokio::test]
async fn output_is_lowered_beside_what_was_counted() {
    use contextfit_core::budget::OversizedOutput;
    use contextfit_tower::WhenStuck;
    let builder = calibrated(10_000).when_stuck(WhenStuck::Refuse);
    let fitter = built(builder.oversized_output(OversizedOutput::Lower));
    // A quarter of the window is for messages, which are estimated at 6 004.
    let mut chat = ask([ChatMessage::user(t(6_000))]);
    chat.max_tokens = Some(9_000);
    let usage = Usage::new(2_000, 1);
    fitter.learn(&chat, &usage).expect("readable");
    let fitted = fitter.fit(chat).await.expect("it fits");
    assert_eq!(fitted.request.max_tokens, Some(8_000));
}

#[tokio::test]
async fn each_model_teaches_for_itself() {
    let fitter = built(calibrated(100_000));
    let of = |model: &str, messages| ChatRequest::new(model, messages);
    for (model, factor) in [("dense", 3), ("plain", 1)] {
        for turns in [3, 13] {
            let chat = of(model, talk(turns, 1_000));
            let raw = 1_004 * turns as u64;
            fitter
                .learn(&chat, &Usage::new(raw * factor, 1))
                .expect("readable");
        }
    }
    let other = |model| {
        prompt(
            &fitter,
            &of(model, vec![ChatMessage::user(t(1_000).to_uppercase())]),
        )
    };
    assert!(other("dense") > 2_500);
    assert_eq!((other("plain"), other("unknown")), (1_004, 1_004));
}

#[tokio::test]
async fn every_usage_is_told_beside_its_estimate() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let observer = {
        let seen = Arc::clone(&seen);
        observer_fn(move |event| {
            if let FitEvent::Usage { sent, usage } = event {
                let mut seen = seen.lock().expect("nobody panicked");
                seen.push((sent.estimated, usage.input));
            }
        })
    };
    let provider = provider(100_000).hidden_tokens(800);
    let fitter = built(calibrated(100_000).observer(observer));
    let stack = stack(Shape::Fit, &provider, &fitter);
    let mut chat = ask(talk(3, 100));
    for _ in 0..2 {
        send(&stack, chat.clone()).await.expect("answered");
        go_on(&mut chat, 100);
    }
    let seen = seen.lock().expect("nobody panicked");
    let [(first, first_real), (second, second_real)] = seen[..] else {
        panic!("{seen:?}");
    };
    assert_eq!((first + 800, second), (first_real, second_real));
}

#[test]
fn many_threads_learn_of_many_conversations_at_once() {
    let fitter = built(calibrated(1_000_000).estimator(estimator_fn(|piece| {
        let mut bytes = 0;
        piece.for_each_text(|text| bytes += text.decode().len() as u64);
        contextfit_core::estimate::TokenCount::ratio(bytes, 4)
    })));
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let fitter = fitter.clone();
            scope.spawn(move || {
                let mut chat = ask([ChatMessage::user(format!("Thread {thread}: {}", t(50)))]);
                for turn in 1..50 {
                    let real = thread * 1_000_000 + turn * 1_000;
                    fitter.learn(&chat, &Usage::new(real, 1)).expect("readable");
                    assert_eq!(prompt(&fitter, &chat), real);
                    go_on(&mut chat, 250);
                }
            });
        }
    });
}

#[tokio::test]
async fn what_is_forgotten_is_estimated() {
    let fitter = built(
        Fitter::builder()
            .summary_keys(summary_keys())
            .window(100_000)
            .calibrator(Calibrator::remembering(100)),
    );
    let chats: Vec<ChatRequest> = (0..10_000)
        .map(|number| ask([ChatMessage::user(format!("Question number {number:06}"))]))
        .collect();
    for chat in &chats {
        fitter.learn(chat, &Usage::new(1_000, 1)).expect("readable");
    }
    let known = chats
        .iter()
        .filter(|chat| prompt(&fitter, chat) == 1_000)
        .count();
    assert!((1..=150).contains(&known), "{known}");
}
