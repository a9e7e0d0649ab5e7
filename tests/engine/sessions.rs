//! An agent that keeps what was fitted and goes on from it: how often it is compacted.

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::trigger::Trigger;
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{FixedPart, Scribe, text};
use contextfit_tower::{Fitter, FitterBuilder, HeadSummarizer, SummaryBound};

use crate::t;

/// How often a session of 150 rounds is compacted, each with a call and a result of so many tokens.
async fn compactions(builder: FitterBuilder, result: usize) -> usize {
    let fitter = builder.build().expect("settings that work");
    let start = [
        ChatMessage::system("Be careful."),
        ChatMessage::user("Do it."),
    ];
    let mut request = ChatRequest::new("a-model", start);
    let mut compactions = 0;
    for round in 0..150 {
        let id = format!("call_{round}");
        let call = ChatMessage::assistant(format!("Step {round}.")).call(&*id, "run", "{}");
        let result = ChatMessage::tool(&*id, text(&format!("Result {round}:"), result));
        request.messages.extend([call, result]);
        let fitted = fitter.fit(request).await.expect("sent");
        compactions += usize::from(fitted.report.is_some());
        request = fitted.request;
    }
    compactions
}

#[tokio::test]
async fn a_trigger_is_undone_by_what_it_asks_for() {
    let topic = || {
        Fitter::builder()
            .summary_keys(summary_keys())
            .window(32_000)
            .summarizer(HeadSummarizer)
    };
    let recent = || topic().recent_budget();
    for (name, builder, result) in [
        ("half", topic().soft_trigger(Trigger::Share(0.5)), 1_500),
        ("hard", topic().hard_trigger(Trigger::Share(0.5)), 1_500),
        (
            "long summaries",
            topic()
                .soft_trigger(Trigger::Share(0.6))
                .summary_bound(SummaryBound::Tokens(8_000)),
            1_500,
        ),
        ("a fifth", recent().hard_trigger(Trigger::Share(0.2)), 300),
        (
            "messages",
            topic().max_messages(40).soft_trigger(Trigger::Messages(20)),
            400,
        ),
        (
            "messages alone",
            topic().soft_trigger(Trigger::Messages(20)),
            40,
        ),
    ] {
        let compactions = compactions(builder, result).await;
        assert!((2..=50).contains(&compactions), "{name}: {compactions}");
    }
}

#[tokio::test]
async fn a_trigger_that_can_not_be_undone_asks_for_nothing() {
    // A single round is above it.
    let builder = Fitter::builder()
        .summary_keys(summary_keys())
        .window(32_000)
        .summarizer(HeadSummarizer);
    for builder in [
        builder.soft_trigger(Trigger::Tokens(1_000)),
        Fitter::builder()
            .summary_keys(summary_keys())
            .window(32_000)
            .summarizer(HeadSummarizer)
            .hard_trigger(Trigger::Tokens(1_000)),
    ] {
        // What is over the limit is compacted all the same.
        let compactions = compactions(builder, 1_500).await;
        assert!((2..=25).contains(&compactions), "{compactions}");
    }
}

#[tokio::test]
async fn a_reply_keeps_the_room_that_it_asks_for() {
    for tokens in (90_000..106_000).step_by(1_000) {
        let mut request = ChatRequest::new(
            "a-model",
            [
                ChatMessage::user(t(tokens / 2)),
                ChatMessage::assistant(t(tokens / 2 - 100)),
                ChatMessage::user(t(100)),
            ],
        );
        FixedPart::Tools.add(&mut request, 25_000);
        request.max_tokens = Some(4_096);
        let fitter = Fitter::builder()
            .summary_keys(summary_keys())
            .recent_budget()
            .window(128_000);
        let fitter = fitter.summarizer(Scribe::default()).build();
        let fitted = fitter.expect("settings that work").fit(request).await;
        let fitted = fitted.expect("sent").request;
        assert_eq!(fitted.max_tokens, Some(4_096), "{tokens}");
    }
}
