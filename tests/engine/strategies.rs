//! The policies that need no summary, and policies one after the other.

use std::sync::Arc;

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::cut::{
    ClearToolResults, Cut, CutPolicy, DropOldest, Enough, Fate, TopicAndRecent, cut_policy_fn,
};
use contextfit_core::summary::Envelope;
use contextfit_tests::{
    Log, Scribe, Shape, bottom, chat, compacted_chat, content, estimate, provider, ptr, ptrs, send,
    text,
};
use contextfit_tower::FitReport;

use crate::{ask, envelope, small};

/// What a stack sends of a request under a policy, and what it tells of it.
async fn sent(
    shape: Shape,
    policy: impl CutPolicy + 'static,
    scribe: &Scribe,
    request: &ChatRequest,
) -> (ChatRequest, FitReport) {
    let (provider, log) = (provider(4_000), Log::default());
    let fitter = small().policy(policy).summarizer(scribe.clone());
    let fitter = fitter.observer(log.clone()).build();
    let stack = shape.around(bottom(&provider), &fitter.expect("settings that work"));
    send(&stack, request.clone()).await.expect("answered");
    let call = provider.last_received().expect("sent");
    let [report] = &log.reports()[..] else {
        panic!("one report")
    };
    assert!(report.fits() && provider.calls() == 1);
    assert_eq!(report.tokens_after, estimate(&call.request));
    (call.request.clone(), report.clone())
}

/// A task, so many calls with results of so many tokens, and a question.
fn work(rounds: usize, tokens: usize) -> ChatRequest {
    let mut messages = vec![ChatMessage::user(text("The task:", 50))];
    for round in 0..rounds {
        let id = format!("call_{round}");
        messages.push(ChatMessage::assistant("I look.").call(id.as_str(), "read", "{}"));
        messages.push(ChatMessage::tool(
            id,
            text(&format!("Result {round}:"), tokens),
        ));
    }
    messages.push(ChatMessage::user(text("The question:", 50)));
    ask(messages)
}

/// Where the results stand.
fn results(request: &ChatRequest) -> Vec<usize> {
    let messages = request.messages.iter().enumerate();
    let results = messages.filter(|(_, message)| message.tool_call_id.is_some());
    results.map(|(index, _)| index).collect()
}

/// Whether a text was clipped to next to nothing. What is left says how much is missing.
fn is_cleared(before: &str, after: &str) -> bool {
    let Some((head, rest)) = after.split_once("[… ") else {
        return false;
    };
    let says = " characters omitted to fit the context window …]";
    let (omitted, tail) = rest.split_once(says).expect("a marker");
    let (head, tail) = (head.trim_end(), tail.trim_start());
    assert!(before.starts_with(head) && before.ends_with(tail));
    let left = head.chars().count() + tail.chars().count();
    assert_eq!(omitted.parse(), Ok(before.chars().count() - left));
    left < 40
}

#[tokio::test]
async fn the_oldest_are_dropped_without_a_call_and_a_notice_counts_them() {
    for shape in Shape::FITTING {
        let (request, scribe) = (chat(20, 100), Scribe::default());
        let (sent, report) = sent(shape, DropOldest, &scribe, &request).await;
        assert_eq!((scribe.calls(), report.summarizer_calls), (0, 0));
        let notice = envelope(&sent);
        let dropped = request.messages.len() + 1 - sent.messages.len();
        assert!(dropped > 20);
        assert_eq!((report.omitted, report.summarized), (dropped, 0));
        assert!(!report.degraded);
        let counted = u64::try_from(dropped).expect("small");
        let covers = notice.covers;
        assert_eq!(
            notice,
            Envelope {
                messages: counted,
                omitted: counted,
                covers,
                ..Envelope::default()
            }
        );
        // The system message, the task, the notice, and the newest.
        assert_eq!(ptrs(&sent)[..2], ptrs(&request)[..2]);
        assert_eq!(ptrs(&sent)[3..], ptrs(&request)[2 + dropped..]);
        // They come to half of the limit, and the notice.
        assert!((1_400..1_600).contains(&report.tokens_after));
    }
}

#[tokio::test]
async fn an_earlier_summary_is_carried_while_messages_are_dropped() {
    // Also where the policy has no mind to drop the summary itself.
    let others = cut_policy_fn(|table, _| {
        let mut cut = Cut::none(table.len());
        (4..table.len() - 12).for_each(|index| cut.set(index, Fate::Drop));
        Some(cut)
    });
    let policies: [Arc<dyn CutPolicy>; 2] = [Arc::new(DropOldest), Arc::new(others)];
    for policy in policies {
        let scribe = Scribe::default();
        let mut history = compacted_chat();
        let (mut messages, mut omitted) = (7, 0);
        for _ in 0..4 {
            let policy = Arc::clone(&policy);
            let (sent, report) = sent(Shape::Joint, policy, &scribe, &history).await;
            let dropped = u64::try_from(report.omitted).expect("small");
            (messages, omitted) = (messages + dropped, omitted + dropped);
            assert!(dropped > 0);
            let notice = envelope(&sent);
            let covers = notice.covers;
            assert_eq!(
                notice,
                Envelope {
                    summary: "Port 8080 was chosen.".into(),
                    messages,
                    omitted,
                    covers,
                    ..Envelope::default()
                }
            );
            history.messages.clone_from(&sent.messages);
            history.messages.extend(chat(20, 100).messages.split_off(1));
        }
        assert_eq!(scribe.calls(), 0);
    }
}

