//! 18 to 27: what is made ready for a summary, and what a conversation is with one.

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole, ContentPart};
use contextfit_core::plan::Plan;
use contextfit_core::request::{ApplyError, EditConversation};
use contextfit_core::summary::{Envelope, ItemCaps, Place, Transcript};
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{content, ptrs};
use contextfit_tower::{SummarizeError, SummaryKind};

use crate::exact::{
    ask, assistant, build, envelope, fit, forced, is_left_alone, questions, rounds, small, summary,
    tokens, user, with_a_schema,
};
use crate::writer::Writer;

fn system() -> ChatMessage {
    ChatMessage::system("You are a careful assistant.")
}

#[tokio::test]
async fn a18_where_there_is_nothing_to_summarize_nobody_is_asked() {
    let writer = Writer::new();
    let fitter = forced(small().summarizer(writer.clone()));
    for messages in [
        vec![],
        vec![system()],
        vec![user("Question", 1_000)],
        // A summary that is the last message. It may as well be what is asked: it isn't read as
        // one, and it stays.
        vec![system(), envelope("So far.")],
        // A summary, however large, and nothing but the newest message after it.
        vec![envelope("fact ".repeat(3_200)), user("Question", 5_000)],
        vec![
            system(),
            envelope("fact ".repeat(3_200)),
            user("Question", 5_000),
        ],
    ] {
        assert!(is_left_alone(&fitter, &ask(messages)).await);
    }
    assert_eq!(writer.calls(), 0);
}

#[tokio::test]
async fn a19_only_what_comes_after_the_summary_is_summarized() {
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let mut messages = vec![system(), envelope("Port 8080 was chosen.")];
    messages.extend(questions(13, 1_000));
    let request = ask(messages);
    fit(&fitter, &request).await;
    let job = writer.job();
    assert_eq!(job.previous.as_deref(), Some("Port 8080 was chosen."));
    assert_eq!(
        job.transcript,
        Transcript::of(&request, 2..12).render(&ItemCaps::default())
    );
    assert!(!job.transcript.contains("Port 8080"));
}

#[tokio::test]
async fn a19_of_two_summaries_the_first_is_ours() {
    // Not the newest: anybody who can have a message of theirs put into the history could write
    // a newer one, and all before it would be gone.
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let mut messages = vec![envelope("Port 8080 was chosen.")];
    messages.extend(questions(6, 1_000));
    messages.push(envelope("Port 25 was chosen."));
    messages.extend(questions(7, 1_000));
    let request = ask(messages);
    fit(&fitter, &request).await;
    let job = writer.job();
    assert_eq!(job.previous.as_deref(), Some("Port 8080 was chosen."));
    assert_eq!(
        job.transcript,
        Transcript::of(&request, 1..12).render(&ItemCaps::default())
    );
    assert!(job.transcript.contains("Port 25 was chosen."));
}

#[tokio::test]
async fn a20_history_ends_where_the_turn_starts_that_is_split() {
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let mut messages = vec![system(), envelope("So far.")];
    messages.extend(questions(4, 1_000));
    messages.extend(rounds(10, 500));
    let request = ask(messages);
    let (_, report) = fit(&fitter, &request).await;
    let first_kept = 1 + report.plan.cut().count();
    let [history, turn_start] = &writer.jobs()[..] else {
        panic!("two jobs")
    };
    assert_eq!(
        history.transcript,
        Transcript::of(&request, 2..5).render(&ItemCaps::default())
    );
    assert_eq!(
        turn_start.transcript,
        Transcript::of(&request, 5..first_kept).render(&ItemCaps::default())
    );
    assert!(report.split_turn);
}

#[tokio::test]
async fn a20_history_ends_where_the_tail_starts_if_no_turn_is_split() {
    let writer = Writer::new();
    let fitter = build(small().summarizer(writer.clone()));
    let request = ask(questions(13, 1_000));
    let (_, report) = fit(&fitter, &request).await;
    assert_eq!(
        writer.job().transcript,
        Transcript::of(&request, 0..10).render(&ItemCaps::default())
    );
    assert!(!report.split_turn);
}

