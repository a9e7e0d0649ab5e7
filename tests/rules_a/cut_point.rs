//! 11 to 17: where a cut may fall, and where it does.

use std::collections::BTreeSet;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::cut::RecentBudget;
use contextfit_core::estimate::CharEstimator;
use contextfit_core::summary::{Envelope, ItemCaps, Transcript};
use contextfit_core::table::{Pins, Table};
use contextfit_testing::provider::{StructureError, check_structure};
use contextfit_tests::{content, ptrs, text};
use contextfit_tower::SummaryKind;

use crate::exact::{
    ask, assistant, build, calls, envelope, fit, forced, is_left_alone, preset, questions, result,
    rounds, sent, small, summary, tokens, user,
};
use crate::writer::Writer;

/// A conversation with everything that a cut may fall before, and results.
fn mixed() -> ChatRequest {
    let mut messages = vec![user("Question 0", 200), assistant("Answer 0", 200)];
    messages.push(user("Question 1", 200));
    messages.extend(rounds(2, 200));
    messages.push(calls(&["a", "b"], 200));
    messages.extend([result("a", 200), result("b", 200)]);
    messages.extend([assistant("Answer 1", 200), assistant("And more", 200)]);
    messages.push(user("Question 2", 200));
    ask(messages)
}

#[tokio::test]
async fn a11_a_cut_falls_before_any_message_that_is_no_result() {
    let request = mixed();
    let mut starts = BTreeSet::new();
    for keep in (100..=2_400).step_by(100) {
        let fitter = preset(100_000).policy(RecentBudget::new(keep));
        let fitter = forced(fitter.summarizer(Writer::new()));
        let (_, report) = fit(&fitter, &request).await;
        let cut: Vec<usize> = report.plan.cut().iter().collect();
        assert_eq!(cut, (0..cut.len()).collect::<Vec<_>>());
        starts.insert(cut.len());
    }
    let is_no_result = |&index: &usize| request.messages[index].role != ChatRole::Tool;
    let legal: BTreeSet<usize> = (1..request.messages.len()).filter(is_no_result).collect();
    assert_eq!(starts, legal);
}

#[test]
fn a11_a_turn_starts_at_a_message_of_the_user_or_a_summary() {
    let mut request = mixed();
    request
        .messages
        .splice(0..2, [envelope("So far."), assistant("Go on", 200)]);
    let table = Table::read(&request, &CharEstimator::default(), Pins::NONE, Some(0));
    let turns: Vec<usize> = table.rows().iter().map(|row| row.turn()).collect();
    assert_eq!(turns, [1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3]);
}

#[tokio::test]
async fn a12_system_messages_stay_wherever_they_stand_and_are_never_summarized() {
    // Not the first message alone: whatever a system message says goes on to hold.
    let system = |place: &str| ChatMessage::system(text(place, 60));
    let mut messages = questions(13, 1_000);
    messages.insert(5, system("In between"));
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    for first in [false, true] {
        if first {
            messages.insert(0, system("At the start"));
        }
        let request = ask(messages.clone());
        let (fitted, report) = fit(&fitter, &request).await;
        let at = usize::from(first);
        assert_eq!(report.plan.cut().iter().next(), Some(at));
        assert_eq!(fitted.messages[..at], request.messages[..at]);
        let (index, _) = Envelope::find_unverified(&fitted).expect("an envelope");
        assert_eq!(index, at);
        assert_eq!(content(&fitted.messages[at + 1]), text("In between", 60));
        assert_eq!(fitted.messages[at + 2..], request.messages[at + 11..]);
    }
    for job in writer.jobs() {
        assert_eq!(job.messages, 10);
        assert!(!job.transcript.contains("At the start") && !job.transcript.contains("In between"));
    }
}

#[tokio::test]
async fn a13_without_a_place_to_cut_nothing_is_cut() {
    let system = || ChatMessage::system("You are a careful agent.");
    let writer = Writer::new();
    let fitter = small().summarizer(writer.clone()).clip_tool_results(false);
    let fitter = build(fitter);
    for messages in [
        // One group, and nothing before it.
        vec![system(), calls(&["a"], 12_000), result("a", 1_000)],
        vec![calls(&["a"], 12_000), result("a", 1_000)],
        vec![system(), user("Question", 13_000)],
        // Results that answer nothing.
        vec![result("a", 4_000), result("b", 4_000), result("c", 100)],
    ] {
        let request = ask(messages);
        let fitted = fitter.fit(request.clone()).await.expect("it can be sent");
        assert_eq!(fitted.request.messages.len(), request.messages.len());
        assert_eq!(writer.calls(), 0);
    }
}

#[tokio::test]
async fn a14_the_tail_that_is_kept_is_as_long_as_its_budget_allows() {
    let fitter = build(small().summarizer(Writer::new()));
    // 3 000 tokens are kept.
    for (last, kept) in [(500, 6), (501, 5), (999, 5), (1_000, 5), (1_001, 4)] {
        let mut messages = questions(30, 500);
        messages.push(user("The last question", last));
        let (_, report) = fit(&fitter, &ask(messages)).await;
        assert_eq!(report.kept, kept, "a last question of {last} tokens");
    }
}

