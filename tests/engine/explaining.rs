//! What an explanation says comes true.

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::table::Pins;
use contextfit_tests::questions;
use contextfit_tower::{BoxError, Outcome, Why, chat_summarizer};
use tower::service_fn;

use crate::{ask, small, t};

#[tokio::test]
async fn what_the_summarizer_has_no_room_to_read_is_not_said_to_be_summarized() {
    let model = service_fn(|_: ChatRequest| async {
        let answer = ChatMessage::assistant("They agreed.");
        Ok::<_, BoxError>(ChatResponse::new("a-cheap-model", answer, "stop"))
    });
    let summarizer = chat_summarizer(model, "a-cheap-model").window(3_000);
    let fitter = small().summarizer(summarizer).build();
    let fitter = fitter.expect("settings that work");
    let request = questions(200, 100);
    let explained = fitter.explain(&request).expect("readable");
    let fitted = fitter.fit(request).await.expect("fits");
    let report = fitted.report.expect("it was too long");
    assert!(report.omitted > 0 && report.summarized > 0, "{report:?}");
    let expected = explained.summary.expect("one is asked for").messages;
    assert_eq!(expected, report.summarized);
}

#[test]
fn what_is_kept_because_cutting_it_gains_too_little_is_not_said_to_be_held_by_its_group() {
    let fitter = small().pins(Pins::NONE).build();
    let fitter = fitter.expect("settings that work");
    let request = ask([
        ChatMessage::user("Hello."),
        ChatMessage::assistant("Hello."),
        ChatMessage::user(t(5_000)),
    ]);
    let explained = fitter.explain(&request).expect("readable");
    assert!(matches!(explained.outcome, Outcome::Stuck));
    let why: Vec<Why> = explained
        .messages
        .iter()
        .map(|message| message.why)
        .collect();
    assert_eq!(why[1..], [Why::NotWorthIt, Why::Newest]);
}
