//! 3 to 11, 16 and 24: when a conversation is compacted, what of it stays, and what is asked for.

use std::sync::{Arc, Mutex};

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse, ChatRole};
use contextfit_core::request::{EditConversation, Hints, Native, RequestAdapter, Switch};
use contextfit_core::summary::Envelope;
use contextfit_tests::{
    Entry, Log, Scribe, Shape, bottom, chat, content, estimate, provider, ptr, ptrs, send, text,
};
use contextfit_tower::{BoxError, Fitter, Reason, chat_summarizer};
use tower::service_fn;

use crate::{built, kept, preset, talk};

/// A conversation after the preset with a window of 4 000 tokens, and how often a summary was
/// asked for.
async fn compacted(request: &ChatRequest) -> (ChatRequest, usize) {
    let scribe = Scribe::default();
    let fitter = built(preset(4_000).summarizer(scribe.clone()));
    let fitted = fitter.fit(request.clone()).await.expect("fits");
    (fitted.request, scribe.calls())
}

/// What is kept of messages of so many tokens each.
async fn kept_of(tokens: &[usize]) -> Vec<usize> {
    let request = talk(tokens);
    let (after, calls) = compacted(&request).await;
    assert_eq!(calls, 1, "{tokens:?}");
    kept(&request, &after)
}

#[tokio::test]
async fn b03_what_is_exactly_its_limit_is_left_alone() {
    for (last, calls) in [(99, 0), (100, 0), (101, 1)] {
        let request = talk(&[100, 1_900, 1_900, last]);
        let (after, asked) = compacted(&request).await;
        assert_eq!(asked, calls, "{last}");
        assert_eq!(ptrs(&after) == ptrs(&request), calls == 0);
    }
}

#[tokio::test]
async fn b04_a_single_message_is_never_compacted() {
    for tokens in [4_001, 100_000] {
        let request = talk(&[tokens]);
        let (after, calls) = compacted(&request).await;
        assert_eq!((ptrs(&after), calls), (ptrs(&request), 0));
    }
}

#[tokio::test]
async fn b05_the_first_message_stays_and_its_cost_is_deducted_from_half_of_the_limit() {
    // 2 000 tokens, less the topic: 100 for each that stays.
    for (topic, newest) in [(100, 19), (200, 18), (201, 17), (1_000, 10), (1_899, 1)] {
        let mut tokens = vec![100; 41];
        tokens[0] = topic;
        let expected: Vec<usize> = std::iter::once(0).chain(41 - newest..41).collect();
        assert_eq!(kept_of(&tokens).await, expected, "a topic of {topic}");
    }
}

#[tokio::test]
async fn b05_half_of_the_limit_is_rounded_down() {
    for (window, newest) in [(3_999, 18), (4_000, 19), (4_001, 19)] {
        let request = talk(&[100; 41]);
        let fitter = built(preset(window).summarizer(Scribe::default()));
        let after = fitter.fit(request.clone()).await.expect("fits").request;
        assert_eq!(kept(&request, &after).len(), 1 + newest, "{window}");
    }
}

#[tokio::test]
async fn b05_a_first_message_above_half_of_the_limit_leaves_room_for_the_newest_alone() {
    for topic in [1_900, 2_000, 2_001, 3_500] {
        let tokens = [topic, 2_000, 500, 1, 100];
        assert_eq!(kept_of(&tokens).await, [0, 4], "a topic of {topic}");
    }
}

#[tokio::test]
async fn b06_the_newest_are_kept_until_one_does_not_fit() {
    // 1 900 beside the topic: what fills them exactly stays.
    assert_eq!(kept_of(&[100, 3_000, 900, 900, 100]).await, [0, 2, 3, 4]);
    assert_eq!(kept_of(&[100, 3_000, 901, 900, 100]).await, [0, 3, 4]);
    // Nothing older stays, however small.
    assert_eq!(kept_of(&[100, 3_000, 1, 901, 900, 100]).await, [0, 4, 5]);
}