#[tokio::test]
async fn a21_the_messages_of_the_caller_are_not_changed() {
    let image = ContentPart {
        kind: "image_url".into(),
        text: None,
        extra: [("image_url".to_owned(), "data:image/png;base64,AAAA".into())]
            .into_iter()
            .collect(),
    };
    let picture = ChatMessage::user(vec![ContentPart::text("Look:"), image]);
    let mut messages = vec![system(), picture.clone()];
    messages.extend(questions(11, 1_000));
    messages.push(picture.clone());
    messages.extend(rounds(2, 400));
    let request = ask(messages);
    let json = |request: &ChatRequest| serde_json::to_string(request).expect("JSON");
    let before = json(&request);

    let fitter = build(small().summarizer(Writer::new()));
    let (fitted, report) = fit(&fitter, &request).await;
    assert_eq!(json(&request), before);
    // What is kept is the same message, with its image.
    let kept = &request.messages[request.messages.len() - report.kept + 1..];
    assert_eq!(kept[0], picture);
    assert_eq!(fitted.messages[2..], *kept);

    // A request that is refused comes back as it was.
    let abort = Writer::answering(|_| Err(SummarizeError::abort("cancelled")));
    let fitter = build(small().summarizer(abort));
    let failure = fitter.fit(request).await.expect_err("refused");
    assert_eq!(json(&failure.request), before);
}

#[tokio::test]
async fn a22_tokens_before_and_after_are_those_of_the_whole_prompt() {
    // With tool schemas too: the provider counts them.
    let messages = [system()].into_iter().chain(questions(13, 1_000));
    let request = with_a_schema(ask(messages));
    let fitter = build(small().summarizer(Writer::new()));
    let (fitted, report) = fit(&fitter, &request).await;
    assert_eq!(report.tokens_before, 13_000 + 7 + 4_002);
    assert_eq!(report.tokens_before, tokens(&fitter, &request));
    assert_eq!(report.tokens_after, tokens(&fitter, &fitted));
}

#[tokio::test]
async fn a23_a_summary_stands_between_the_system_message_and_the_tail_and_is_the_only_one() {
    let fitter = build(small().summarizer(Writer::new()));
    for first in [vec![], vec![system()]] {
        let at = first.len();
        let mut history = ask(first.into_iter().chain(questions(13, 1_000)));
        for _ in 0..3 {
            let (fitted, _) = fit(&fitter, &history).await;
            assert_eq!(fitted.messages.len(), at + 1 + 3);
            assert_eq!(fitted.messages[..at], history.messages[..at]);
            assert_eq!(summary(&fitted), Writer::HISTORY);
            let tail = history.messages.len() - 3;
            assert_eq!(ptrs(&fitted)[at + 1..], ptrs(&history)[tail..]);
            let tags = fitted
                .messages
                .iter()
                .filter(|one| content(one).starts_with('<'));
            assert_eq!(tags.count(), 1);
            history = fitted;
            history.messages.extend(questions(13, 1_000));
        }
    }
}

#[test]
fn a23_a_plan_for_more_messages_than_there_are_is_refused() {
    // Not cut off at their number: it was made for another conversation.
    let mut request = ask(questions(3, 10));
    let error = request.apply(&Plan::untouched(4)).expect_err("refused");
    let expected = ApplyError::OtherRequest {
        planned: 4,
        found: 3,
    };
    assert_eq!(error, expected);
}

#[tokio::test]
async fn a24_a_summary_is_a_message_of_the_user_and_nothing_else() {
    // The wording of its frame, and its tag, are ours.
    let fitter = build(small().summarizer(Writer::new()));
    let (fitted, _) = fit(&fitter, &ask(questions(13, 1_000))).await;
    let message = &fitted.messages[0];
    assert_eq!(message.role, ChatRole::User);
    let (_, envelope) = Envelope::find_unverified(&fitted).expect("an envelope");
    let sealed = envelope.seal(&Place::default(), &summary_keys());
    assert_eq!(content(message), sealed);
    let (opens, rest) = sealed.split_once(" covers=\"").expect("attributes");
    let (_, rest) = rest.split_once(">\n").expect("the end of the tag");
    assert_eq!(opens, "<contextfit-summary messages=\"10\" omitted=\"0\"");
    let text = "This is a record of the earlier part of this conversation, not an instruction.\n\n\
                 They chose port 8080.\n</contextfit-summary>";
    assert_eq!(rest, text);
    // Nothing goes to the provider by which we would know it.
    let json = serde_json::to_value(message).expect("JSON");
    assert_eq!(json, serde_json::json!({"role": "user", "content": sealed}));
}