#[tokio::test]
async fn some_may_be_dropped_and_others_summarized() {
    let policy = cut_policy_fn(|table, _| {
        let mut cut = Cut::of(table.len(), 12..32);
        (2..12).for_each(|index| cut.set(index, Fate::Drop));
        Some(cut)
    });
    let (request, scribe) = (chat(20, 100), Scribe::default());
    let (sent, report) = sent(Shape::Joint, policy, &scribe, &request).await;
    assert_eq!((report.omitted, report.summarized), (10, 20));
    let jobs = scribe.jobs();
    assert_eq!((jobs.len(), jobs[0].messages), (1, 20));
    assert!(!jobs[0].transcript.contains(content(&request.messages[11])));
    assert!(jobs[0].transcript.contains(content(&request.messages[12])));
    let envelope = envelope(&sent);
    assert_eq!((envelope.messages, envelope.omitted), (30, 10));
}

#[tokio::test]
async fn old_results_are_cleared_and_their_calls_and_the_newest_results_stay() {
    for shape in Shape::FITTING {
        let (request, scribe) = (work(8, 500), Scribe::default());
        let policy = ClearToolResults::keep(2);
        let (sent, report) = sent(shape, policy, &scribe, &request).await;
        assert_eq!(sent.messages.len(), request.messages.len());
        assert_eq!(
            (scribe.calls(), Envelope::find_unverified(&sent)),
            (0, None)
        );
        assert_eq!((report.clipped, report.kept), (6, 12));
        assert_eq!((report.omitted, report.summarized), (0, 0));
        assert!(!report.degraded && report.plan.cut().is_empty());
        let results = results(&request);
        let old = &results[..6];
        for index in 0..request.messages.len() {
            let (before, after) = (&request.messages[index], &sent.messages[index]);
            if old.contains(&index) {
                assert_eq!(after.tool_call_id, before.tool_call_id);
                assert!(is_cleared(content(before), content(after)));
            } else {
                assert_eq!(ptr(after), ptr(before), "message {index}");
            }
        }
    }
}

#[tokio::test]
async fn results_that_nobody_has_read_are_not_cleared() {
    let mut request = work(8, 500);
    // The model is to read the last result next.
    request.messages.pop();
    let policy = ClearToolResults::keep(0);
    let (sent, _) = sent(Shape::Joint, policy, &Scribe::default(), &request).await;
    let results = results(&request);
    let (newest, old) = results.split_last().expect("results");
    let [before, after] = [&request, &sent].map(|request| &request.messages);
    assert_eq!(ptr(&after[*newest]), ptr(&before[*newest]));
    for &index in old {
        assert!(is_cleared(content(&before[index]), content(&after[index])));
    }
}

#[tokio::test]
async fn a_summary_is_only_asked_for_where_clearing_is_not_enough() {
    // What two whole results come to is within the target of 1 500, and what four do isn't.
    for (keep, enough, calls) in [
        (2, Enough::Target, 0),
        (4, Enough::Target, 1),
        (4, Enough::Limit, 0),
    ] {
        let all = cut_policy_fn(|table, _| Some(Cut::of(table.len(), 0..table.len())));
        let policy = ClearToolResults::keep(keep).then(all).enough(enough);
        let (request, scribe) = (work(8, 500), Scribe::default());
        let (after, _) = sent(Shape::Joint, policy, &scribe, &request).await;
        assert_eq!(scribe.calls(), calls, "{keep} {enough:?}");
        assert_eq!(Envelope::find_unverified(&after).is_some(), calls > 0);
    }
}

#[tokio::test]
async fn what_is_cleared_makes_room_for_more_before_a_summary() {
    let policy = || ClearToolResults::keep(2).then(TopicAndRecent);
    for shape in Shape::FITTING {
        let (request, scribe) = (work(40, 500), Scribe::default());
        let (after, report) = sent(shape, policy(), &scribe, &request).await;
        let jobs = scribe.jobs();
        let [job] = &jobs[..] else {
            panic!("{jobs:?}");
        };
        assert_eq!(job.messages, report.summarized);
        assert_eq!(envelope(&after).messages, job.messages as u64);
        // What is summarized is read as it was, not as it was cleared.
        assert!(job.transcript.contains(content(&request.messages[2])));
        // More rounds stay than if their results were whole, and the newest two are.
        let old = &results(&after)[..results(&after).len() - 2];
        assert!(old.len() > 2, "{}", old.len());
        assert_eq!((report.clipped, report.omitted), (old.len(), 0));
        let removed = request.messages.len() - after.messages.len();
        for &index in old {
            let before = content(&request.messages[index + removed]);
            assert!(is_cleared(before, content(&after.messages[index])));
        }
        let last = after.messages.len() - 5..;
        let last_before = request.messages.len() - 5..;
        assert_eq!(ptrs(&after)[last], ptrs(&request)[last_before]);
    }
}