#[tokio::test]
async fn b06_the_newest_is_kept_whatever_it_costs() {
    for newest in [1_900, 1_901, 2_500, 3_500] {
        let tokens = [100, 3_000, 1, newest];
        assert_eq!(kept_of(&tokens).await, [0, 3], "{newest}");
    }
}

/// Ours differs: the last message of the user stays as well, though others follow it, because it
/// is what is to be answered. It counts towards the target.
#[tokio::test]
async fn b06_the_last_question_is_kept_wherever_it_stands() {
    let mut request = talk(&[100; 41]);
    request.messages[20].role = ChatRole::User;
    request.messages[40].role = ChatRole::Assistant;
    let (after, calls) = compacted(&request).await;
    let expected: Vec<usize> = [0, 20].into_iter().chain(23..41).collect();
    assert_eq!((kept(&request, &after), calls), (expected, 1));
}

#[tokio::test]
async fn b07_nothing_between_the_first_and_the_newest_is_nothing_to_compact() {
    for tokens in [[3_000, 3_000], [100, 100_000], [100_000, 100]] {
        let request = talk(&tokens);
        let (after, calls) = compacted(&request).await;
        assert_eq!((ptrs(&after), calls), (ptrs(&request), 0), "{tokens:?}");
    }
}

#[tokio::test]
async fn b07_what_all_fits_into_the_target_is_not_compacted_even_if_that_is_asked_for() {
    for (last, calls) in [(100, 0), (101, 1)] {
        let scribe = Scribe::default();
        let forced = |_: &ChatRequest| Hints::default().switch(Switch::Force);
        let fitter = preset(4_000).adapter(Native.with_hints(forced));
        let fitter = built(fitter.summarizer(scribe.clone()));
        let request = talk(&[100, 900, 900, last]);
        let after = fitter.fit(request.clone()).await.expect("fits").request;
        assert_eq!(scribe.calls(), calls, "{last}");
        assert_eq!(ptrs(&after) == ptrs(&request), calls == 0);
    }
}

#[tokio::test]
async fn b08_the_summarizer_is_asked_once_for_what_is_dropped_in_its_order() {
    let scribe = Scribe::default();
    let fitter = built(preset(4_000).summarizer(scribe.clone()));
    let request = talk(&[100; 60]);
    let after = fitter.fit(request.clone()).await.expect("fits").request;
    let kept = kept(&request, &after);
    let jobs = scribe.jobs();
    let [job] = &jobs[..] else {
        panic!("{jobs:?}");
    };
    assert_eq!(job.messages, request.messages.len() - kept.len());
    let places: Vec<Option<usize>> = (0..60)
        .map(|index| job.transcript.find(&format!("]: Message {index}:")))
        .collect();
    for (index, place) in places.iter().enumerate() {
        assert_eq!(place.is_none(), kept.contains(&index), "message {index}");
    }
    assert!(places.into_iter().flatten().is_sorted());
}

#[tokio::test]
async fn b09_the_first_a_summary_of_the_user_and_the_newest() {
    let fitter = built(preset(4_000).summarizer(Scribe::new(" \n They agreed on 8080.\n\n")));
    let request = talk(&[100; 60]);
    let after = fitter.fit(request.clone()).await.expect("fits").request;
    assert_eq!(ptr(&after.messages[0]), ptr(&request.messages[0]));
    let summary = &after.messages[1];
    assert_eq!((summary.role, &summary.name), (ChatRole::User, &None));
    let envelope = Envelope::read_unverified(content(summary)).expect("a summary");
    // Trimmed.
    assert_eq!(envelope.summary, "They agreed on 8080.");
    assert_eq!(ptrs(&after)[2..], ptrs(&request)[41..]);
}

