//! B. No loops, and no calls that can't help.

use contextfit_core::budget::BudgetError;
use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_testing::provider::ProviderError;
use contextfit_tests::{
    Entry, Erased, Log, Scribe, Shape, Transient, agent, bottom, chat, estimate, provider, ptrs,
    questions, send, text, texts,
};
use contextfit_tower::{
    BoxError, FailedSummary, FitError, Fitter, FitterBuilder, WhenStuck, is_final_overflow,
};
use tower::buffer::Buffer;
use tower::limit::ConcurrencyLimit;
use tower::load_shed::LoadShed;
use tower::retry::Retry;
use tower::timeout::Timeout;

fn fitter() -> FitterBuilder {
    Fitter::builder().window(4_000).reserve(1_000)
}

#[tokio::test]
async fn b1_a_fixed_part_around_the_trigger_is_no_reason_for_a_summary() {
    // The trigger is at 3 000 tokens.
    for fixed in [2_850, 2_950, 2_999, 3_000, 3_300, 3_999, 4_000, 40_000] {
        for stuck in [WhenStuck::Send, WhenStuck::Refuse] {
            let (provider, scribe) = (provider(4_000), Scribe::default());
            let fitter = fitter().summarizer(scribe.clone()).when_stuck(stuck);
            let fitter = fitter.build().expect("settings that work");
            let stack = Shape::Joint.around(bottom(&provider), &fitter);
            let mut request = chat(1, 60);
            request.messages[0] = ChatMessage::system(text("Obey.", fixed));
            // The same again and again, as a loop would have it.
            for _ in 0..10 {
                let result = send(&stack, request.clone()).await;
                match result {
                    Ok(_) => assert!(fixed < 3_000 && stuck == WhenStuck::Send),
                    Err(error) => assert!(is_final_overflow(&*error), "{error:?}"),
                }
            }
            assert_eq!(scribe.calls(), 0, "a fixed part of {fixed}");
            // What was sent is what was given.
            for call in provider.received() {
                assert_eq!(ptrs(&call.request), ptrs(&request));
            }
        }
    }
}

#[tokio::test]
async fn b1_a_compaction_that_gains_next_to_nothing_is_not_made() {
    // Little may go: a group of some tokens beside pinned messages that are too large.
    for (small, gain, calls) in [(110, 0.05, 0), (400, 0.05, 1), (400, 0.5, 0)] {
        let scribe = Scribe::new("Little.");
        let fitter = fitter()
            .summarizer(scribe.clone())
            .summary_tokens(20)
            .least_gain(gain);
        let fitter = fitter.build().expect("settings that work");
        let provider = provider(10_000);
        let stack = Shape::Joint.around(bottom(&provider), &fitter);
        let mut request = chat(1, small);
        request.messages[1] = ChatMessage::user(text("The task:", 2_000));
        request.messages[3] = ChatMessage::user(text("What to do now:", 2_000));
        send(&stack, request.clone())
            .await
            .expect("the provider takes more");
        assert_eq!(scribe.calls(), calls, "{small} tokens may go");
        let sent = provider.last_received().expect("sent");
        assert_eq!(texts(&sent.request) == texts(&request), calls == 0);
    }
}

#[tokio::test]
async fn b1_a_session_is_not_compacted_at_every_turn() {
    // The larger the fixed part, the smaller the room for messages.
    for fixed in [10, 1_000, 2_000, 2_400] {
        let (scribe, log) = (Scribe::default(), Log::default());
        let fitter = fitter()
            .summarizer(scribe.clone())
            .summary_tokens(20)
            .observer(log.clone());
        let fitter = fitter.build().expect("settings that work");
        let mut history = ChatRequest::new("a-model", [ChatMessage::system(text("Obey.", fixed))]);
        let limit = 3_000 - estimate(&history);
        let mut compacted = Vec::new();
        for turn in 0..100 {
            history
                .messages
                .push(ChatMessage::user(text(&format!("Question {turn}:"), 30)));
            let fitted = fitter.fit(history).await.expect("there is room");
            compacted.push(fitted.report.is_some());
            history = fitted.request;
            assert!(estimate(&history) <= 3_000);
            history
                .messages
                .push(ChatMessage::assistant(text(&format!("Answer {turn}:"), 30)));
        }
        let twice_in_a_row = compacted.windows(2).any(|pair| pair == [true, true]);
        assert!(!twice_in_a_row, "a fixed part of {fixed}");
        // Each makes room for a third of the limit or more.
        let compactions = log.reports().len();
        assert!(compactions > 0 && compactions == scribe.calls());
        assert!(
            compactions as u64 * limit / 3 <= 100 * 60,
            "{compactions} for {limit} tokens"
        );
    }
}

