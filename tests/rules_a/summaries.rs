//! 36 to 40: what is asked for, and what is made of the answers.

use std::sync::Arc;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::summary::with_turn_start;
use contextfit_testing::provider::SimulatedProvider;
use contextfit_tests::texts;
use contextfit_tower::{Prompts, Summary, SummaryKind, chat_summarizer};
use tower::service_fn;

use crate::exact::{ask, build, envelope, fit, questions, rounds, small, summary, user};
use crate::writer::{Writer, usual};

/// A turn of rounds, the start of which is cut, after some messages.
fn split_turn(before: Vec<ChatMessage>) -> ChatRequest {
    let turn = [user("The task", 500)].into_iter().chain(rounds(12, 500));
    ask(before.into_iter().chain(turn))
}

#[tokio::test]
async fn a36_without_new_history_the_previous_summary_stays_as_it_is() {
    let previous = "Port 8080 was chosen.\n\n- for  good";
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let (fitted, report) = fit(&fitter, &split_turn(vec![envelope(previous)])).await;
    assert_eq!(writer.kinds(), [SummaryKind::TurnStart]);
    assert_eq!(
        summary(&fitted),
        with_turn_start(previous, Writer::TURN_START)
    );
    assert!(!report.degraded);
}

#[tokio::test]
async fn a36_a_previous_summary_is_updated_and_else_one_is_written() {
    for (before, asked) in [
        (vec![], "takes the place of these messages"),
        (
            vec![envelope("So far.")],
            "goes on from the previous summary",
        ),
        // Nobody summarized anything before: only a notice stands.
        (vec![envelope("")], "takes the place of these messages"),
    ] {
        let writer = Writer::new();
        let fitter = build(small().summarizer(writer.clone()));
        fit(
            &fitter,
            &ask(before.into_iter().chain(questions(13, 1_000))),
        )
        .await;
        assert!(writer.job().prompt().contains(asked));
    }
}

#[tokio::test]
async fn a37_the_start_of_a_split_turn_has_a_summary_of_its_own_below_that_of_the_history() {
    // Each is asked for once, both at the same time. What stands between them is worded by us.
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let (fitted, report) = fit(&fitter, &split_turn(questions(3, 1_000))).await;
    let kinds = [SummaryKind::History, SummaryKind::TurnStart];
    assert_eq!((writer.kinds(), writer.most_at_once()), (kinds.to_vec(), 2));
    let text = with_turn_start(Writer::HISTORY, Writer::TURN_START);
    assert_eq!(summary(&fitted), text);
    assert!(text.starts_with(Writer::HISTORY) && text.contains("\n\n---\n\n"));
    assert!(text.ends_with(Writer::TURN_START));
    assert!(report.split_turn && report.summarizer_calls == 2);
}

#[tokio::test]
async fn a37_a_turn_without_history_says_that_nothing_came_before() {
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let (fitted, _) = fit(&fitter, &split_turn(vec![])).await;
    assert_eq!(writer.kinds(), [SummaryKind::TurnStart]);
    assert!(summary(&fitted).starts_with("Nothing came before this turn.\n\n---\n\n"));
}

#[tokio::test]
async fn a37_a_turn_that_is_not_split_has_no_summary_of_its_own() {
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let (fitted, _) = fit(&fitter, &ask(questions(13, 1_000))).await;
    assert_eq!(writer.kinds(), [SummaryKind::History]);
    assert_eq!(summary(&fitted), Writer::HISTORY);
}

#[tokio::test]
async fn a38_the_text_is_what_was_written_without_the_space_around_it() {
    // No list of files stands below it, yet.
    let writer = Writer::answering(|job| {
        let text = usual(job).text;
        Ok(Summary::new(format!("\n  {text}\n\n")))
    });
    let fitter = build(small().summarizer(writer));
    let (fitted, _) = fit(&fitter, &split_turn(questions(3, 1_000))).await;
    let text = with_turn_start(Writer::HISTORY, Writer::TURN_START);
    assert_eq!(summary(&fitted), text);
}