#[tokio::test]
async fn b09_a_blank_summary_changes_nothing() {
    for blank in ["", " ", "\n\t \n"] {
        let fitter = built(preset(4_000).summarizer(Scribe::new(blank)));
        let request = talk(&[100; 60]);
        let fitted = fitter.fit(request.clone()).await.expect("sent as it is");
        assert_eq!(fitted.report, None);
        assert_eq!(ptrs(&fitted.request), ptrs(&request));
    }
}

/// Ours differs: a summary is bounded and has to be smaller than what it replaces, or the limit
/// is missed, or nothing gained.
#[tokio::test]
async fn b10_a_summary_that_is_too_large_is_refused_and_the_result_fits() {
    // A quarter of the limit is its bound.
    for (tokens, accepted) in [(1_000, true), (1_001, false), (5_000, false)] {
        let fitter = built(preset(4_000).summarizer(Scribe::new("abc.".repeat(tokens))));
        let request = talk(&[100; 60]);
        let fitted = fitter.fit(request.clone()).await.expect("sent");
        assert_eq!(fitted.report.is_some(), accepted, "{tokens}");
        match fitted.report {
            Some(report) => assert!(report.fits() && report.tokens_after <= 4_000),
            None => assert_eq!(ptrs(&fitted.request), ptrs(&request)),
        }
    }
}

/// Ours differs: an earlier summary is updated, not summarized, so that it doesn't fade.
#[tokio::test]
async fn b10_an_earlier_summary_is_given_to_be_updated_and_there_is_one() {
    let scribe = Scribe::new("They agreed on 8080.");
    let fitter = built(preset(4_000).summarizer(scribe.clone()));
    let mut history = talk(&[100; 41]);
    for round in 0..4 {
        history = fitter.fit(history).await.expect("fits").request;
        let summaries = history.messages.iter().filter(|message| {
            let parsed = Envelope::read_unverified(content(message));
            parsed.is_some_and(|envelope| envelope.summary == "They agreed on 8080.")
        });
        assert_eq!(summaries.count(), 1, "round {round}");
        history.messages.extend(talk(&[100; 41]).messages);
    }
    let jobs = scribe.jobs();
    assert_eq!((jobs.len(), &jobs[0].previous), (4, &None));
    for job in &jobs[1..] {
        assert_eq!(job.previous.as_deref(), Some("They agreed on 8080."));
        assert!(!job.transcript.contains("They agreed on 8080."));
    }
}

