//! C. What a summarizer returns is not trusted.

use std::sync::Arc;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::summary::Envelope;
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{
    Entry, Log, Scribe, Shape, bottom, chat, compacted_chat, estimate, provider, ptrs, send, texts,
};
use contextfit_tower::{
    FailedSummary, FitError, Fitter, FitterBuilder, Summarizer, Summary, WhenStuck,
    chat_summarizer, summarizer_fn,
};
use tower::service_fn;

/// A model that answers with this when it is asked for a summary.
fn model(message: ChatMessage, finish_reason: &'static str) -> Arc<dyn Summarizer> {
    let service = service_fn(move |request: ChatRequest| {
        let response = ChatResponse::new(request.model, message.clone(), finish_reason);
        std::future::ready(Ok::<_, std::io::Error>(response))
    });
    Arc::new(chat_summarizer(service, "a-summarizer"))
}

/// All that must not stand for a conversation.
fn unusable() -> Vec<Arc<dyn Summarizer>> {
    let mut only_thinks = ChatMessage::assistant("");
    only_thinks.content = None;
    only_thinks
        .extra
        .insert("reasoning_content".into(), "They said …".into());
    let calls_a_tool = ChatMessage::assistant("I will.").call("a", "delete", "{}");
    vec![
        Arc::new(Scribe::new("")),
        Arc::new(Scribe::new("   ")),
        Arc::new(Scribe::new("\n\t \u{a0}\n")),
        Arc::new(Scribe::new(Summary::new("They decided to").cut_off(true))),
        Arc::new(summarizer_fn(|_| async {
            Err::<Summary, _>("no connection")
        })),
        model(ChatMessage::assistant(""), "stop"),
        model(ChatMessage::assistant(" \n"), "stop"),
        model(ChatMessage::assistant("They decided to"), "length"),
        model(only_thinks, "stop"),
        model(calls_a_tool, "tool_calls"),
    ]
}

fn fitter(summarizer: Arc<dyn Summarizer>, log: &Log) -> FitterBuilder {
    let builder = Fitter::builder()
        .summary_keys(summary_keys())
        .window(4_000)
        .reserve(1_000);
    builder.summarizer(summarizer).observer(log.clone())
}

/// A long conversation, as it is and after an earlier compaction.
fn requests() -> [ChatRequest; 2] {
    [chat(40, 100), compacted_chat()]
}

#[tokio::test]
async fn c2_without_a_usable_summary_the_history_is_untouched() {
    for summarizer in unusable() {
        for request in requests() {
            for shape in Shape::FITTING {
                let (provider, log) = (provider(100_000), Log::default());
                let fitter = fitter(summarizer.clone(), &log)
                    .build()
                    .expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                send(&stack, request.clone())
                    .await
                    .expect("the provider takes it");
                let sent = provider.last_received().expect("sent");
                assert_eq!(ptrs(&sent.request), ptrs(&request));
                let entries = log.entries();
                assert!(matches!(
                    entries[..],
                    [Entry::SummaryRefused(_), Entry::Stuck]
                ));
            }
        }
    }
}

#[tokio::test]
async fn c2_without_a_usable_summary_nothing_is_sent_if_so_set() {
    for summarizer in unusable() {
        for request in requests() {
            for shape in Shape::FITTING {
                let (provider, log) = (provider(100_000), Log::default());
                let fitter = fitter(summarizer.clone(), &log).when_stuck(WhenStuck::Refuse);
                let fitter = fitter.build().expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                let error = send(&stack, request.clone()).await.expect_err("refused");
                assert!(
                    matches!(error.downcast_ref(), Some(FitError::Summarize(_))),
                    "{error:?}"
                );
                assert_eq!(provider.calls(), 0);

                // Whoever owns the history gets it back.
                let failure = fitter.fit(request.clone()).await.expect_err("refused");
                assert_eq!(ptrs(&failure.request), ptrs(&request));
            }
        }
    }
}

#[tokio::test]
async fn c2_without_a_usable_summary_what_is_left_out_is_said_if_so_set() {
    for summarizer in unusable() {
        for (request, before) in requests()
            .into_iter()
            .zip([None, Some("Port 8080 was chosen.")])
        {
            let (provider, log) = (provider(100_000), Log::default());
            let fitter = fitter(summarizer.clone(), &log).failed_summary(FailedSummary::Omit);
            let fitter = fitter.build().expect("settings that work");
            let stack = Shape::Joint.around(bottom(&provider), &fitter);
            send(&stack, request.clone()).await.expect("answered");
            let sent = provider.last_received().expect("sent");
            assert!(estimate(&sent.request) <= 3_000);

            let [report] = &log.reports()[..] else {
                panic!("one report")
            };
            assert!(report.degraded && report.summarized == 0 && report.omitted > 0);
            let (_, envelope) = Envelope::find_unverified(&sent.request).expect("a notice");
            assert_eq!(envelope.omitted, report.omitted as u64);
            // An earlier summary isn't lost with it.
            assert_eq!(envelope.summary, before.unwrap_or_default());
            assert_eq!(
                envelope.messages,
                envelope.omitted + if before.is_some() { 7 } else { 0 }
            );
            let notice = texts(&sent.request)
                .into_iter()
                .find(|text| text.contains("left out"));
            assert!(
                notice
                    .expect("said")
                    .contains(&envelope.omitted.to_string())
            );
        }
    }
}