/// What a model is sent that writes the summaries, for a conversation.
async fn asked_of_a_model(request: &ChatRequest) -> Vec<ChatRequest> {
    let model = SimulatedProvider::new(1_000_000).answer("They went through it.");
    let summarizer = chat_summarizer(model.clone(), "a-cheap-model");
    fit(&build(small().summarizer(summarizer)), request).await;
    let received = model.received();
    received.iter().map(|call| call.request.clone()).collect()
}

#[tokio::test]
async fn a39_a_model_is_asked_for_sections_in_the_same_language_and_few_words() {
    // The wording is ours, and the number of words follows from the bound.
    let history = [
        "## Goal",
        "## Constraints and preferences",
        "## Progress",
        "### Done",
        "### In progress",
        "### Blocked",
        "## Decisions",
        "## Next steps",
        "## Critical context",
    ];
    let turn_start = [
        "## What was asked",
        "## Progress so far",
        "## What the rest relies on",
    ];
    let update = [
        "Keep what still holds",
        "Add what is new",
        "Bring progress and next steps up to date",
        "Keep exact names, paths and error texts",
        "Condense",
    ];
    for before in [vec![], vec![envelope("So far.")]] {
        let updates = !before.is_empty();
        let before = before.into_iter().chain(questions(3, 1_000)).collect();
        let asked = asked_of_a_model(&split_turn(before)).await;
        let [first, second] = &asked[..] else {
            panic!("two calls")
        };
        for (request, sections) in [(first, &history[..]), (second, &turn_start)] {
            let [system, prompt] = &texts(request)[..] else {
                panic!("two messages")
            };
            assert_eq!(*system, *Prompts::default().system.trim());
            assert!(system.contains("never continue a conversation, answer it"));
            assert!(request.tools.is_none());
            let (_, instructions) = prompt.rsplit_once(">\n\n").expect("tags, and what to do");
            let headings = instructions.lines().filter(|line| line.starts_with('#'));
            assert_eq!(headings.collect::<Vec<_>>(), sections);
            assert!(instructions.contains("in the language of the conversation"));
            let words = u64::from(request.max_tokens.expect("a bound")) * 3 / 5;
            assert!(instructions.contains(&format!("in at most {words} words")));
            assert!(instructions.ends_with("Reply with the record and nothing else."));
            let is_update = updates && sections.len() == history.len();
            assert!(
                update
                    .iter()
                    .all(|rule| instructions.contains(rule) == is_update)
            );
        }
    }
}

#[tokio::test]
async fn a40_what_is_blank_or_was_cut_off_is_refused_and_appears_nowhere() {
    for (said, finish_reason, accepted) in [
        ("They chose port", "stop", true),
        ("", "stop", false),
        (" \n\t ", "stop", false),
        ("They chose port", "length", false),
        ("They chose port", "max_tokens", false),
        ("They chose port", "max_output_tokens", false),
        ("They chose port", " LENGTH\n", false),
        ("They chose port", "Max_Tokens", false),
        ("They chose port", "MAX_OUTPUT_TOKENS", false),
        // A stream that ended early.
        ("They chose port", "incomplete", false),
    ] {
        let model = service_fn(move |request: ChatRequest| {
            let message = ChatMessage::assistant(said);
            let response = ChatResponse::new(request.model, message, finish_reason);
            std::future::ready(Ok::<_, std::io::Error>(response))
        });
        let summarizer = Arc::new(chat_summarizer(model, "a-cheap-model"));
        let request = ask(questions(13, 1_000));
        let (fitted, report) = fit(&build(small().summarizer(summarizer)), &request).await;
        assert_eq!(report.degraded, !accepted, "{said:?} {finish_reason:?}");
        let appears = texts(&fitted)
            .iter()
            .any(|text| text.contains("They chose port"));
        assert_eq!(appears, accepted, "{said:?} {finish_reason:?}");
    }
}