/// Ours differs in its wording, and in that what to do stands behind what is quoted.
#[tokio::test]
async fn b11_a_model_is_asked_with_a_system_message_and_one_of_the_user() {
    let asked: Arc<Mutex<Vec<ChatRequest>>> = Arc::default();
    let requests = Arc::clone(&asked);
    let model = service_fn(move |request: ChatRequest| {
        let model = request.model.clone();
        requests.lock().expect("no panic").push(request);
        let reply = ChatMessage::assistant("They agreed on 8080.");
        async { Ok::<_, BoxError>(ChatResponse::new(model, reply, "stop")) }
    });
    let fitter = built(preset(4_000).summarizer(chat_summarizer(model, "a-cheap-model")));
    let mut request = talk(&[100, 900, 900, 2_000, 100]);
    request.messages[1].name = Some("Alice".into());
    request.messages[2].name = Some("Bob".into());
    request.tools = Some([raw(r#"{"type":"function"}"#)].into());
    fitter.fit(request.clone()).await.expect("fits");

    let asked = asked.lock().expect("no panic");
    let [asked] = &asked[..] else {
        panic!("{asked:?}");
    };
    let roles: Vec<ChatRole> = asked.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [ChatRole::System, ChatRole::User]);
    assert!(asked.tools.is_none() && asked.functions.is_none());
    let prompt = content(&asked.messages[1]);
    let [alice, bob] = [("Alice", 1), ("Bob", 2)].map(|(name, index)| {
        let said = content(&request.messages[index]);
        prompt.find(&format!("[Assistant {name}]: {said}"))
    });
    assert!(alice.is_some() && alice < bob);
    for wanted in ["who holds which position and why", "agree on", "still open"] {
        assert!(prompt.contains(wanted), "{wanted}");
    }
}

fn raw(json: &str) -> Box<serde_json::value::RawValue> {
    serde_json::value::RawValue::from_string(json.to_owned()).expect("json")
}

/// Ours differs: the layer owns no session; it tells the observer, and its plan makes the same
/// of the caller's own history.
#[tokio::test]
async fn b16_a_compaction_is_told_once_and_can_be_repeated_on_ones_own_history() {
    let log = Log::default();
    let fitter = preset(4_000).summarizer(Scribe::default());
    let fitter = built(fitter.observer(log.clone()));
    let mut history = talk(&[100; 60]);
    let fitted = fitter.fit(history.clone()).await.expect("fits");
    let entries = log.entries();
    let [Entry::Fitted(report)] = &entries[..] else {
        panic!("{entries:?}");
    };
    let measured = fitter.measure(&fitted.request).expect("readable");
    assert_eq!(report.reason, Reason::OverLimit);
    assert_eq!((report.tokens_before, report.limit), (6_000, 4_000));
    assert_eq!(report.tokens_after, measured.prompt());
    history.apply(&report.plan).expect("the plan is for it");
    assert_eq!(history.messages, fitted.request.messages);
}

#[tokio::test]
async fn b16_nothing_is_told_of_what_was_not_compacted() {
    for tokens in [&[4_000][..], &[100, 3_900], &[100, 100, 3_800]] {
        let log = Log::default();
        let fitter = preset(4_000).summarizer(Scribe::default());
        let fitter = built(fitter.observer(log.clone()));
        let fitted = fitter.fit(talk(tokens)).await.expect("fits");
        assert_eq!(fitted.report, None);
        assert_eq!(log.entries(), []);
    }
}

#[tokio::test]
async fn b24_the_topic_survives_a_session_with_many_summaries() {
    let (provider, log) = (provider(4_000), Log::default());
    let fitter = Fitter::builder().topic_and_half().window(4_000);
    let fitter = fitter.summarizer(Scribe::default()).observer(log.clone());
    let stack = Shape::Joint.around(bottom(&provider), &built(fitter));
    let mut history = ChatRequest::new("a-model", [ChatMessage::user(text("The topic:", 100))]);
    let topic = ptr(&history.messages[0]);
    for turn in 0..60 {
        send(&stack, history.clone()).await.expect("answered");
        let sent = &provider.last_received().expect("sent").request;
        assert_eq!(ptr(&sent.messages[0]), topic, "turn {turn}");
        if let Some(report) = log.reports().last() {
            assert!(report.fits());
            let (at, _) = Envelope::find_unverified(sent).expect("a summary");
            assert_eq!(at, 1, "turn {turn}");
        }
        // This caller keeps what was sent for its history.
        history.messages.clone_from(&sent.messages);
        let answer = text(&format!("Answer {turn}:"), 100);
        let question = text(&format!("Question {turn}:"), 100);
        history.messages.push(ChatMessage::assistant(answer));
        history.messages.push(ChatMessage::user(question));
    }
    assert!(log.reports().len() > 3);
}

#[tokio::test]
async fn b24_a_maximum_of_256_000_tokens_compacts_no_usual_conversation() {
    let scribe = Scribe::default();
    let fitter = Fitter::builder()
        .topic_and_half()
        .max_context_tokens(256_000);
    let fitter = built(fitter.summarizer(scribe.clone()));
    let request = chat(500, 200);
    assert!(estimate(&request) > 200_000);
    let after = fitter.fit(request.clone()).await.expect("fits").request;
    assert_eq!(ptrs(&after), ptrs(&request));
    assert_eq!(scribe.calls(), 0);
}
