//! Where the two systems that are covered disagree: each preset does as its own, and what makes
//! the difference is a setting that anybody can combine.
//!
//! A test is named by the point they disagree about.

use std::future::{Future, poll_fn, ready};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::cut::RecentBudget;
use contextfit_core::estimate::CharEstimator;
use contextfit_core::summary::Envelope;
use contextfit_core::table::Pins;
use contextfit_testing::provider::ProviderError;
use contextfit_tests::{Erased, Scribe, bottom, content, provider, ptr, ptrs, send, text};
use contextfit_tower::{
    BoxError, ConfigError, ContextFitLayer, FailedSummary, FitError, FitEvent, Fitter,
    FitterBuilder, ModelSpec, ModelTable, Overflow, Schemas, SummarizeError, Summary, SummaryJob,
    UnknownWindow, WithoutNumbers, classifier_fn, observer_fn, summarizer_fn,
};
use serde_json::value::RawValue;
use tower::Layer;

/// One of the two, with a window of 4 000 tokens, all of them for the prompt, and exact numbers.
fn topic_and_half() -> FitterBuilder {
    exact(Fitter::builder().topic_and_half())
}

/// The other.
fn recent_budget() -> FitterBuilder {
    exact(Fitter::builder().recent_budget())
}

fn exact(preset: FitterBuilder) -> FitterBuilder {
    let estimator = CharEstimator::default().with_message_overhead(0);
    preset.window(4_000).reserve(0).estimator(estimator)
}

fn built<A>(builder: FitterBuilder<A>) -> Fitter<A> {
    builder.build().expect("settings that work")
}

/// So many messages of 100 tokens each: a task, what is said to it, and a last question.
fn talk(messages: usize) -> ChatRequest {
    let message = |index: usize| {
        let text = text(&format!("Message {index}:"), 104);
        if index == 0 || index == messages - 1 {
            ChatMessage::user(text)
        } else {
            ChatMessage::assistant(text)
        }
    };
    ChatRequest::new("a-model", (0..messages).map(message))
}

/// How many of the messages are still there.
fn kept(before: &ChatRequest, after: &ChatRequest) -> usize {
    let after = ptrs(after);
    let before = ptrs(before);
    before.iter().filter(|one| after.contains(one)).count()
}

#[tokio::test]
async fn a_failed_summary_changes_nothing_or_leaves_a_record() {
    for (preset, records) in [
        (topic_and_half(), false),
        (
            recent_budget().failed_summary(FailedSummary::Untouched),
            false,
        ),
        (recent_budget(), true),
        (
            topic_and_half().failed_summary(FailedSummary::Archive),
            true,
        ),
    ] {
        let failing = |_| ready(Err::<Summary, BoxError>("no connection".into()));
        let fitter = built(preset.summarizer(summarizer_fn(failing)));
        let request = talk(60);
        let fitted = fitter.fit(request.clone()).await.expect("sent");
        match fitted.report {
            Some(report) => {
                assert!(records && report.degraded && report.fits());
                assert!(report.archived > 0 && report.summarized == 0);
                let (_, record) = Envelope::find_unverified(&fitted.request).expect("a record");
                assert!(record.summary.contains("\n- Assistant: Message "));
            }
            None => {
                assert!(!records);
                assert_eq!(ptrs(&fitted.request), ptrs(&request));
            }
        }
    }
}

#[tokio::test]
async fn the_first_message_of_the_user_stays_or_is_summarized() {
    let policy = RecentBudget::default();
    for (preset, stays) in [
        (topic_and_half(), true),
        (recent_budget().pins(Pins::BOTH), true),
        (recent_budget(), false),
        (topic_and_half().policy(policy).pins(Pins::NONE), false),
    ] {
        let scribe = Scribe::default();
        let fitter = built(preset.summarizer(scribe.clone()));
        let request = talk(60);
        let after = fitter.fit(request.clone()).await.expect("fits").request;
        assert_eq!(ptrs(&after).contains(&ptr(&request.messages[0])), stays);
        let summarized = scribe.jobs()[0].transcript.contains("Message 0:");
        assert_eq!(summarized, !stays);
    }
}

