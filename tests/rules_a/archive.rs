//! 45 to 47: what stands where there is no summary.

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::summary::{Transcript, archive, with_turn_start};
use contextfit_tower::{Archive, FailedSummary, SummarizeError, SummarizerExt, SummaryKind};

use crate::exact::{
    ask, build, envelope, fit, questions, rounds, sent, small, summary, tokens, user,
};
use crate::writer::{Writer, usual};

/// A turn of rounds, the start of which is cut, after a summary from before and some questions.
fn split_turn() -> ChatRequest {
    let mut messages = vec![envelope("Port 8080 was chosen.")];
    messages.extend(questions(3, 1_000));
    messages.push(user("The task", 500));
    messages.extend(rounds(3, 2_000));
    ask(messages)
}

/// Tokens of a text, as the preset counts.
fn count(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}

#[tokio::test]
async fn a45_without_a_summary_a_record_stands_below_the_previous_one() {
    let request = split_turn();
    let writer = Writer::failing();
    let fitter = build(small().summarizer(writer.clone()));
    let (fitted, report) = fit(&fitter, &request).await;
    assert_eq!(writer.calls(), 2);
    assert!(report.degraded && report.fits());
    let text = summary(&fitted);
    let first_kept = report.plan.cut().count();
    let record = |messages| {
        archive(&Transcript::of(&request, messages), u64::MAX, count)
            .expect("said")
            .text
    };
    let history = format!("Port 8080 was chosen.\n\n{}", record(1..4));
    assert_eq!(text, with_turn_start(&history, &record(4..first_kept)));
    assert_eq!(report.archived, first_kept - 1);
    assert_eq!((report.summarized, report.omitted), (0, 0));

    // It is sent, and is smaller.
    let sent = sent(&fitter, &request).await;
    assert_eq!(summary(&sent), text);
    assert!(tokens(&fitter, &sent) < tokens(&fitter, &request));
}

#[tokio::test]
async fn a45_a_record_stands_for_the_part_that_has_no_summary() {
    let request = split_turn();
    let fits = |answer| build(small().summarizer(Writer::answering(answer)));
    let no_history = fits(|job| match job.kind {
        SummaryKind::TurnStart => Ok(usual(job)),
        _ => Err(SummarizeError::Blank),
    });
    let no_start = fits(|job| match job.kind {
        SummaryKind::TurnStart => Err(SummarizeError::Blank),
        _ => Ok(usual(job)),
    });
    let record = |messages| {
        archive(&Transcript::of(&request, messages), u64::MAX, count)
            .expect("said")
            .text
    };

    let (fitted, report) = fit(&no_history, &request).await;
    let history = format!("Port 8080 was chosen.\n\n{}", record(1..4));
    assert_eq!(
        summary(&fitted),
        with_turn_start(&history, Writer::TURN_START)
    );
    assert!(report.degraded);
    assert_eq!(report.archived, 3);

    let (fitted, report) = fit(&no_start, &request).await;
    let first_kept = report.plan.cut().count();
    let start = record(4..first_kept);
    assert_eq!(summary(&fitted), with_turn_start(Writer::HISTORY, &start));
    assert!(report.degraded);
    assert_eq!(report.archived, first_kept - 4);
}

#[tokio::test]
async fn a45_a_chain_that_ends_in_a_record_does_the_same_whatever_is_set() {
    let request = split_turn();
    let set = build(small().summarizer(Writer::failing()));
    let (by_setting, report) = fit(&set, &request).await;
    for failed in [FailedSummary::Untouched, FailedSummary::Refuse] {
        let writer = Writer::failing();
        let chain = small()
            .failed_summary(failed)
            .summarizer(writer.clone().or_else(Archive));
        let (by_chain, chained) = fit(&build(chain), &request).await;
        assert_eq!(by_chain.messages, by_setting.messages);
        assert_eq!(chained.archived, report.archived);
        assert_eq!(chained.omitted, report.omitted);
        assert!(chained.degraded && chained.archived > 0);
        // The record is a call of its own, of a summarizer that needs no model.
        assert_eq!((writer.calls(), chained.summarizer_calls), (2, 4));
    }
}

