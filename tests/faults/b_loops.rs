//! B. No loops, and no calls that can't help.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use contextfit_core::budget::BudgetError;
use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse, Content, ContentPart};
use contextfit_core::cut::cut_policy_fn;
use contextfit_testing::provider::{ProviderError, SimulatedProvider};
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{
    Entry, Erased, FixedPart, Log, Scribe, Shape, TooLong, Transient, agent, bottom, chat,
    compacted_chat, estimate, forms, provider, ptrs, questions, send, sized, text, texts, unique,
};
use contextfit_tower::{
    BoxError, Calibrator, ChatUsageReader, Either, FailedSummary, FitError, Fitter, FitterBuilder,
    Overflow, OverflowClassifier, Sent, UsageOverflow, WhenStuck, is_final_overflow,
};
use tower::ServiceExt;
use tower::buffer::Buffer;
use tower::limit::ConcurrencyLimit;
use tower::load_shed::LoadShed;
use tower::retry::Retry;
use tower::timeout::Timeout;

fn fitter() -> FitterBuilder {
    Fitter::builder()
        .summary_keys(summary_keys())
        .window(4_000)
        .reserve(1_000)
}

#[tokio::test]
async fn b1_a_fixed_part_around_the_trigger_is_no_reason_for_a_summary() {
    // The trigger is at 3 000 tokens.
    for fixed in [2_850, 2_950, 2_999, 3_000, 3_300, 3_999, 4_000, 40_000] {
        for (part, stuck) in FixedPart::ALL
            .into_iter()
            .flat_map(|part| [(part, WhenStuck::Send), (part, WhenStuck::Refuse)])
        {
            let (provider, scribe) = (provider(4_000), Scribe::default());
            let fitter = fitter().summarizer(scribe.clone()).when_stuck(stuck);
            let fitter = fitter.build().expect("settings that work");
            let stack = Shape::Joint.around(bottom(&provider), &fitter);
            let mut request = questions(3, 60);
            part.add(&mut request, fixed);
            // The same again and again, as a loop would have it.
            for _ in 0..10 {
                let result = send(&stack, request.clone()).await;
                match result {
                    Ok(_) => assert!(fixed < 3_000 && stuck == WhenStuck::Send),
                    Err(error) => assert!(is_final_overflow(&*error), "{error:?}"),
                }
            }
            assert_eq!(scribe.calls(), 0, "a fixed part of {fixed}: {part:?}");
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
    for (window, reserve, fixed, turns, tokens) in [
        (4_000, 1_000, 10, 100, 30),
        (4_000, 1_000, 1_000, 100, 30),
        (4_000, 1_000, 2_000, 100, 30),
        (4_000, 1_000, 2_400, 100, 30),
        (200_000, 16_384, 173_000, 30, 500),
    ] {
        let (scribe, log) = (Scribe::default(), Log::default());
        let fitter = Fitter::builder()
            .summary_keys(summary_keys())
            .window(window)
            .reserve(reserve)
            .summarizer(scribe.clone())
            .summary_tokens(20)
            .observer(log.clone());
        let fitter = fitter.build().expect("settings that work");
        let mut history = ChatRequest::new("a-model", [ChatMessage::system(text("Obey.", fixed))]);
        let limit = window - reserve - estimate(&history);
        let mut compacted = Vec::new();
        for turn in 0..turns {
            let question = text(&format!("Question {turn}:"), tokens);
            history.messages.push(ChatMessage::user(question));
            let fitted = fitter.fit(history).await.expect("there is room");
            compacted.push(fitted.report.is_some());
            history = fitted.request;
            assert!(estimate(&history) <= window - reserve);
            let answer = text(&format!("Answer {turn}:"), tokens);
            history.messages.push(ChatMessage::assistant(answer));
        }
        let twice_in_a_row = compacted.windows(2).any(|pair| pair == [true, true]);
        assert!(!twice_in_a_row, "a fixed part of {fixed}");
        // Each makes room for a third of the limit or more.
        let compactions = log.reports().len();
        assert!(compactions > 0 && compactions == scribe.calls());
        assert!(
            compactions as u64 * limit / 3 <= 2 * turns * tokens as u64,
            "{compactions} for {limit} tokens"
        );
    }
}

/// Requests that are too long, some of them beyond help.
fn too_long() -> Vec<ChatRequest> {
    let mut pinned = chat(1, 400);
    pinned.messages[1] = ChatMessage::user(text("The task:", 2_000));
    pinned.messages[3] = ChatMessage::user(text("What to do now:", 2_000));
    let mut result = chat(5, 60);
    let calls = ChatMessage::assistant("").call("a", "read", "{}");
    result.messages.push(calls);
    result
        .messages
        .push(ChatMessage::tool("a", text("Result:", 12_000)));
    vec![
        chat(40, 100),
        compacted_chat(),
        agent(3, 6, 80, unique),
        questions(40, 100),
        questions(1, 3_600),
        forms(3, 100),
        pinned,
        result,
    ]
}

/// Writers of summaries that are as asked for, as long as can be, far too long, and none.
fn scribes() -> [Option<Scribe>; 4] {
    [
        Some(Scribe::default()),
        Some(Scribe::new("word ".repeat(90))),
        Some(Scribe::new("word ".repeat(5_000))),
        None,
    ]
}

#[tokio::test]
async fn b1_each_call_is_compacted_at_most_once() {
    for request in too_long() {
        for scribe in scribes() {
            for failed in [FailedSummary::Untouched, FailedSummary::Omit] {
                for (shape, overflows) in Shape::ALL
                    .into_iter()
                    .flat_map(|shape| [(shape, 0), (shape, usize::MAX)])
                {
                    let provider = provider(100_000).overflow_calls(overflows);
                    let log = Log::default();
                    let mut fitter = fitter()
                        .failed_summary(failed)
                        .least_gain(0.0)
                        .observer(log.clone());
                    if let Some(scribe) = scribe.clone() {
                        fitter = fitter.summarizer(scribe);
                    }
                    let fitter = fitter.build().expect("settings that work");
                    let before = scribe.as_ref().map_or(0, Scribe::calls);
                    // One that is too long is asked for once more, in fewer tokens.
                    let asked = |scribe: &Scribe| {
                        let mut jobs = scribe.jobs().split_off(before);
                        jobs.dedup_by(|one, other| one.transcript == other.transcript);
                        jobs.len()
                    };
                    let stack = shape.around(bottom(&provider), &fitter);
                    let _ = send(&stack, request.clone()).await;
                    // Once before it is sent, and once after the one overflow that is recovered.
                    let most = match shape {
                        Shape::Fit => 1,
                        Shape::Retry => usize::from(overflows > 0),
                        Shape::Joint | Shape::Stacked => 1 + usize::from(overflows > 0),
                    };
                    assert!(log.reports().len() <= most, "{shape:?}");
                    let summaries = scribe.as_ref().map_or(0, asked);
                    assert!(summaries <= most, "{summaries} summaries: {shape:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn b1_what_was_compacted_is_not_compacted_again() {
    let presets: [fn(FitterBuilder) -> FitterBuilder; 3] = [
        |builder| builder.topic_and_half(),
        |builder| builder.recent_budget(),
        |builder| builder.topic_and_half().clip_user_messages(true),
    ];
    let mut compactions = 0;
    for preset in presets {
        for window in [1_000, 4_000] {
            for gain in [0.0, 0.05] {
                for (request, scribe) in too_long()
                    .into_iter()
                    .flat_map(|request| scribes().map(|scribe| (request.clone(), scribe)))
                {
                    let mut fitter = preset(
                        Fitter::builder()
                            .summary_keys(summary_keys())
                            .window(window),
                    )
                    .failed_summary(FailedSummary::Omit)
                    .least_gain(gain);
                    if let Some(scribe) = scribe.clone() {
                        fitter = fitter.summarizer(scribe);
                    }
                    let fitter = fitter.build().expect("settings that work");
                    let first = fitter.fit(request).await.expect("it is sent anyway");
                    compactions += usize::from(first.report.is_some());
                    let summaries = scribe.as_ref().map(Scribe::calls);
                    // As it came out, whether it fits now or not.
                    let given = texts(&first.request);
                    for _ in 0..3 {
                        let again = fitter.fit(first.request.clone()).await.expect("sent");
                        assert_eq!(texts(&again.request), given);
                    }
                    assert_eq!(scribe.as_ref().map(Scribe::calls), summaries);
                }
            }
        }
    }
    assert!(compactions > 200, "{compactions} are a test of something");
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
async fn b2_a_notice_is_never_larger_than_what_it_stands_for() {
    let mut notices = 0;
    for tokens in [5, 20, 50, 60, 70, 80, 100, 150] {
        for scribe in [None, Some(Scribe::new(""))] {
            let (provider, log) = (provider(100_000), Log::default());
            let mut fitter = fitter()
                .failed_summary(FailedSummary::Omit)
                .least_gain(0.0)
                .observer(log.clone());
            if let Some(scribe) = scribe {
                fitter = fitter.summarizer(scribe);
            }
            let fitter = fitter.build().expect("settings that work");
            let stack = Shape::Fit.around(bottom(&provider), &fitter);
            let mut request = chat(1, tokens);
            request.messages[3] = ChatMessage::user(text("What to do now:", 3_000));
            send(&stack, request.clone())
                .await
                .expect("the provider takes it");
            let sent = provider.last_received().expect("sent");
            let shorter = estimate(&sent.request) < estimate(&request);
            assert!(
                shorter || ptrs(&sent.request) == ptrs(&request),
                "{tokens} tokens"
            );
            notices += log.reports().len();
        }
    }
    assert!(notices > 0);
}

/// Ten texts of so many tokens each, in every place where texts may be clipped.
fn clippable(tokens: usize) -> [ChatRequest; 3] {
    let texts: Vec<_> = (0..10)
        .map(|number| text(&format!("Text {number}:"), tokens))
        .collect();
    let parts: Vec<_> = texts
        .iter()
        .map(|text| ContentPart::text(&**text))
        .collect();
    let calls = (0..10).fold(ChatMessage::assistant(""), |message, call| {
        message.call(format!("call_{call}"), "read", "{}")
    });
    let results = texts.iter().enumerate();
    let results =
        results.map(|(call, text)| ChatMessage::tool(format!("call_{call}"), text.as_str()));
    let one_call = ChatMessage::assistant("").call("call", "read", "{}");
    let task = || ChatMessage::user("The task");
    [
        ChatRequest::new("a-model", [task(), calls].into_iter().chain(results)),
        ChatRequest::new(
            "a-model",
            [task(), one_call, ChatMessage::tool("call", parts)],
        ),
        ChatRequest::new("a-model", texts.into_iter().map(ChatMessage::user)),
    ]
}

/// Every single text of a request, those in parts one by one.
fn single_texts(request: &ChatRequest) -> Vec<String> {
    let of = |message: &ChatMessage| match &message.content {
        Some(Content::Parts(parts)) => parts
            .iter()
            .map(|part| part.text.as_deref().unwrap_or_default().to_owned())
            .collect(),
        _ => vec![message.text()],
    };
    request.messages.iter().flat_map(of).collect()
}

#[tokio::test]
async fn b2_a_marker_never_lengthens_what_it_clips() {
    for place in 0..3 {
        let mut clips = 0;
        for tokens in [10, 30, 60, 66, 70, 75, 80, 90, 120, 300] {
            for over in [1, 5, 20, 100] {
                let request = clippable(tokens)[place].clone();
                let provider = provider(100_000);
                let window = estimate(&request).saturating_sub(over).max(1);
                let fitter = Fitter::builder()
                    .summary_keys(summary_keys())
                    .window(window)
                    .reserve(0)
                    .least_gain(0.0)
                    .clip_user_messages(true)
                    // Nothing is cut, so there are only clips.
                    .policy(cut_policy_fn(|_, _| None));
                let fitter = fitter.build().expect("settings that work");
                let stack = Shape::Fit.around(bottom(&provider), &fitter);
                send(&stack, request.clone())
                    .await
                    .expect("the provider takes it");
                let sent = provider.last_received().expect("sent");
                let sent = single_texts(&sent.request);
                for (sent, given) in sent.iter().zip(single_texts(&request)) {
                    assert!(sent.chars().count() <= given.chars().count());
                    clips += usize::from(*sent != given);
                }
            }
        }
        assert!(clips > 0, "in place {place}");
    }
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
        (agent(3, 4, 60, unique), WhenStuck::Send, 2),
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
            agent(3, 4, 60, unique),
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

/// Recognises overflows, by their error or by the usage in an answer, and remembers how large it
/// was told that each request was.
#[derive(Clone, Debug, Default)]
struct Judge(Arc<Mutex<Vec<u64>>>);

impl OverflowClassifier<ChatResponse, BoxError> for Judge {
    fn classify(
        &self,
        sent: &Sent<'_>,
        result: &Result<ChatResponse, BoxError>,
    ) -> Option<Overflow> {
        let mut judged = self.0.lock().expect("nobody panicked");
        judged.push(sent.estimated);
        let by_usage = || UsageOverflow::new(ChatUsageReader).classify(sent, result);
        TooLong.classify(sent, result).or_else(by_usage)
    }
}

/// A provider whose answers have the usage that is set, for as long as it is. 0 stands for the
/// true one.
fn claiming(provider: &SimulatedProvider, usage: &Arc<AtomicU64>) -> Erased {
    let usage = Arc::clone(usage);
    let claim = move |response: ChatResponse| match usage.load(Ordering::Relaxed) {
        0 => response,
        usage => response.usage(usage, 10),
    };
    Erased::new(bottom(provider).map_response(claim))
}

#[tokio::test]
async fn b5_an_answer_is_judged_by_the_request_it_answers() {
    for shape in Shape::RECOVERING {
        for claim in [0, 2_000, 3_999, 4_001, 190_000] {
            for overflows in [0, 1, 2] {
                let provider = provider(100_000).overflow_calls(overflows);
                let (judge, usage) = (Judge::default(), Arc::new(AtomicU64::new(claim)));
                let fitter = fitter().summarizer(Scribe::default());
                let fitter = fitter.build().expect("settings that work");
                let stack = shape.around_with(claiming(&provider, &usage), &fitter, judge.clone());
                for request in [
                    chat(12, 100),
                    chat(40, 100),
                    chat(2, 50),
                    questions(40, 100),
                ] {
                    let _ = send(&stack, request).await;
                }
                let received = provider.received().into_iter();
                let sent: Vec<_> = received.map(|call| estimate(&call.request)).collect();
                let judged = judge.0.lock().expect("nobody panicked");
                assert_eq!(*judged, sent, "{shape:?}, a claim of {claim}");
            }
        }
    }
}

#[tokio::test]
async fn b5_the_usage_of_an_earlier_request_triggers_nothing() {
    // Of the window of 20 000 tokens, three quarters may be used; and so of a limit of 12 000
    // that an overflow taught.
    for (real, room) in [(20_000, 15_000), (12_000, 9_000)] {
        for claim in [8_000, 19_999, 20_000, 20_001, 190_000, u64::MAX] {
            for shape in Shape::RECOVERING {
                let (provider, usage) = (provider(real), Arc::default());
                let (scribe, log) = (Scribe::default(), Log::default());
                let fitter = Fitter::builder()
                    .summary_keys(summary_keys())
                    .window(20_000)
                    .summarizer(scribe.clone())
                    .observer(log.clone());
                let fitter = fitter.build().expect("settings that work");
                let stack =
                    shape.around_with(claiming(&provider, &usage), &fitter, Judge::default());
                send(&stack, sized(15_000)).await.expect("answered");
                assert_eq!(provider.totals().overflows, usize::from(real < 15_000));

                // Its usage is that of something else, and so is that of what is sent instead.
                usage.store(claim, Ordering::Relaxed);
                let calls = provider.calls();
                send(&stack, sized(8_000)).await.expect("answered");
                let most = if claim > 20_000 { 2 } else { 1 };
                assert!((1..=most).contains(&(provider.calls() - calls)));

                // From now on it is true, and nothing is left of what it was.
                usage.store(0, Ordering::Relaxed);
                let (calls, summaries) = (provider.calls(), scribe.calls());
                let events = log.entries().len();
                for (number, tokens) in [200, 5_000, room, 8_000].into_iter().enumerate() {
                    let request = sized(tokens);
                    send(&stack, request.clone()).await.expect("answered");
                    let sent = provider.last_received().expect("sent");
                    assert_eq!(
                        ptrs(&sent.request),
                        ptrs(&request),
                        "{shape:?} after {claim}"
                    );
                    assert_eq!(provider.calls(), calls + number + 1);
                }
                assert_eq!((scribe.calls(), log.entries().len()), (summaries, events));
            }
        }
    }
}

#[tokio::test]
async fn b5_what_was_counted_before_a_compaction_judges_nothing_after_it() {
    for shape in [Shape::Joint, Shape::Stacked] {
        let (provider, scribe) = (provider(200_000), Scribe::default());
        let fitter = Fitter::builder()
            .summary_keys(summary_keys())
            .window(200_000)
            .calibrator(Calibrator::default())
            .summarizer(scribe.clone())
            .build()
            .expect("settings that work");
        let usage = UsageOverflow::new(ChatUsageReader);
        let stack = shape.around_with(bottom(&provider), &fitter, Either::new(TooLong, usage));

        // 180 000 tokens are counted, the next question is too much, and the caller goes on with
        // what was sent.
        let mut request = questions(90, 2_000);
        send(&stack, request.clone()).await.expect("answered");
        request.messages.push(ChatMessage::assistant("Done."));
        request
            .messages
            .push(ChatMessage::user(text("The last question:", 5_000)));
        send(&stack, request).await.expect("answered");
        assert_eq!(scribe.calls(), 1);
        let mut request = provider.last_received().expect("sent").request.clone();
        for turn in 0..5 {
            request.messages.push(ChatMessage::assistant("Done."));
            let question = text(&format!("One more question, {turn}:"), 2_000);
            request.messages.push(ChatMessage::user(question));
            send(&stack, request.clone()).await.expect("answered");
            let sent = provider.last_received().expect("sent");
            assert_eq!(ptrs(&sent.request), ptrs(&request), "{shape:?}");
        }
        assert_eq!(scribe.calls(), 1);
    }
}