/// They agree but for the group: ours is kept whole by both.
#[tokio::test]
async fn a_newest_group_above_the_budget_is_kept_whole() {
    for preset in [topic_and_half(), recent_budget()] {
        let mut request = talk(30);
        let calls = ChatMessage::assistant(text("Plan:", 104))
            .call("a", "read", "{}")
            .call("b", "read", "{}");
        request.messages.push(calls);
        for id in ["a", "b"] {
            request
                .messages
                .push(ChatMessage::tool(id, text("Result:", 1_004)));
        }
        let fitter = built(preset.summarizer(Scribe::default()));
        let after = fitter.fit(request.clone()).await.expect("fits").request;
        assert!(kept(&request, &after) < request.messages.len());
        let newest = |request: &ChatRequest| ptrs(request)[request.messages.len() - 3..].to_vec();
        assert_eq!(newest(&after), newest(&request));
    }
}

#[tokio::test]
async fn tool_schemas_count_when_a_compaction_is_due_or_only_once_one_is() {
    let schema = format!(r#"{{"name":"{}"}}"#, "n".repeat(6_000));
    let schema = RawValue::from_string(schema).expect("json");
    for (preset, counted) in [
        (topic_and_half(), true),
        (recent_budget().schemas(Schemas::Counted), true),
        (recent_budget(), false),
        (topic_and_half().schemas(Schemas::AfterTrigger), false),
    ] {
        let scribe = Scribe::default();
        let fitter = built(preset.summarizer(scribe.clone()));
        // 3 000 of 4 000 tokens, and 1 500 of schemas.
        let mut request = talk(30);
        request.tools = Some([schema.clone()].into());
        let fitted = fitter.fit(request.clone()).await.expect("fits");
        assert_eq!(scribe.calls() > 0, counted);
        // Once one is due, the schemas have to fit too.
        let mut longer = talk(41);
        longer.tools = request.tools;
        let report = fitter.fit(longer).await.expect("fits").report;
        assert!(report.expect("it was over its limit").fits());
        assert_eq!(fitted.report.is_some(), counted);
    }
}

/// What is kept of 30 messages after an overflow without numbers, and of 60 that are over the
/// limit.
async fn kept_after_an_overflow(preset: FitterBuilder) -> (usize, usize) {
    // A short summary, so that what it may cost decides nothing here.
    let fitter = built(preset.summarizer(Scribe::default()).summary_tokens(100));
    let too_long = classifier_fn(|_, result: &Result<ChatResponse, BoxError>| {
        let error = result.as_ref().err()?;
        error.is::<ProviderError>().then(Overflow::new)
    });
    let provider = provider(100_000).overflow_calls(1);
    let layer = ContextFitLayer::new(fitter.clone()).overflow_retry(too_long);
    let stack = Erased::new(layer.layer(bottom(&provider)));
    let request = talk(30);
    send(&stack, request.clone()).await.expect("recovered");
    assert_eq!(provider.calls(), 2);
    let sent = &provider.last_received().expect("sent").request;
    let routine = fitter.fit(talk(60)).await.expect("fits");
    let routine_cut = routine.report.expect("over its limit").plan.cut().count();
    (kept(&request, sent), 60 - routine_cut)
}

#[tokio::test]
async fn after_an_overflow_half_is_left_or_as_much_as_ever() {
    // A quarter of 3 000, or what the policy keeps of any conversation.
    let half = WithoutNumbers::Half;
    assert_eq!(kept_after_an_overflow(topic_and_half()).await, (7, 20));
    let recent = recent_budget().without_numbers(half);
    assert_eq!(kept_after_an_overflow(recent).await, (7, 10));
    assert_eq!(kept_after_an_overflow(recent_budget()).await, (10, 10));
    let topic = topic_and_half().without_numbers(WithoutNumbers::AsUsual);
    assert_eq!(kept_after_an_overflow(topic).await, (20, 20));
}

/// They disagree, and ours doesn't: an earlier summary is updated by both.
#[tokio::test]
async fn an_earlier_summary_is_updated_in_its_place() {
    for preset in [topic_and_half(), recent_budget()] {
        let scribe = Scribe::new("They agreed on 8080.");
        let fitter = built(preset.summarizer(scribe.clone()));
        let mut history = fitter.fit(talk(60)).await.expect("fits").request;
        history.messages.extend(talk(60).messages);
        let after = fitter.fit(history).await.expect("fits").request;
        let updates = |job: &SummaryJob| {
            let previous = job.previous.as_deref();
            previous.is_some_and(|previous| previous.ends_with("They agreed on 8080."))
        };
        let jobs = scribe.jobs();
        assert_eq!(jobs.iter().filter(|job| updates(job)).count(), 1);
        for job in jobs {
            assert!(!job.transcript.contains("They agreed on 8080."));
        }
        let summaries = after
            .messages
            .iter()
            .filter(|message| Envelope::read_unverified(content(message)).is_some());
        assert_eq!(summaries.count(), 1);
    }
}

/// They disagree, and ours doesn't: who cancels means it, and no record stands for an answer.
#[tokio::test]
async fn a_request_that_is_cancelled_is_ended() {
    for preset in [topic_and_half(), recent_budget()] {
        let abort = |_| ready(Err::<Summary, _>(SummarizeError::abort("cancelled")));
        let fitter = built(preset.summarizer(summarizer_fn(abort)));
        let request = talk(60);
        let failure = fitter.fit(request.clone()).await.expect_err("ended");
        assert!(matches!(
            failure.error,
            FitError::Summarize(SummarizeError::Abort(_))
        ));
        assert_eq!(ptrs(&failure.request), ptrs(&request));
    }
}

#[tokio::test]
async fn a_request_that_is_given_up_leaves_nothing_behind() {
    for preset in [topic_and_half(), recent_budget()] {
        let scribe = Scribe::default().pending(3);
        let fitter = built(preset.summarizer(scribe.clone()));
        let request = talk(60);
        {
            let mut fit = pin!(fitter.fit(request.clone()));
            let first = poll_fn(|cx| Poll::Ready(fit.as_mut().poll(cx))).await;
            assert!(first.is_pending() && scribe.calls() == 1);
        }
        assert_eq!(request.messages, talk(60).messages);
        let fitted = fitter.fit(request).await.expect("fits");
        assert!(fitted.report.expect("over its limit").summarized > 0);
    }
}

/// What becomes of a long request for a model that isn't known, and whether it is told.
async fn of_an_unknown_model(preset: FitterBuilder) -> (Result<bool, String>, bool) {
    let told = Arc::new(Mutex::new(false));
    let hears = Arc::clone(&told);
    let observer = observer_fn(move |event: &FitEvent<'_>| {
        if let FitEvent::UnknownModel(_) = event {
            *hears.lock().expect("no panic") = true;
        }
    });
    let known = ModelTable::new().model("known", ModelSpec::new(4_000));
    let fitter = preset.models(known).observer(observer);
    let fitter = built(fitter.summarizer(Scribe::default()));
    let result = match fitter.fit(talk(60)).await {
        Ok(fitted) => Ok(fitted.report.is_some()),
        Err(failure) => Err(failure.error.to_string()),
    };
    let told = *told.lock().expect("no panic");
    (result, told)
}

