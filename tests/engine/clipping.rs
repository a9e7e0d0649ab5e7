//! Tool results that can't be clipped, or not enough.

use contextfit_core::chat::{ChatMessage, ChatRequest, ContentPart};
use contextfit_core::cut::{Cut, cut_policy_fn};
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{Entry, Log, Scribe, Shape, bottom, estimate, provider, ptr, send, text};
use contextfit_tower::{FitError, Fitter, FitterBuilder, WhenStuck};

use crate::{ask, round, small, t, talk};

/// A tool result in so many parts of so many characters each.
fn parts(count: usize, chars: usize) -> Vec<ContentPart> {
    let part = |number: usize| {
        let label = format!("{number}: ");
        let filler = "and so on ".chars().cycle();
        let text: String = label.chars().chain(filler).take(chars).collect();
        ContentPart::text(text)
    };
    (0..count).map(part).collect()
}

/// Results that no clip makes shorter: parts too small for a marker, and parts whose size is that
/// of the call's id.
fn unclippable() -> Vec<[ChatMessage; 2]> {
    let long_id = |count: usize, chars: usize| {
        let id = "x".repeat(400);
        [
            ChatMessage::assistant("I look.").call(id.as_str(), "read", "{}"),
            ChatMessage::tool(id, parts(count, chars)),
        ]
    };
    vec![
        round(parts(300, 60)),
        round(parts(1_000, 58)),
        round(parts(150, 120)),
        long_id(30, 60),
        long_id(40, 50),
    ]
}

fn question() -> ChatMessage {
    ChatMessage::user(text("What does it say?", 20))
}

#[tokio::test]
async fn what_can_not_be_clipped_is_not_told_as_changed() {
    for result in unclippable() {
        let request = ask([question()].into_iter().chain(result));
        assert!(estimate(&request) > 3_000);
        for clip_user_messages in [false, true] {
            let log = Log::default();
            let builder = || {
                let fitter = small().clip_user_messages(clip_user_messages);
                fitter.observer(log.clone()).summarizer(Scribe::default())
            };
            let fitter = builder().build().expect("settings that work");
            let fitted = fitter.fit(request.clone()).await.expect("sent as it is");
            assert_eq!(fitted.report, None);
            assert_eq!(fitted.request.messages, request.messages);
            assert_eq!(log.entries(), [Entry::Stuck]);

            let fitter = builder().when_stuck(WhenStuck::Refuse);
            let fitter = fitter.build().expect("settings that work");
            let failure = fitter.fit(request.clone()).await.expect_err("refused");
            assert!(matches!(failure.error, FitError::CannotFit { .. }));
            assert_eq!(failure.request.messages, request.messages);
        }
    }
}

#[tokio::test]
async fn a_recovery_that_can_not_clip_sends_nothing_again() {
    for result in unclippable() {
        for shape in Shape::RECOVERING {
            let (provider, log) = (provider(100_000).overflow_calls(2), Log::default());
            let fitter = small().observer(log.clone());
            let fitter = fitter.build().expect("settings that work");
            let stack = shape.around(bottom(&provider), &fitter);
            let request = ask([question()].into_iter().chain(result.clone()));
            send(&stack, request).await.expect_err("it overflows");
            assert_eq!((provider.calls(), log.reports()), (1, vec![]));
        }
    }
}

/// Cuts the two oldest messages, and no more.
fn cuts_two() -> FitterBuilder {
    let two = cut_policy_fn(|table, _| Some(Cut::of(table.len(), 0..2)));
    Fitter::builder()
        .summary_keys(summary_keys())
        .window(8_000)
        .reserve(1_000)
        .policy(two)
}

/// A call and its result, under an id of so many characters.
fn named_round(id: usize, result: Vec<ContentPart>) -> [ChatMessage; 2] {
    let id = "x".repeat(id);
    let call = ChatMessage::assistant("I look.").call(id.as_str(), "read", "{}");
    [call, ChatMessage::tool(id, result)]
}

#[tokio::test]
async fn where_clips_are_not_enough_more_is_cut() {
    for (history, result) in [
        (talk(20, 200), round(parts(300, 60))),
        (talk(60, 50), round(parts(250, 64))),
        (talk(10, 600), round(parts(90, 300))),
        // What can't be clipped is a name as long as a text.
        (talk(20, 200), named_round(400, parts(30, 60))),
        (talk(20, 200), named_round(700, parts(30, 60))),
    ] {
        for summarizer in [Some(Scribe::default()), None] {
            for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
                let mut fitter = cuts_two().when_stuck(when_stuck);
                if let Some(summarizer) = summarizer.clone() {
                    fitter = fitter.summarizer(summarizer);
                }
                let fitter = fitter.build().expect("settings that work");
                let last = [question()].into_iter().chain(result.clone());
                let request = ask(history.clone().into_iter().chain(last));
                assert!(estimate(&request) > 7_000);
                let fitted = fitter.fit(request.clone()).await.expect("fits");
                assert!(estimate(&fitted.request) <= 7_000);
                let report = fitted.report.expect("changed");
                assert_eq!(report.tokens_after, estimate(&fitted.request));
                assert!(report.plan.cut().count() > 2);
                // What was asked, and the call with its result, are there.
                let kept = &fitted.request.messages[fitted.request.messages.len() - 3..];
                let given = &request.messages[request.messages.len() - 3..];
                assert_eq!(ptr(&kept[0]), ptr(&given[0]));
                assert_eq!(kept[1], given[1]);
                assert_eq!(kept[2].tool_call_id, given[2].tool_call_id);
            }
        }
    }
}

#[tokio::test]
async fn a_report_tells_what_clips_came_to() {
    // Of each message a part can be clipped, and the rest can't.
    for large in [1, 2, 5] {
        for small_parts in [0, 10, 60, 120] {
            let mut result = parts(small_parts, 60);
            result.extend((0..large).map(|_| ContentPart::text(t(3_000))));
            let last = [question()].into_iter().chain(round(result));
            let request = ask(talk(4, 50).into_iter().chain(last));
            let log = Log::default();
            let fitter = small().observer(log.clone()).summarizer(Scribe::default());
            let fitter = fitter.build().expect("settings that work");
            let fitted = fitter.fit(request).await.expect("fits");
            let report = fitted.report.expect("changed");
            assert!(report.fits() && report.clipped == 1);
            assert_eq!(report.tokens_after, estimate(&fitted.request));
            assert_eq!(log.entries(), [Entry::Fitted(report.clone())]);
            // The small parts are as they were.
            let untouched = |request: &ChatRequest| {
                let message = request.messages.last().expect("a result");
                message.text().lines().take(small_parts).count()
            };
            assert_eq!(untouched(&fitted.request), small_parts);
        }
    }
}