#[tokio::test]
async fn b2_a_summary_that_is_too_long_is_refused() {
    let tell = Scribe::default();
    let bound = {
        let fitter = fitter()
            .summarizer(tell.clone())
            .build()
            .expect("settings that work");
        fitter.fit(chat(40, 100)).await.expect("fits");
        tell.jobs()[0].max_tokens
    };
    for tokens in [bound + 1, 2 * bound, 100 * bound] {
        for failed in [FailedSummary::Untouched, FailedSummary::Omit] {
            for shape in Shape::FITTING {
                let (provider, log) = (provider(100_000), Log::default());
                let words = "x".repeat(4 * usize::try_from(tokens).expect("not that many"));
                let fitter = fitter()
                    .summarizer(Scribe::new(words.as_str()))
                    .failed_summary(failed)
                    .observer(log.clone())
                    .build()
                    .expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                let request = chat(40, 100);
                send(&stack, request.clone())
                    .await
                    .expect("the provider takes it");
                let sent = provider.last_received().expect("sent");
                assert!(
                    texts(&sent.request)
                        .iter()
                        .all(|text| !text.contains(&words))
                );
                assert!(matches!(log.entries()[0], Entry::SummaryRefused(_)));
                if failed == FailedSummary::Untouched {
                    assert_eq!(ptrs(&sent.request), ptrs(&request));
                } else {
                    assert!(estimate(&sent.request) <= 3_000);
                }
            }
        }
    }
    // One of just the bound is accepted.
    let words = "x".repeat(4 * usize::try_from(bound).expect("not that many"));
    let fitter = fitter()
        .summarizer(Scribe::new(words))
        .build()
        .expect("settings that work");
    let fitted = fitter.fit(chat(40, 100)).await.expect("fits");
    assert!(estimate(&fitted.request) <= 3_000 && fitted.report.is_some());
}

#[tokio::test]
async fn b2_nothing_small_is_replaced_by_a_larger_summary() {
    // Whatever the summarizer writes, and however little may go.
    for tokens in [5, 20, 50, 60, 70, 80, 100, 150] {
        for words in [1, 5, 20, 50, 500] {
            let provider = provider(100_000);
            let fitter = fitter()
                .summarizer(Scribe::new("word ".repeat(words)))
                .least_gain(0.0);
            let fitter = fitter.build().expect("settings that work");
            let stack = Shape::Fit.around(bottom(&provider), &fitter);
            let mut request = chat(1, tokens);
            request.messages[3] = ChatMessage::user(text("What to do now:", 3_000));
            send(&stack, request.clone())
                .await
                .expect("the provider takes it");
            let sent = provider.last_received().expect("sent");
            assert!(
                estimate(&sent.request) < estimate(&request)
                    || ptrs(&sent.request) == ptrs(&request),
                "{tokens} tokens for {words} words"
            );
        }
    }
}

#[tokio::test]
async fn b2_a_marker_never_lengthens_what_it_clips() {
    let mut clips = 0;
    for tokens in [10, 30, 60, 66, 70, 75, 80, 90, 120, 300] {
        for over in [1, 5, 20, 100] {
            let mut request = agent(0, 0, 0, |_, _, _| String::new());
            let calls = (0..10).fold(ChatMessage::assistant(""), |message, call| {
                message.call(format!("call_{call}"), "read", "{}")
            });
            request.messages.push(calls);
            for call in 0..10 {
                let result = text(&format!("Result {call}:"), tokens);
                request
                    .messages
                    .push(ChatMessage::tool(format!("call_{call}"), result));
            }
            let provider = provider(100_000);
            let window = estimate(&request) - over;
            let fitter = Fitter::builder().window(window).reserve(0).least_gain(0.0);
            let fitter = fitter.build().expect("settings that work");
            let stack = Shape::Fit.around(bottom(&provider), &fitter);
            send(&stack, request.clone())
                .await
                .expect("the provider takes it");
            let sent = provider.last_received().expect("sent");
            for (sent, given) in texts(&sent.request).iter().zip(texts(&request)) {
                assert!(sent.chars().count() <= given.chars().count());
                clips += usize::from(*sent != given);
            }
        }
    }
    assert!(clips > 0);
}