#[tokio::test]
async fn a_window_that_is_not_known_is_the_callers_maximum_or_left_alone_or_refused() {
    let maximum = UnknownWindow::CallersMaximum;
    for preset in [topic_and_half(), recent_budget().unknown_window(maximum)] {
        let preset = preset.max_context_tokens(4_000);
        assert_eq!(of_an_unknown_model(preset).await, (Ok(true), false));
    }
    let alone = UnknownWindow::LeaveAlone;
    for preset in [recent_budget(), topic_and_half().unknown_window(alone)] {
        let preset = preset.max_context_tokens(4_000);
        assert_eq!(of_an_unknown_model(preset).await, (Ok(false), true));
    }
    let refuse = UnknownWindow::Refuse;
    for preset in [
        topic_and_half(),
        topic_and_half()
            .unknown_window(refuse)
            .max_context_tokens(4_000),
        recent_budget()
            .unknown_window(refuse)
            .max_context_tokens(4_000),
    ] {
        let (result, told) = of_an_unknown_model(preset).await;
        assert!(result.is_err_and(|error| error.contains("a-model")) && !told);
    }
    // Without any window, the caller's maximum is one and nothing else is.
    let nothing = || Fitter::builder().topic_and_half();
    assert_eq!(nothing().build().err(), Some(ConfigError::NoWindow));
    assert!(nothing().max_context_tokens(256_000).build().is_ok());
    let nothing = Fitter::builder().recent_budget();
    let error = nothing.max_context_tokens(256_000).build().err();
    assert_eq!(error, Some(ConfigError::NoWindow));
}