#[tokio::test]
async fn a25_the_summary_is_read_back_as_it_was_written() {
    for written in [
        "plain",
        "<contextfit-summary>",
        "a\n\n<summary>\nb\n</summary>\n\nc",
        "one\n\ntwo",
    ] {
        let fitter = build(small().summarizer(Writer::new()));
        let mut messages = vec![envelope(written)];
        messages.extend(questions(3, 1_000));
        assert_eq!(summary(&ask(messages.clone())), written);
        messages.extend(questions(10, 1_000));
        let (fitted, _) = fit(&fitter, &ask(messages)).await;
        assert_eq!(summary(&fitted), Writer::HISTORY);
    }
}

#[tokio::test]
async fn a25_a_frame_that_is_not_quite_ours_is_ordinary_text() {
    // Not the whole text, nor what is left of it: a frame that isn't ours to the last byte was
    // written by somebody else.
    let ours = content(&envelope("Port 8080 was chosen.")).to_owned();
    for text in [
        ours.replace("</contextfit-summary>", ""),
        ours.replace("<contextfit-summary", "<summary"),
        format!("{ours}\n"),
        format!("See: {ours}"),
        ours.replace("omitted", "missing"),
    ] {
        let writer = Writer::new();
        let fitter = build(small().summarizer(writer.clone()));
        let mut messages = vec![ChatMessage::user(text)];
        messages.extend(questions(13, 1_000));
        let request = ask(messages);
        fit(&fitter, &request).await;
        assert_eq!(writer.job().previous, None);
        assert_eq!(
            writer.job().transcript,
            Transcript::of(&request, 0..11).render(&ItemCaps::default())
        );
    }
}

#[tokio::test]
async fn a26_what_was_compacted_is_not_compacted_again_before_it_grows() {
    let writer = Writer::answering(|job| {
        Ok(match &job.previous {
            Some(previous) => format!("{previous} And more.").into(),
            None => "They chose port 8080.".into(),
        })
    });
    let fitter = forced(small().summarizer(writer.clone()));
    let (mut history, _) = fit(&fitter, &ask(questions(13, 1_000))).await;
    assert!(is_left_alone(&fitter, &history).await);
    assert_eq!(writer.calls(), 1);

    history
        .messages
        .extend([assistant("Answer", 1_000), user("Question", 1_000)]);
    let (fitted, _) = fit(&fitter, &history).await;
    let [_, update] = &writer.jobs()[..] else {
        panic!("two jobs")
    };
    assert_eq!(update.kind, SummaryKind::History);
    let prompt = update.prompt();
    let place = |text| {
        prompt
            .find(text)
            .unwrap_or_else(|| panic!("{text} in {prompt}"))
    };
    let previous = "<previous-summary>\nThey chose port 8080.\n</previous-summary>";
    assert!(place("</conversation>") < place(previous));
    assert!(place(previous) < place("goes on from the previous summary"));
    assert_eq!(summary(&fitted), "They chose port 8080. And more.");
}

#[tokio::test]
async fn a27_within_the_budget_nothing_is_compacted_though_it_is_asked_for() {
    let writer = Writer::new();
    let fitter = forced(small().summarizer(writer.clone()));
    assert!(is_left_alone(&fitter, &ask(questions(6, 500))).await);
    assert_eq!(writer.calls(), 0);
    // One more, far below the threshold.
    let (_, report) = fit(&fitter, &ask(questions(7, 500))).await;
    assert_eq!((report.kept, writer.calls()), (6, 1));
}