#[tokio::test]
async fn a45_a_record_without_a_previous_summary_stands_alone() {
    let request = ask(questions(13, 1_000));
    let fitter = build(small().summarizer(Writer::failing()));
    let (fitted, _) = fit(&fitter, &request).await;
    let record = archive(&Transcript::of(&request, 0..10), u64::MAX, count).expect("said");
    assert_eq!(summary(&fitted), record.text);
}

#[tokio::test]
async fn a46_a_record_has_a_line_for_what_each_message_says() {
    // The heading is worded by us. Arguments stand as they were written, and the results of tools
    // have the name that the request gives them, if any.
    let named = |mut result: ChatMessage| {
        result.name = Some("read".into());
        result
    };
    let mut messages = vec![
        ChatMessage::system("You are a careful agent."),
        ChatMessage::user("Which port?"),
        ChatMessage::assistant("I look.").call("a", "read", r#"{"path":"a.toml"}"#),
        named(ChatMessage::tool("a", "port = 8080\nhost = \"b\"")),
        ChatMessage::assistant("").call("b", "list", "{}"),
        ChatMessage::tool("b", "x".repeat(4_000)),
        ChatMessage::assistant("8080."),
    ];
    messages.extend(questions(12, 1_000));
    let fitter = build(small().summarizer(Writer::failing()));
    let (fitted, _) = fit(&fitter, &ask(messages)).await;
    let text = summary(&fitted);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..7],
        [
            "Raw record of messages: no summary of them could be written. Long ones are cut short.",
            "",
            "- User: Which port?",
            "- Assistant: I look.",
            r#"- Assistant [calls]: read(path="a.toml")"#,
            r#"- Tool[read]: port = 8080\nhost = "b""#,
            "- Assistant [calls]: list()",
        ]
    );
    assert!(lines[7].starts_with("- Tool[list]: xxx") && lines[7].ends_with(" more characters]"));
    assert_eq!(lines[7].chars().count(), 500);
    assert_eq!(lines[8], "- Assistant: 8080.");
    assert!(!text.contains("careful agent"));
}

#[tokio::test]
async fn a47_a_record_is_bounded_and_keeps_the_newest_lines() {
    let mut messages = questions(100, 100);
    messages.extend(rounds(60, 100));
    let request = ask(messages);
    let writer = Writer::failing();
    let fitter = build(small().summarizer(writer.clone()));
    let (fitted, report) = fit(&fitter, &request).await;
    let [history, turn_start] = &writer.jobs()[..] else {
        panic!("two jobs")
    };
    let text = summary(&fitted);
    let (of_history, of_turn_start) = text.split_once("\n\n---\n\n").expect("two parts");
    for (record, bound, newest) in [
        (of_history, history.max_tokens, "- User: Question 98: "),
        (
            of_turn_start,
            turn_start.max_tokens,
            "- Tool[read]: Result of call_",
        ),
    ] {
        let (tokens, lines) = (count(record), record.lines());
        // Nothing of a line's length is left.
        assert!(
            (bound - 150..=bound + 20).contains(&tokens),
            "{tokens} of {bound}"
        );
        assert!(
            lines
                .clone()
                .any(|line| line.ends_with(" earlier messages omitted]"))
        );
        assert!(lines.last().expect("a line").starts_with(newest));
    }
    assert!(!text.contains("- User: Question 0: "));
    assert_eq!(report.archived + report.omitted, report.plan.cut().count());
    assert!(report.archived > 0 && report.omitted > 0);
}

#[tokio::test]
async fn a47_the_newest_line_is_kept_however_small_the_bound() {
    let writer = Writer::failing();
    let fitter = small().summary_tokens(60).summarizer(writer.clone());
    let (fitted, report) = fit(&build(fitter), &ask(questions(13, 1_000))).await;
    let text = summary(&fitted);
    assert!(count(&text) <= writer.job().max_tokens && writer.job().max_tokens <= 60);
    assert!(text.contains("\n[9 earlier messages omitted]\n- User: Question 9: "));
    assert!(text.ends_with(" more characters]"));
    assert_eq!((report.archived, report.omitted), (1, 9));
}