#[tokio::test]
async fn a14_the_newest_group_is_kept_if_it_is_larger_than_the_budget_by_itself() {
    let fitter = build(small().summarizer(Writer::new()));
    for newest in [
        vec![user("The last question", 3_001)],
        vec![user("The last question", 8_000)],
        vec![
            calls(&["a", "b"], 500),
            result("a", 2_000),
            result("b", 2_000),
        ],
    ] {
        let mut messages = questions(30, 500);
        messages.extend(newest.clone());
        let (fitted, report) = fit(&fitter, &ask(messages)).await;
        assert_eq!(report.kept, newest.len());
        assert_eq!(fitted.messages[1..], newest);
    }
}

#[tokio::test]
async fn a15_results_stay_with_their_calls_from_4_rounds_to_40() {
    for count in 4..=40 {
        let mut messages = vec![
            ChatMessage::system("You are a careful agent."),
            user("The task", 100),
        ];
        messages.extend(rounds(count, 12_000 / count / 2));
        let request = ask(messages);
        assert_eq!(check_structure(&request), Ok(()));
        let fitter = build(small().summarizer(Writer::new()));
        let sent = sent(&fitter, &request).await;
        assert!(sent.messages.len() < request.messages.len());
        assert_eq!(check_structure(&sent), Ok::<(), StructureError>(()));
        assert_eq!(sent.messages[2].role, ChatRole::Assistant);
    }
}

/// What a fit asks for of these messages, and where the kept tail starts.
async fn jobs(messages: Vec<ChatMessage>) -> (Writer, ChatRequest, usize) {
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let request = ask(messages);
    let (_, report) = fit(&fitter, &request).await;
    let last = report.plan.cut().iter().last().expect("a cut");
    (writer, request, last + 1)
}

#[tokio::test]
async fn a16_a_cut_before_a_message_of_the_user_splits_no_turn() {
    let turn = |number: usize| {
        let question = user(format_args!("Question {number}"), 500);
        [question, assistant(format_args!("Answer {number}"), 500)]
    };
    let (writer, request, tail) = jobs((0..13).flat_map(turn).collect()).await;
    assert_eq!(request.messages[tail].role, ChatRole::User);
    assert_eq!(writer.job().kind, SummaryKind::History);
    assert_eq!(
        writer.job().transcript,
        Transcript::of(&request, 0..tail).render(&ItemCaps::default())
    );
}

#[tokio::test]
async fn a16_a_cut_elsewhere_splits_the_turn_that_a_message_of_the_user_began() {
    let mut messages = questions(4, 1_000);
    messages.extend(rounds(10, 500));
    let (writer, request, tail) = jobs(messages).await;
    assert_eq!(request.messages[tail].role, ChatRole::Assistant);
    let [history, turn_start] = &writer.jobs()[..] else {
        panic!("two jobs")
    };
    assert_eq!(history.kind, SummaryKind::History);
    assert_eq!(
        history.transcript,
        Transcript::of(&request, 0..3).render(&ItemCaps::default())
    );
    assert_eq!(turn_start.kind, SummaryKind::TurnStart);
    assert_eq!(
        turn_start.transcript,
        Transcript::of(&request, 3..tail).render(&ItemCaps::default())
    );
}

#[tokio::test]
async fn a16_a_turn_that_began_before_what_is_cut_is_history() {
    let envelope = envelope("So far.");
    let system = ChatMessage::system("You are a careful agent.");
    for before in [
        vec![],
        vec![system.clone()],
        vec![envelope.clone()],
        vec![system, envelope],
    ] {
        let start = before.len();
        let mut messages = before;
        messages.extend(rounds(13, 500));
        let (writer, request, tail) = jobs(messages).await;
        assert_eq!(request.messages[tail].role, ChatRole::Assistant);
        assert_eq!(writer.job().kind, SummaryKind::History);
        assert_eq!(
            writer.job().transcript,
            Transcript::of(&request, start..tail).render(&ItemCaps::default())
        );
    }
}

#[tokio::test]
async fn a17_a_turn_of_40_rounds_is_compacted_to_less_than_half() {
    let mut messages = vec![
        ChatMessage::system("You are a careful agent."),
        user("The task", 100),
    ];
    messages.extend(rounds(40, 155));
    let request = ask(messages);
    let fitter = build(small().summarizer(Writer::new()));
    let sent = sent(&fitter, &request).await;
    assert_eq!(sent.messages[0], request.messages[0]);
    assert!(summary(&sent).ends_with(Writer::TURN_START));
    let (at, _) = Envelope::find_unverified(&sent).expect("an envelope");
    assert_eq!(at, 1);
    let kept = sent.messages.len() - 2;
    assert_eq!(
        ptrs(&sent)[2..],
        ptrs(&request)[request.messages.len() - kept..]
    );
    assert!(tokens(&fitter, &sent) < tokens(&fitter, &request) / 2);
}

#[tokio::test]
async fn a17_within_the_budget_the_turn_is_whole() {
    let fitter = forced(small().summarizer(Writer::new()));
    let mut messages = vec![user("The task", 100)];
    messages.extend(rounds(40, 36));
    assert!(is_left_alone(&fitter, &ask(messages)).await);
}