#[tokio::test]
async fn b3_a_retry_outside_never_repeats_what_can_not_help() {
    let outside: [fn(Erased) -> Erased; 4] = [
        |stack| stack,
        |stack| Erased::new(Buffer::new(stack, 4)),
        |stack| Erased::new(LoadShed::new(ConcurrencyLimit::new(stack, 4))),
        |stack| Erased::new(Timeout::new(stack, std::time::Duration::from_secs(60))),
    ];
    let mut no_room = chat(2, 50);
    no_room.messages[0] = ChatMessage::system(text("Obey.", 5_000));
    let no_output = chat(2, 50).max_tokens(4_000);
    for (request, stuck, calls) in [
        (chat(12, 100), WhenStuck::Send, 2),
        (chat(40, 100), WhenStuck::Send, 2),
        (
            agent(3, 4, 60, |turn, round, call| {
                format!("{turn}.{round}.{call}")
            }),
            WhenStuck::Send,
            2,
        ),
        (questions(1, 2_500), WhenStuck::Send, 1),
        (questions(1, 3_500), WhenStuck::Send, 1),
        (questions(1, 3_500), WhenStuck::Refuse, 0),
        (no_room, WhenStuck::Send, 0),
        (no_output, WhenStuck::Send, 0),
    ] {
        for outside in outside {
            let provider = provider(4_000).overflow_calls(usize::MAX);
            let fitter = fitter().summarizer(Scribe::default()).when_stuck(stuck);
            let fitter = fitter.build().expect("settings that work");
            let stack = outside(Shape::Joint.around(bottom(&provider), &fitter));
            let stack = Erased::new(Retry::new(Transient(9), stack));
            let error = send(&stack, request.clone())
                .await
                .expect_err("it always overflows");
            assert!(is_final_overflow(&*error), "{error:?}");
            assert_eq!(provider.calls(), calls);
        }
    }
}

#[test]
fn b3_a_final_overflow_is_told_apart_however_it_is_wrapped() {
    #[derive(Debug, thiserror::Error)]
    #[error("the request failed")]
    struct Wrapped(#[source] BoxError);

    let wrap = |error: FitError| Wrapped(Box::new(Wrapped(error.into())));
    let source = || BoxError::from(ProviderError::context_length(5_000, None, 4_000));
    for error in [
        FitError::StillTooLong { source: source() },
        FitError::CannotFit {
            needed: 2,
            limit: 1,
            fixed: 0,
            floor: 2,
        },
        FitError::NoRoom(BudgetError::FixedPartTooLarge {
            fixed: 2,
            ceiling: 1,
        }),
        FitError::NoRoom(BudgetError::OutputTooLarge {
            fixed: 1,
            reserve: 1,
            ceiling: 1,
        }),
    ] {
        assert!(is_final_overflow(&error));
        assert!(is_final_overflow(&wrap(error)));
    }
    for status in [429, 500, 503] {
        let error = ProviderError::scripted(status);
        assert!(!is_final_overflow(&error));
        assert!(!is_final_overflow(&Wrapped(error.into())));
    }
    // What a layer below may still recover from isn't final.
    assert!(!is_final_overflow(&*source()));
}

#[tokio::test]
async fn b4_two_overflows_are_two_calls_and_an_error() {
    for shape in Shape::RECOVERING {
        for request in [
            chat(12, 100),
            chat(40, 100),
            questions(20, 100),
            agent(3, 4, 60, |turn, round, call| {
                format!("{turn}.{round}.{call}")
            }),
        ] {
            for scribe in [
                None,
                Some(Scribe::default()),
                Some(Scribe::default().pending(3)),
            ] {
                let provider = provider(4_000).overflow_calls(2);
                let mut fitter = fitter();
                if let Some(scribe) = scribe {
                    fitter = fitter.summarizer(scribe);
                }
                let fitter = fitter.build().expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                // The third call would be answered.
                send(&stack, request.clone())
                    .await
                    .expect_err("it overflows twice");
                assert_eq!(provider.calls(), 2, "{shape:?}");
                // The next request has a recovery of its own, though it needs none.
                send(&stack, request.clone()).await.expect("answered");
            }
        }
    }
}

#[tokio::test]
async fn b4_without_anything_to_shrink_there_is_one_call() {
    let mut all_fixed = questions(1, 50);
    all_fixed
        .messages
        .insert(0, ChatMessage::system(text("Obey.", 2_800)));
    let one_round = {
        let mut request = questions(1, 20);
        request
            .messages
            .push(ChatMessage::assistant(text("Plan", 1_500)).call("a", "read", "{}"));
        request
            .messages
            .push(ChatMessage::tool("a", text("Result", 60)));
        request
    };
    for shape in Shape::RECOVERING {
        for request in [
            questions(1, 30),
            questions(1, 2_900),
            all_fixed.clone(),
            one_round.clone(),
        ] {
            let (provider, log) = (provider(4_000).overflow_calls(usize::MAX), Log::default());
            let scribe = Scribe::default();
            let fitter = fitter().summarizer(scribe.clone()).observer(log.clone());
            let stack = shape.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            send(&stack, request)
                .await
                .expect_err("it always overflows");
            assert_eq!((provider.calls(), scribe.calls()), (1, 0), "{shape:?}");
            assert_eq!(log.reports(), []);
        }
    }
}
