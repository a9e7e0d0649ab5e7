//! F. What the user must not lose: the task, the question, and the knowledge of what was lost.

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole, Content, ContentPart};
use contextfit_core::request::{EditConversation, Hints, Native, RequestAdapter};
use contextfit_core::table::Pins;
use contextfit_testing::provider::{Outcome, check_structure};
use contextfit_tests::{
    Entry, Log, Scribe, Shape, TooLong, Traced, agent, bottom, chat, content, estimate, policies,
    provider, ptr, questions, send, text, texts, unique,
};
use contextfit_tower::{
    ContextFitLayer, FailedSummary, FitError, Fitter, FitterBuilder, Observer, Reason, Summary,
    TraceEvents, WhenStuck,
};
use tower::{Layer, ServiceExt};

fn fitter() -> FitterBuilder {
    Fitter::builder().window(4_000).reserve(1_000)
}

/// Whether a message of the request is this one, its text not copied.
fn holds(request: &ChatRequest, message: &ChatMessage) -> bool {
    request
        .messages
        .iter()
        .any(|one| one == message && ptr(one) == ptr(message))
}

#[tokio::test]
async fn f1_the_task_and_what_is_marked_stay_verbatim_under_any_policy() {
    let marked = [6, 13];
    for request in [chat(10, 60), agent(2, 4, 60, unique)] {
        let task = request
            .messages
            .iter()
            .position(|message| message.role == ChatRole::User);
        let pinned = [task.expect("a task"), marked[0], marked[1]];
        for policy in policies(request.messages.len()) {
            for (shape, overflows) in [(Shape::Fit, 0), (Shape::Joint, 1), (Shape::Retry, 1)] {
                for window in [estimate(&request) - 1, estimate(&request) / 2, 500] {
                    let provider = provider(100_000).overflow_calls(overflows);
                    let fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .policy(policy.clone())
                        .summarizer(Scribe::new("They worked."))
                        .adapter(Native.with_hints(move |_: &ChatRequest| {
                            marked.into_iter().fold(Hints::default(), Hints::pin)
                        }))
                        .build()
                        .expect("settings that work");
                    let stack = shape.around(bottom(&provider), &fitter);
                    let _ = send(&stack, request.clone()).await;
                    for call in provider.received() {
                        for pinned in pinned {
                            assert!(holds(&call.request, &request.messages[pinned]));
                        }
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn f1_the_task_survives_sixty_turns_and_many_compactions() {
    let task = ChatMessage::user(text("The task:", 100));
    let presets: [fn(FitterBuilder) -> FitterBuilder; 2] = [
        |builder| builder.topic_and_half(),
        |builder| builder.recent_budget().pins(Pins::BOTH),
    ];
    for preset in presets {
        for summarizer in [Some(Scribe::default()), None] {
            let log = Log::default();
            let mut builder = preset(fitter()).observer(log.clone());
            if let Some(summarizer) = summarizer {
                builder = builder.summarizer(summarizer);
            }
            let fitter = builder.build().expect("settings that work");
            let mut history = ChatRequest::new("a-model", [task.clone()]);
            for turn in 0..60 {
                let fitted = fitter.fit(history).await.expect("fits");
                history = fitted.request;
                assert!(estimate(&history) <= 3_000);
                assert!(holds(&history, &task), "turn {turn}");
                assert_eq!(history.messages[0], task);
                for (who, label) in [
                    (ChatRole::Assistant, "Answer"),
                    (ChatRole::User, "Question"),
                ] {
                    let mut message = ChatMessage::user(text(&format!("{label} {turn}:"), 100));
                    message.role = who;
                    history.messages.push(message);
                }
            }
            assert!(
                log.reports().len() >= 3,
                "{} compactions",
                log.reports().len()
            );
        }
    }
}

#[tokio::test]
async fn f2_the_last_user_message_stays_verbatim_however_large() {
    for share in [10, 50, 90, 95, 99] {
        for policy in policies(22) {
            for (shape, overflows) in [(Shape::Fit, 0), (Shape::Joint, 1), (Shape::Retry, 1)] {
                let provider = provider(100_000).overflow_calls(overflows);
                let fitter = fitter()
                    .policy(policy.clone())
                    .summarizer(Scribe::default());
                let fitter = fitter.build().expect("settings that work");
                let mut request = chat(10, 200);
                let last = ChatMessage::user(text("The last question:", 30 * share));
                *request.messages.last_mut().expect("a question") = last.clone();
                let _ = send(&shape.around(bottom(&provider), &fitter), request).await;
                for call in provider.received() {
                    assert!(holds(&call.request, &last));
                    assert_eq!(call.request.messages.last(), Some(&last));
                }
            }
        }
    }
}

#[tokio::test]
async fn f2_a_hundred_rounds_of_tools_do_not_bury_the_question() {
    for rounds in [10, 30, 100] {
        let provider = provider(4_000);
        let fitter = fitter()
            .summarizer(Scribe::default())
            .build()
            .expect("settings that work");
        // After the task there is another question, and the agent is still at it.
        let mut request = agent(2, rounds, 50, unique);
        request.messages.truncate(request.messages.len() - 2);
        let is_user = |message: &ChatMessage| message.role == ChatRole::User;
        let question = request
            .messages
            .iter()
            .rposition(is_user)
            .expect("a question");
        let question = request.messages[question].clone();
        assert_ne!(
            Some(&question),
            request.messages.iter().find(|message| is_user(message))
        );
        let stack = Shape::Fit.around(bottom(&provider), &fitter);
        send(&stack, request.clone()).await.expect("accepted");
        let sent = provider.last_received().expect("sent");
        assert!(holds(&sent.request, &question));
        assert_eq!(sent.request.messages.last(), request.messages.last());
        assert_eq!(check_structure(&sent.request), Ok(()));
        let is_cut = sent.request.messages.len() < request.messages.len();
        assert_eq!(is_cut, estimate(&request) > 3_000);
    }
}

#[tokio::test]
async fn f2_a_question_that_is_too_large_is_sent_or_refused_or_clipped_as_set() {
    for tokens in [3_001, 3_600, 30_000] {
        let mut request = chat(5, 100);
        let last = ChatMessage::user(text("The last question:", tokens));
        *request.messages.last_mut().expect("a question") = last.clone();

        // By default the provider decides.
        let (large, log) = (provider(100_000), Log::default());
        let fit = fitter().summarizer(Scribe::default()).observer(log.clone());
        let fit = fit.build().expect("settings that work");
        send(&Shape::Joint.around(bottom(&large), &fit), request.clone())
            .await
            .expect("large");
        assert!(holds(&large.last_received().expect("sent").request, &last));
        assert!(!log.entries().is_empty(), "it is told");

        // It may be refused, with the numbers …
        let none = provider(4_000);
        let scribe = Scribe::default();
        let fit = fitter()
            .summarizer(scribe.clone())
            .when_stuck(WhenStuck::Refuse);
        let fit = fit.build().expect("settings that work");
        let stack = Shape::Joint.around(bottom(&none), &fit);
        let error = send(&stack, request.clone()).await.expect_err("refused");
        let Some(&FitError::CannotFit {
            needed,
            limit,
            fixed,
            floor,
        }) = error.downcast_ref()
        else {
            panic!("{error:?}");
        };
        assert_eq!(needed + fixed, estimate(&request));
        assert_eq!(limit + fixed, 3_000);
        assert!(floor > limit && floor <= needed);
        assert_eq!((none.calls(), scribe.calls()), (0, 0));

        // … or clipped, which is said.
        let small = provider(4_000);
        let fit = fitter()
            .summarizer(Scribe::default())
            .clip_user_messages(true);
        let fit = fit.build().expect("settings that work");
        send(&Shape::Joint.around(bottom(&small), &fit), request.clone())
            .await
            .expect("fits");
        let sent = small.last_received().expect("sent");
        is_clipped(
            &sent.request.messages.last().expect("a question").text(),
            content(&last),
        );
    }
}

/// Checks that a text is the head and the tail of another, with what is missing told.
fn is_clipped(clipped: &str, whole: &str) {
    let (head, rest) = clipped.split_once("[… ").expect("a marker");
    let (omitted, rest) = rest.split_once(' ').expect("a number");
    let (_, tail) = rest.split_once("…]").expect("the marker ends");
    let (head, tail) = (head.trim_end_matches('\n'), tail.trim_start_matches('\n'));
    assert!(!head.is_empty() && !tail.is_empty());
    assert!(whole.starts_with(head) && whole.ends_with(tail));
    let omitted: usize = omitted.parse().expect("a number");
    let kept = head.chars().count() + tail.chars().count();
    let missing = whole.chars().count() - kept;
    // Line ends beside the marker come and go, twice in a recovery.
    assert!(
        missing.abs_diff(omitted) <= 4,
        "{missing} are missing, {omitted} are told"
    );
}

/// One round of parallel calls whose results have so many tokens each.
fn round(results: &[usize]) -> ChatRequest {
    let mut request = chat(5, 60);
    let calls = (0..results.len()).fold(ChatMessage::assistant(""), |message, call| {
        message.call(format!("call_{call}"), "read", "{}")
    });
    request.messages.push(calls);
    for (call, &tokens) in results.iter().enumerate() {
        let lines = text(&format!("Result {call}:"), tokens).replace(" and so", "\nand so");
        request
            .messages
            .push(ChatMessage::tool(format!("call_{call}"), lines));
    }
    request
}

#[tokio::test]
async fn f3_results_too_large_for_the_window_are_clipped_the_largest_first() {
    for results in [
        vec![12_000],
        vec![120_000],
        vec![3_000],
        vec![600; 10],
        vec![400; 10],
        vec![50, 12_000, 60],
        vec![1_000, 40, 2_000, 40, 3_000],
        vec![20; 5],
    ] {
        for (shape, overflows) in [
            (Shape::Fit, 0),
            (Shape::Joint, 0),
            (Shape::Joint, 1),
            (Shape::Retry, 1),
        ] {
            let (provider, log) = (provider(4_000).overflow_calls(overflows), Log::default());
            let fitter = fitter().summarizer(Scribe::default()).observer(log.clone());
            let stack = shape.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            let request = round(&results);
            send(&stack, request.clone()).await.expect("fits");
            assert_eq!(provider.totals().structure_errors, 0);

            let sent = provider.last_received().expect("sent");
            assert_eq!(sent.outcome, Outcome::Answered);
            assert!(estimate(&sent.request) <= 3_000);
            let is_result = |message: &&ChatMessage| message.role == ChatRole::Tool;
            let given: Vec<_> = request.messages.iter().filter(is_result).collect();
            let sent: Vec<_> = sent.request.messages.iter().filter(is_result).collect();
            assert_eq!(sent.len(), results.len(), "each call has its result");
            let (mut largest_whole, mut smallest_clipped) = (0, usize::MAX);
            for ((sent, given), tokens) in sent.into_iter().zip(given).zip(&results) {
                assert_eq!(sent.tool_call_id, given.tool_call_id);
                if sent == given {
                    largest_whole = largest_whole.max(*tokens);
                } else {
                    smallest_clipped = smallest_clipped.min(*tokens);
                    is_clipped(content(sent), content(given));
                }
            }
            assert!(largest_whole <= smallest_clipped);
            let clipped = log.reports().iter().any(|report| report.clipped > 0);
            assert_eq!(clipped, smallest_clipped < usize::MAX, "it is told");
        }
    }
}

#[tokio::test]
async fn f3_a_result_that_is_clipped_again_tells_all_that_is_missing() {
    for results in [vec![30_000], vec![9_000; 3]] {
        let request = round(&results);
        let mut history = request.clone();
        // The caller keeps what was fitted, and moves on to smaller models.
        for window in [16_000, 8_000, 4_000, 2_000] {
            let fitter = Fitter::builder()
                .window(window)
                .build()
                .expect("settings that work");
            let fitted = fitter.fit(history).await.expect("fits");
            assert!(fitted.report.is_some_and(|report| report.clipped > 0));
            history = fitted.request;
        }
        let last = |request: &ChatRequest| request.messages.last().expect("a result").text();
        is_clipped(&last(&history), &last(&request));
    }
}

#[tokio::test]
async fn f3_results_in_parts_are_clipped_too() {
    let mut request = round(&[100]);
    let parts = vec![
        ContentPart::text(text("Small:", 50)),
        ContentPart::text(text("Large:", 9_000)),
        ContentPart::text(text("Larger:", 12_000)),
    ];
    request.messages.last_mut().expect("a result").content = Some(Content::from(parts));
    let provider = provider(4_000);
    let fitter = fitter()
        .summarizer(Scribe::default())
        .build()
        .expect("settings that work");
    let stack = Shape::Fit.around(bottom(&provider), &fitter);
    send(&stack, request.clone()).await.expect("fits");
    let sent = provider.last_received().expect("sent");
    let Some(Content::Parts(parts)) = &sent.request.messages.last().expect("a result").content
    else {
        panic!("parts stay parts");
    };
    assert_eq!(parts.len(), 3);
    assert_eq!(parts[0].text.as_deref(), Some(&*text("Small:", 50)));
    is_clipped(
        parts[1].text.as_deref().expect("text"),
        &text("Large:", 9_000),
    );
    is_clipped(
        parts[2].text.as_deref().expect("text"),
        &text("Larger:", 12_000),
    );
}

#[tokio::test]
async fn f3_many_results_of_a_medium_size_fit_together() {
    // Thirty rounds of two results each, none of them large.
    for tokens in [60, 150, 400] {
        let provider = provider(4_000);
        let fitter = fitter()
            .summarizer(Scribe::default())
            .build()
            .expect("settings that work");
        let mut request = agent(1, 30, tokens, unique);
        request.messages.truncate(request.messages.len() - 2);
        send(&Shape::Joint.around(bottom(&provider), &fitter), request)
            .await
            .expect("fits");
        assert_eq!((provider.calls(), provider.totals().overflows), (1, 0));
    }
}

/// Texts of many lines, in scripts of more and of fewer bytes a character, and of one line.
fn scripts() -> Vec<String> {
    let lines = |line: &dyn Fn(usize) -> String| (0..1_500).map(line).collect::<String>();
    vec![
        lines(&|number| format!("{number}: all is well\n")),
        lines(&|number| format!("{number}: tout est où il était\r\n")),
        lines(&|number| format!("第{number}行：一切都好，没有错误。\n")),
        lines(&|number| format!("{number} 👩🏽‍🚀🇨🇿 e\u{301}\n")),
        lines(&|number| format!("{number};")),
        lines(&|number| format!("行{number}🦀")),
        // Long lines among short ones, and empty ones.
        lines(&|number| format!("{number}\n\n{}\n", "так ".repeat(number % 50))),
    ]
}

/// Whatever may be clipped, with this text in it.
fn with_text(whole: &str) -> [ChatRequest; 3] {
    let calls = || ChatMessage::assistant("").call("call", "read", "{}");
    let task = || ChatMessage::user("Look.");
    let parts = vec![ContentPart::text("Found:"), ContentPart::text(whole)];
    [
        ChatRequest::new(
            "a-model",
            [task(), calls(), ChatMessage::tool("call", whole)],
        ),
        ChatRequest::new(
            "a-model",
            [task(), calls(), ChatMessage::tool("call", parts)],
        ),
        ChatRequest::new("a-model", [ChatMessage::user(whole)]),
    ]
}

/// The last text of a request, which may be in parts.
fn last_text(request: &ChatRequest) -> &str {
    match &request.messages.last().expect("messages").content {
        Some(Content::Text(text)) => text,
        Some(Content::Parts(parts)) => {
            let text = parts.last().and_then(|part| part.text.as_deref());
            text.expect("a text")
        }
        None => panic!("no content"),
    }
}

/// The head and the tail of a clipped text, and how much the marker between them says is missing.
fn read_clip(clipped: &str) -> (&str, usize, &str) {
    let (head, rest) = clipped.split_once("[… ").expect("a marker");
    let (omitted, rest) = rest.split_once(' ').expect("a number");
    let (_, tail) = rest.split_once("…]\n").expect("the marker ends");
    assert!(!tail.contains("[… "), "one marker");
    (head, omitted.parse().expect("a number"), tail)
}

#[tokio::test]
async fn f4_a_marker_says_how_many_characters_are_missing() {
    for whole in scripts() {
        for request in with_text(&whole) {
            for window in [500, 1_000] {
                for (shape, overflows) in [(Shape::Fit, 0), (Shape::Retry, 1)] {
                    let run = async || {
                        let provider = provider(100_000).overflow_calls(overflows);
                        let log = Log::default();
                        let fitter = Fitter::builder()
                            .window(window)
                            .clip_user_messages(true)
                            .observer(log.clone());
                        let fitter = fitter.build().expect("settings that work");
                        let stack = shape.around(bottom(&provider), &fitter);
                        send(&stack, request.clone()).await.expect("answered");
                        let sent = provider.last_received().expect("sent").request.clone();
                        (sent, log.reports())
                    };
                    let (sent, reports) = run().await;
                    let (head, omitted, tail) = read_clip(last_text(&sent));
                    // A line end before the marker may be the marker's own.
                    let is_head = |head: &&str| whole.starts_with(head);
                    let heads = [head, head.strip_suffix('\n').unwrap_or(head)];
                    let chars = |text: &str| text.chars().count();
                    let missing = |head: &str| chars(&whole) - chars(head) - chars(tail);
                    let mut told = heads.into_iter().filter(is_head).map(missing);
                    assert!(told.any(|missing| missing == omitted), "{omitted} are told");
                    assert!(whole.ends_with(tail) && !tail.is_empty());
                    // Whoever watches is told the same.
                    let report = reports.last().expect("a report");
                    let [clip] = report.plan.clips() else {
                        panic!("one clip, not {:?}", report.plan);
                    };
                    assert_eq!(clip.omitted_chars, omitted);
                    // And it is the same each time.
                    let (again, _) = run().await;
                    assert_eq!(again.messages, sent.messages);
                }
            }
        }
    }
}

#[tokio::test]
async fn f4_a_clip_falls_between_lines() {
    // Those with lines that are short beside what is kept.
    for whole in &scripts()[..4] {
        for request in with_text(whole) {
            for window in [500, 1_000] {
                let fitter = Fitter::builder().window(window).clip_user_messages(true);
                let fitter = fitter.build().expect("settings that work");
                let provider = provider(100_000);
                let stack = Shape::Fit.around(bottom(&provider), &fitter);
                send(&stack, request.clone()).await.expect("answered");
                let sent = provider.last_received().expect("sent");
                let (head, _, tail) = read_clip(last_text(&sent.request));
                assert!(whole.starts_with(head) && head.ends_with('\n'));
                let before = whole.strip_suffix(tail).expect("the end of it");
                assert!(before.ends_with('\n'));
            }
        }
    }
}

#[tokio::test]
async fn f4_what_is_clipped_twice_on_its_way_tells_all_that_is_missing() {
    for whole in scripts() {
        for request in with_text(&whole) {
            let (provider, log) = (provider(100_000).overflow_calls(1), Log::default());
            let fitter = Fitter::builder()
                .window(1_000)
                .clip_user_messages(true)
                .observer(log.clone());
            let stack = Shape::Stacked.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            send(&stack, request.clone()).await.expect("answered");
            let reports = log.reports();
            assert!(reports.len() == 2 && reports.iter().all(|report| report.clipped == 1));
            is_clipped(
                last_text(&provider.last_received().expect("sent").request),
                &whole,
            );
        }
    }
}

#[tokio::test]
async fn f7_every_change_is_told_with_the_right_numbers() {
    type Settings = fn(FitterBuilder) -> FitterBuilder;
    let settings: [Settings; 5] = [
        |builder| builder.summarizer(Scribe::default()),
        |builder| builder,
        |builder| {
            builder
                .summarizer(Scribe::new(""))
                .failed_summary(FailedSummary::Omit)
        },
        |builder| {
            builder
                .recent_budget()
                .summarizer(Scribe::default().pending(2))
        },
        |builder| builder.clip_user_messages(true),
    ];
    let requests = [
        chat(12, 100),
        chat(40, 100),
        agent(3, 6, 80, unique),
        round(&[600; 10]),
        round(&[12_000]),
        questions(1, 3_600),
        questions(40, 100),
    ];
    for (number, settings) in settings.into_iter().enumerate() {
        // These have a summarizer, and nothing that it wrote.
        let degrades = number == 2;
        for request in &requests {
            for shape in Shape::ALL {
                for overflows in [0, 1, 2] {
                    let (provider, log) =
                        (provider(100_000).overflow_calls(overflows), Log::default());
                    let fitter = settings(fitter()).observer(log.clone());
                    let fitter = fitter.build().expect("settings that work");
                    let stack = shape.around(bottom(&provider), &fitter);
                    let _ = send(&stack, request.clone()).await;

                    // Whatever differs from what came before it is told, and nothing else.
                    let mut reports = log.reports().into_iter();
                    let mut last = request.clone();
                    for (number, call) in provider.received().into_iter().enumerate() {
                        if call.request.messages == last.messages {
                            continue;
                        }
                        // Both fits of one service are of the request that it was given.
                        let mut before = match shape {
                            Shape::Stacked => last,
                            _ => request.clone(),
                        };
                        let report = reports.next().expect("a report");
                        assert_eq!(report.reason == Reason::Overflow, number > 0);
                        assert_eq!(report.tokens_before, estimate(&before));
                        assert_eq!(report.tokens_after, estimate(&call.request));
                        assert!(report.tokens_after < report.tokens_before);
                        let parts = [
                            report.summarized,
                            report.omitted,
                            report.clipped,
                            report.kept,
                        ];
                        let summaries = usize::from(number > 0 && has_summary(&before));
                        assert!(
                            parts.iter().sum::<usize>() + summaries >= before.messages.len()
                                && parts.iter().sum::<usize>() <= before.messages.len()
                        );
                        assert_eq!(report.degraded, degrades && report.omitted > 0);
                        // The caller can do the same to a history of their own.
                        before.apply(&report.plan).expect("made for it");
                        assert_eq!(before.messages, call.request.messages);
                        last = before;
                    }
                    assert_eq!(reports.count(), 0, "{shape:?}");
                }
            }
        }
    }
}

/// By the observer, beside the response, and in the trace.
#[tokio::test]
async fn f7_a_compaction_is_told_in_three_ways_and_all_tell_the_same() {
    type Settings = fn(FitterBuilder) -> FitterBuilder;
    let settings: [Settings; 3] = [
        |builder| builder.summarizer(Scribe::default()),
        |builder| builder,
        |builder| {
            let builder = builder.summarizer(Scribe::new(" "));
            builder.failed_summary(FailedSummary::Archive)
        },
    ];
    let mut told = 0;
    for settings in settings {
        for request in [chat(40, 100), agent(3, 6, 80, unique), round(&[600; 10])] {
            for overflows in [0, 1] {
                let (log, traced) = (Log::default(), Traced::default());
                let _guard = traced.start();
                let observer = log.clone().and(TraceEvents::new());
                let fitter = settings(fitter()).observer(observer);
                let layer = ContextFitLayer::new(fitter.build().expect("settings that work"));
                let stack = layer.overflow_retry(TooLong).reporting();
                let provider = provider(100_000).overflow_calls(overflows);
                let fitted = stack.layer(bottom(&provider)).oneshot(request.clone());
                let report = fitted.await.expect("answered").report.expect("it changed");

                assert_eq!(log.reports().last(), Some(&report));
                let reason = [Reason::OverLimit, Reason::Overflow][overflows];
                assert_eq!(report.reason, reason);
                let gone = report.summarized + report.archived + report.omitted;
                assert!(gone + report.clipped > 0);
                assert_eq!(gone + report.clipped + report.kept, request.messages.len());
                for name in ["fitted", "contextfit.fit"] {
                    let record = traced.named(name).pop().expect("it was traced");
                    assert_eq!(record.field("contextfit.reason"), Some(reason.as_str()));
                    for (field, number) in [
                        ("contextfit.tokens.before", report.tokens_before),
                        ("contextfit.tokens.after", report.tokens_after),
                        ("contextfit.messages.summarized", report.summarized as u64),
                        ("contextfit.messages.archived", report.archived as u64),
                        ("contextfit.messages.omitted", report.omitted as u64),
                        ("contextfit.messages.clipped", report.clipped as u64),
                        ("contextfit.messages.kept", report.kept as u64),
                    ] {
                        assert_eq!(record.number(field), Some(number), "{field} of {name}");
                    }
                }
                told += 1;
            }
        }
    }
    assert_eq!(told, 18);
}

fn has_summary(request: &ChatRequest) -> bool {
    texts(request)
        .iter()
        .any(|text| text.starts_with("<contextfit-summary"))
}

#[tokio::test]
async fn f7_what_is_not_done_is_told_too() {
    let one = |shape: Shape, builder: FitterBuilder, overflows: usize, request: ChatRequest| async move {
        let (provider, log) = (provider(100_000).overflow_calls(overflows), Log::default());
        let fitter = builder
            .observer(log.clone())
            .build()
            .expect("settings that work");
        let _ = send(&shape.around(bottom(&provider), &fitter), request).await;
        log.entries()
    };
    for shape in Shape::FITTING {
        // Nothing helps, and it is sent.
        assert_eq!(
            one(shape, fitter(), 0, questions(1, 3_500)).await,
            [Entry::Stuck]
        );
        // Nothing helps, and it is refused.
        let refuse = fitter().when_stuck(WhenStuck::Refuse);
        let entries = one(shape, refuse, 0, questions(1, 3_500)).await;
        assert!(matches!(&entries[..], [Entry::Refused(_)]));
        // There is no usable summary.
        for summary in [Summary::new(""), Summary::new("They").cut_off(true)] {
            let builder = fitter().summarizer(Scribe::new(summary));
            let entries = one(shape, builder, 0, chat(40, 100)).await;
            assert!(matches!(
                &entries[..],
                [Entry::SummaryRefused(_), Entry::Stuck]
            ));
        }
    }
    for shape in Shape::RECOVERING {
        // An overflow, recovered from once.
        let entries = one(shape, fitter(), 2, chat(12, 100)).await;
        assert_eq!(entries[0], Entry::Overflow(true));
        assert!(matches!(entries[1], Entry::Fitted(_)));
        assert_eq!(entries[2..], [Entry::Overflow(false)]);
        // An overflow of what can't be made smaller.
        let entries = one(shape, fitter(), 1, questions(1, 2_500)).await;
        assert_eq!(entries[0], Entry::Overflow(true));
        assert!(matches!(entries[1..], [Entry::NotRecovered(_)]));
    }
}
