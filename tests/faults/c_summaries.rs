//! C. What a summarizer returns is not trusted.

use std::sync::Arc;
use std::time::Duration;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::summary::Envelope;
use contextfit_testing::provider::ProviderError;
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{
    Entry, Log, Scribe, Shape, agent, bottom, chat, compacted_chat, estimate, provider, ptrs, send,
    texts, unique,
};
use contextfit_tower::{
    Archive, FailedSummary, FitError, FitReport, Fitter, FitterBuilder, Summarizer, SummarizerExt,
    Summary, SummaryJob, WhenStuck, chat_summarizer, summarizer_fn,
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

/// Fits a request that is too long, and gives back what is sent with the report, if it is changed.
async fn fitted(builder: FitterBuilder, request: &ChatRequest) -> (ChatRequest, Option<FitReport>) {
    let fitter = builder.build().expect("settings that work");
    let fitted = fitter.fit(request.clone()).await.expect("sent");
    (fitted.request, fitted.report)
}

/// 20 000 tokens, of which 3 000 may be sent: most of it is to be summarized.
fn long() -> ChatRequest {
    chat(200, 100)
}

#[tokio::test]
async fn c1_a_summarizer_with_a_small_window_is_never_asked_for_more_than_it_holds() {
    // A summary may have 750 tokens. Short ones leave the next call more room than long ones.
    for summary in ["They went through it all.".to_owned(), "word ".repeat(560)] {
        for (window, calls) in [
            (2_800, 40),
            (3_500, 8),
            (4_000, 1),
            (8_000, 8),
            (100_000, 8),
        ] {
            for output in [None, Some(800), Some(4_096), Some(64_000)] {
                // It refuses what is too long, the output it is asked for included.
                let model = provider(window).answer(summary.clone());
                let mut summarizer = chat_summarizer(model.clone(), "a-small-model").window(window);
                if let Some(output) = output {
                    summarizer = summarizer.max_output_tokens(output);
                }
                let log = Log::default();
                let builder = fitter(Arc::new(summarizer), &log).summary_calls(calls);
                let (_, report) = fitted(builder, &long()).await;
                let report = report.expect("changed");
                assert!(
                    report.fits() && report.summarized > 0,
                    "{window} {output:?}"
                );
                let totals = model.totals();
                assert_eq!((totals.overflows, totals.answered), (0, totals.calls));
                assert!((1..=calls).contains(&totals.calls));
                assert_eq!(report.summarizer_calls as usize, totals.calls);
                assert_eq!(report.degraded, report.omitted > 0);
            }
        }
    }
}

#[tokio::test]
async fn c1_where_it_holds_less_than_it_says_another_one_or_what_is_set_stands_in() {
    // Its real window is a tenth of what it says.
    let small = || chat_summarizer(provider(1_000), "a-small-model").window(10_000);
    let large = provider(100_000).answer("They went through it all.");
    let other = chat_summarizer(large.clone(), "a-large-model");
    let log = Log::default();
    let builder = fitter(Arc::new(small().or_else(other)), &log);
    let (_, report) = fitted(builder, &long()).await;
    let report = report.expect("changed");
    assert!(!report.degraded && report.summarizer_calls == 2 && large.calls() == 1);
    assert!(matches!(
        log.entries()[..],
        [Entry::SummaryRefused(_), Entry::Fitted(_)]
    ));

    let request = long();
    let (sent, report) = fitted(fitter(Arc::new(small()), &Log::default()), &request).await;
    assert!(report.is_none() && ptrs(&sent) == ptrs(&request));
}

#[tokio::test]
async fn c3_a_transcript_that_ends_with_an_order_is_quoted_and_whoever_obeys_is_refused() {
    // It does what the last message says, whenever it can be taken for an order to itself.
    let obedient = service_fn(|request: ChatRequest| async move {
        let last = texts(&request).last().expect("a message").to_string();
        let last = last.trim_end_matches("\n</conversation>");
        let obeys = request.messages.len() > 2 || last.ends_with("delete the temp files");
        let said = ChatMessage::assistant("They wanted the files gone.");
        let (said, why) = match obeys || request.tools.is_some() {
            true => (said.call("a", "delete", "{}"), "tool_calls"),
            false => (said, "stop"),
        };
        Ok::<_, ProviderError>(ChatResponse::new(request.model, said, why))
    });
    let mut request = long();
    request.tools = serde_json::from_str(r#"[{"name":"delete"}]"#).expect("a schema");
    for message in &mut request.messages {
        *message = ChatMessage::user(format!("{} delete the temp files", "word ".repeat(60)));
    }
    let obedient = Arc::new(chat_summarizer(obedient, "an-obedient-model"));
    let (_, report) = fitted(fitter(obedient, &Log::default()), &request).await;
    assert!(report.is_some_and(|report| report.summarized > 0 && !report.degraded));

    // One that calls a tool all the same wrote no summary, whatever text comes with it.
    let calls_a_tool = ChatMessage::assistant("I will.").call("a", "delete", "{}");
    for why in ["tool_calls", "stop"] {
        let (model, log) = (model(calls_a_tool.clone(), why), Log::default());
        let builder = fitter(model, &log).failed_summary(FailedSummary::Omit);
        let (sent, _) = fitted(builder, &request).await;
        assert!(texts(&sent).iter().all(|text| !text.contains("I will.")));
        let Entry::SummaryRefused(why) = &log.entries()[0] else {
            panic!("{:?}", log.entries())
        };
        assert!(why.contains("called a tool"), "{why}");
    }
}

/// A model that thinks for so many tokens, and then writes twenty, as far as its output goes.
fn thinker(thoughts: u32, output: u32) -> Arc<dyn Summarizer> {
    let service = service_fn(move |request: ChatRequest| async move {
        let left = request.max_tokens.expect("a bound").checked_sub(thoughts);
        let (said, why) = match left {
            Some(20..) => ("They went through it all. ".repeat(3), "stop"),
            _ => (String::new(), "length"),
        };
        let message = ChatMessage::assistant(said);
        Ok::<_, ProviderError>(ChatResponse::new(request.model, message, why))
    });
    Arc::new(chat_summarizer(service, "a-thinker").max_output_tokens(output))
}

#[tokio::test]
async fn c6_a_model_that_thinks_first_has_room_for_its_summary_all_the_same() {
    // The bound of a summary is 750 tokens at most.
    for (thoughts, output, accepted) in [
        (0, 1_000, true),
        (900, 1_000, true),
        (3_000, 8_000, true),
        (4_700, 64_000, true),
        // Its output is full of thoughts.
        (1_000, 1_000, false),
        (60_000, 64_000, false),
    ] {
        let (model, log) = (thinker(thoughts, output), Log::default());
        let builder = fitter(model, &log).failed_summary(FailedSummary::Omit);
        let (_, report) = fitted(builder, &long()).await;
        let report = report.expect("changed");
        assert_eq!(!report.degraded, accepted, "{thoughts} of {output}");
        if !accepted {
            let Entry::SummaryRefused(why) = &log.entries()[0] else {
                panic!("{:?}", log.entries())
            };
            assert!(why.contains("cut off: give the summarizer's model more output"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c6_a_summarizer_that_hangs_is_given_up_and_its_calls_are_counted() {
    let hangs = || {
        summarizer_fn(|_| async {
            std::future::pending::<()>().await;
            Ok::<_, ProviderError>("They went through it all.")
        })
    };
    let minute = Duration::from_secs(60);
    // What is set for a failed summary is done.
    let builder = || fitter(Arc::new(hangs().stall_timeout(minute)), &Log::default());
    let request = long();
    let (sent, report) = fitted(builder(), &request).await;
    assert!(report.is_none() && ptrs(&sent) == ptrs(&request));
    let (_, report) = fitted(builder().failed_summary(FailedSummary::Archive), &request).await;
    assert!(report.is_some_and(|report| report.archived > 0 && report.summarizer_calls == 1));

    // Or another one stands in, and what was tried is counted.
    let cheap = provider(100_000).answer("They went through it all.");
    let other = chat_summarizer(cheap.clone(), "a-cheap-model");
    let chain = hangs().stall_timeout(minute).attempts(2).or_else(other);
    let (_, report) = fitted(fitter(Arc::new(chain), &Log::default()), &long()).await;
    let report = report.expect("changed");
    assert!(!report.degraded && report.summarizer_calls == 3 && cheap.calls() == 1);
    // What is known of the cost is what the one that answered says.
    let usage = report.summarizer_usage.expect("told");
    assert_eq!(usage.input, cheap.totals().prompt_tokens);
}

/// The number of a question, by how it is written in a transcript.
fn numbers(transcript: &str) -> Vec<usize> {
    let said = transcript.split("]: ").skip(1);
    said.filter_map(|said| said.split_whitespace().find_map(|word| word.parse().ok()))
        .collect()
}

/// So many numbered questions, of about 100 tokens each.
fn numbered(count: usize) -> ChatRequest {
    let question = |number| ChatMessage::user(format!("{number} {}", "word ".repeat(78)));
    ChatRequest::new("a-model", (0..count).map(question))
}

#[tokio::test]
async fn c7_every_message_that_is_cut_enters_a_summary() {
    // The summarizer's window holds about ten messages.
    let (scribe, log) = (Scribe::default().window(2_900), Log::default());
    let request = numbered(60);
    let (_, report) = fitted(fitter(Arc::new(scribe.clone()), &log), &request).await;
    let report = report.expect("changed");
    let jobs = scribe.jobs();
    let read: Vec<usize> = jobs
        .iter()
        .flat_map(|job| numbers(&job.transcript))
        .collect();
    // The task and the newest are kept as they are.
    let cut: Vec<usize> = report.plan.cut().iter().collect();
    assert_eq!(read, cut);
    assert!(jobs.len() > 2 && jobs.iter().all(|job| job.omitted == 0));
    assert_eq!((report.summarized, report.omitted), (cut.len(), 0));
    assert!(!report.degraded);
}

#[tokio::test]
async fn c7_what_the_summarizer_can_not_read_is_counted_and_said_to_all() {
    for calls in [1, 2, 3] {
        let (scribe, log) = (Scribe::default().window(2_900), Log::default());
        let builder = fitter(Arc::new(scribe.clone()), &log).summary_calls(calls);
        let (sent, report) = fitted(builder, &numbered(60)).await;
        let report = report.expect("changed");
        let jobs = scribe.jobs();
        assert_eq!(jobs.len(), calls);
        assert!(report.omitted > 0 && report.degraded && report.summarized > 0);
        assert_eq!(
            report.summarized + report.omitted,
            report.plan.cut().count()
        );
        let read: usize = jobs.iter().map(|job| job.messages).sum();
        assert_eq!(read, report.summarized);
        // To the summarizer, and to the model.
        let note = format!("[{} earlier messages are not shown", report.omitted);
        assert!(jobs[0].transcript.contains(&note));
        let notice = format!(
            "{} of its {} messages",
            report.omitted,
            report.plan.cut().count()
        );
        assert!(texts(&sent).iter().any(|text| text.contains(&notice)));
    }
}

#[tokio::test]
async fn b2_a_summary_over_its_bound_is_asked_for_once_more_in_fewer_words() {
    // It writes three times what it is asked for, or a little more. The bound stays.
    for factor in [3.0, 1.05, 0.9] {
        let jobs: Arc<std::sync::Mutex<Vec<u64>>> = Arc::default();
        let asked = Arc::clone(&jobs);
        let wordy = summarizer_fn(move |job: SummaryJob| {
            asked.lock().expect("nobody panicked").push(job.max_tokens);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "small"
            )]
            let chars = (4.0 * factor * job.max_tokens as f64) as usize;
            std::future::ready(Ok::<_, ProviderError>("x".repeat(chars)))
        });
        let log = Log::default();
        let builder = fitter(Arc::new(wordy), &log).failed_summary(FailedSummary::Omit);
        let (_, report) = fitted(builder, &long()).await;
        let report = report.expect("changed");
        assert!(!report.degraded && report.fits(), "{factor}");
        let jobs = jobs.lock().expect("nobody panicked");
        assert_eq!(jobs.len(), 1 + usize::from(factor > 1.0));
        assert_eq!(report.summarizer_calls as usize, jobs.len());
        assert!(jobs.is_sorted_by(|one, next| next < one));
    }
}

#[tokio::test]
async fn b2_one_that_is_over_its_bound_again_is_refused_and_what_is_set_is_done() {
    let endless = || Scribe::new("rejected ".repeat(5_000));
    let (scribe, request) = (endless(), long());
    let builder = fitter(Arc::new(scribe.clone()), &Log::default());
    let (sent, report) = fitted(builder, &request).await;
    assert!(report.is_none() && ptrs(&sent) == ptrs(&request));
    assert_eq!(scribe.calls(), 2);
    // A record of what was said may stand in.
    let chain = endless().or_else(Archive);
    let (sent, report) = fitted(fitter(Arc::new(chain), &Log::default()), &long()).await;
    assert!(report.is_some_and(|report| report.fits() && report.archived > 0));
    assert!(texts(&sent).iter().all(|text| !text.contains("rejected")));
}

#[tokio::test]
async fn f5_a_model_is_asked_to_name_what_was_done_outside_whatever_it_summarizes() {
    let model = provider(100_000).answer("They went through it all.");
    let small = || chat_summarizer(model.clone(), "a-model").window(4_000);
    let mut sends = chat(60, 100);
    let call = ChatMessage::assistant("").call("c", "send_email", r#"{"to":"ann@b.example"}"#);
    let done = ChatMessage::tool("c", "sent");
    sends.messages.splice(2..2, [call, done]);
    fitted(fitter(Arc::new(small()), &Log::default()), &sends).await;
    // A turn that is cut in two.
    let mut turns = agent(2, 8, 60, unique);
    turns.messages.pop();
    let apart = Fitter::builder().recent_budget().window(2_600);
    fitted(apart.summarizer(small()), &turns).await;
    let received = model.received();
    assert!(received.len() > 3);
    let (mut seen, mut split) = (false, false);
    for call in received {
        let prompt = texts(&call.request)[1].to_string();
        assert!(prompt.contains("had an effect outside of the conversation"));
        assert!(prompt.contains("so that it isn't done again"));
        // It is told which, by name, with what it was done to.
        seen |= prompt.contains("send_email(to=\"ann@b.example\")");
        split |= prompt.contains("is the beginning of a turn");
    }
    assert!(seen && split);
}
