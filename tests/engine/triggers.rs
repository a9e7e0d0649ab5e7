//! Compactions below the limit: those that are tried, and those that have to be made.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contextfit_core::chat::ChatRequest;
use contextfit_core::request::{Hints, Native, RequestAdapter, Switch};
use contextfit_core::trigger::Trigger;
use contextfit_tests::{
    Entry, Log, Scribe, Shape, bottom, chat, estimate, provider, ptrs, questions, send, sized,
};
use contextfit_tower::{
    ConfigError, FailedSummary, FitError, FitReport, FitterBuilder, Reason, SummarizeError,
    Summary, SummaryJob, WhenStuck, summarizer_fn,
};

use crate::{FAILURES, small};

/// A prompt may have 3 000 tokens, and a compaction leaves fewer than 1 000 of them.
fn eager() -> FitterBuilder {
    small().target(0.25).summary_tokens(100)
}

type Set = fn(FitterBuilder, Trigger) -> FitterBuilder;

const SOFT: Set = FitterBuilder::soft_trigger;
const HARD: Set = FitterBuilder::hard_trigger;

#[tokio::test]
async fn each_kind_of_trigger_is_met_above_its_number() {
    use Trigger::{All, Any, Messages, Share, Tokens};

    let messages = sized(1_500).messages.len();
    let [few, many] = [Messages(messages - 1), Messages(messages)];
    for (trigger, tokens, due) in [
        (Share(0.5), 1_500, false),
        (Share(0.5), 1_501, true),
        (Share(1.0), 3_000, false),
        (Tokens(1_500), 1_500, false),
        (Tokens(1_500), 1_501, true),
        (many.clone(), 1_500, false),
        (few.clone(), 1_500, true),
        (All(vec![Tokens(1_499), few.clone()]), 1_500, true),
        (All(vec![Tokens(1_500), few.clone()]), 1_500, false),
        (All(vec![Tokens(1_499), many.clone()]), 1_500, false),
        (All(vec![]), 1_500, false),
        (Any(vec![Share(0.9), few.clone()]), 1_500, true),
        (Any(vec![Share(0.5), Tokens(1_500), many]), 1_500, false),
        (Any(vec![]), 1_500, false),
        (Any(vec![All(vec![few, Share(0.25)])]), 1_500, true),
    ] {
        for set in [SOFT, HARD] {
            for shape in Shape::FITTING {
                let (provider, log) = (provider(4_000), Log::default());
                let scribe = Scribe::default();
                let fitter = set(eager(), trigger.clone()).summarizer(scribe.clone());
                let fitter = fitter.observer(log.clone()).build();
                let stack = shape.around(bottom(&provider), &fitter.expect("settings that work"));
                let request = sized(tokens);
                send(&stack, request.clone()).await.expect("answered");
                let sent = &provider.last_received().expect("sent").request;
                if due {
                    let [report] = &log.reports()[..] else {
                        panic!("{trigger:?}");
                    };
                    assert_eq!((report.reason, scribe.calls()), (Reason::Trigger, 1));
                    assert!(estimate(sent) < 1_000, "{trigger:?}");
                } else {
                    assert_eq!(ptrs(sent), ptrs(&request), "{trigger:?}");
                    assert_eq!((log.entries(), scribe.calls()), (vec![], 0));
                }
            }
        }
    }
}

#[tokio::test]
async fn below_its_trigger_a_request_is_left_alone() {
    for tokens in (200..=2_700).step_by(250) {
        for shape in Shape::FITTING {
            let (provider, log) = (provider(4_000), Log::default());
            let scribe = Scribe::default();
            let fitter = eager()
                .soft_trigger(Trigger::Share(0.9))
                .hard_trigger(Trigger::Share(0.95))
                .summarizer(scribe.clone())
                .observer(log.clone());
            let fitter = fitter.build().expect("settings that work");
            let request = sized(tokens);
            let stack = shape.around(bottom(&provider), &fitter);
            send(&stack, request.clone()).await.expect("answered");
            let sent = provider.last_received().expect("sent");
            assert_eq!(ptrs(&sent.request), ptrs(&request), "{tokens}");
            assert_eq!((log.entries(), scribe.calls()), (vec![], 0));
        }
    }
}

#[tokio::test]
async fn no_trigger_is_heeded_where_fitting_is_off() {
    for set in [SOFT, HARD] {
        for (enabled, switch) in [(false, Switch::Auto), (true, Switch::Off)] {
            let hints = move |_: &ChatRequest| Hints::default().switch(switch);
            let fitter = set(eager(), Trigger::Tokens(0)).enabled(enabled);
            let fitter = fitter.adapter(Native.with_hints(hints));
            let scribe = Scribe::default();
            let fitter = fitter.summarizer(scribe.clone()).build();
            let fitter = fitter.expect("settings that work");
            let request = sized(2_900);
            let fitted = fitter.fit(request.clone()).await.expect("left alone");
            assert_eq!(ptrs(&fitted.request), ptrs(&request));
            assert_eq!((fitted.report, scribe.calls()), (None, 0));
        }
    }
}

/// What is set for a failed summary, and for a request that stays over its limit.
const WHATEVER_IS_SET: [(FailedSummary, WhenStuck); 6] = [
    (FailedSummary::Untouched, WhenStuck::Send),
    (FailedSummary::Untouched, WhenStuck::Refuse),
    (FailedSummary::Omit, WhenStuck::Send),
    (FailedSummary::Omit, WhenStuck::Refuse),
    (FailedSummary::Archive, WhenStuck::Send),
    (FailedSummary::Refuse, WhenStuck::Send),
];

#[tokio::test]
async fn a_try_without_a_usable_summary_leaves_the_request_as_it_is() {
    for failure in FAILURES {
        for (failed, when_stuck) in WHATEVER_IS_SET {
            for shape in Shape::FITTING {
                let (provider, log) = (provider(4_000), Log::default());
                let fitter = eager()
                    .soft_trigger(Trigger::Share(0.5))
                    .failed_summary(failed)
                    .when_stuck(when_stuck)
                    .summarizer(summarizer_fn(move |_| ready(failure())))
                    .observer(log.clone());
                let fitter = fitter.build().expect("settings that work");
                let request = sized(2_000);
                let stack = shape.around(bottom(&provider), &fitter);
                send(&stack, request.clone()).await.expect("answered");
                let sent = provider.last_received().expect("sent");
                assert_eq!(ptrs(&sent.request), ptrs(&request), "{failed:?}");
                // It is told why, and no change is.
                let entries = log.entries();
                assert!(
                    matches!(
                        entries[..],
                        // What is too long is asked for once more, in fewer tokens.
                        [Entry::SummaryRefused(_)]
                            | [Entry::SummaryRefused(_), Entry::SummaryRefused(_)]
                    ),
                    "{entries:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_try_that_gains_too_little_is_not_made() {
    // From 2 000 tokens to fewer than 1 000.
    for (request, least_gain, made) in [
        (sized(2_000), 0.3, true),
        (sized(2_000), 0.9, false),
        (questions(2, 900), 0.0, false),
    ] {
        let (log, scribe) = (Log::default(), Scribe::default());
        let fitter = eager()
            .soft_trigger(Trigger::Share(0.5))
            .least_gain(least_gain)
            .failed_summary(FailedSummary::Omit)
            .when_stuck(WhenStuck::Refuse)
            .summarizer(scribe.clone())
            .observer(log.clone());
        let fitter = fitter.build().expect("settings that work");
        let fitted = fitter.fit(request.clone()).await.expect("fits");
        assert_eq!((fitted.report.is_some(), scribe.calls() > 0), (made, made));
        if !made {
            assert_eq!(ptrs(&fitted.request), ptrs(&request));
            assert_eq!(log.entries(), []);
        }
    }
}

#[tokio::test]
async fn a_summarizer_that_ends_the_request_ends_a_try_too() {
    for set in [SOFT, HARD] {
        let abort = |_| ready(Err::<Summary, _>(SummarizeError::abort("cancelled")));
        let fitter = set(eager(), Trigger::Share(0.5)).summarizer(summarizer_fn(abort));
        let fitter = fitter.build().expect("settings that work");
        let failure = fitter.fit(sized(2_000)).await.expect_err("ended");
        let FitError::Summarize(SummarizeError::Abort(error)) = failure.error else {
            panic!("{failure:?}");
        };
        assert_eq!(error.to_string(), "cancelled");
    }
}

/// What became of a request: what was changed, or why it was refused.
async fn outcome(
    builder: FitterBuilder,
    request: &ChatRequest,
) -> Result<Option<FitReport>, FitError> {
    let fitter = builder.build().expect("settings that work");
    let fitted = fitter.fit(request.clone()).await;
    fitted
        .map(|fitted| fitted.report)
        .map_err(|failure| failure.error)
}

#[tokio::test]
async fn a_compaction_that_has_to_be_made_goes_as_it_does_over_the_limit() {
    let request = sized(2_000);
    for failure in FAILURES {
        for (failed, when_stuck) in WHATEVER_IS_SET {
            let failing = || {
                let builder = eager().failed_summary(failed).when_stuck(when_stuck);
                builder.summarizer(summarizer_fn(move |_| ready(failure())))
            };
            let hard = failing().hard_trigger(Trigger::Share(0.5));
            // Over its limit by 500 tokens.
            let over = failing().window(2_500).target(0.5);
            for (builder, reason) in [(hard, Reason::Trigger), (over, Reason::OverLimit)] {
                let outcome = outcome(builder, &request).await;
                match (failed, when_stuck) {
                    // What fits as it is isn't stuck.
                    (FailedSummary::Untouched, _)
                        if when_stuck == WhenStuck::Send || reason == Reason::Trigger =>
                    {
                        assert!(matches!(outcome, Ok(None)), "{outcome:?}");
                    }
                    (FailedSummary::Omit | FailedSummary::Archive, _) => {
                        let report = outcome.expect("made").expect("changed");
                        assert!(report.degraded && report.tokens_after < 1_000);
                        assert_eq!((report.reason, report.summarized), (reason, 0));
                        let cut = report.plan.cut().count();
                        assert_eq!(report.archived + report.omitted, cut);
                        assert_eq!(report.archived > 0, failed == FailedSummary::Archive);
                    }
                    _ => assert!(matches!(outcome, Err(FitError::Summarize(_)))),
                }
            }
        }
    }
}

#[tokio::test]
async fn a_compaction_that_fails_without_need_is_tried_again_when_there_is_more() {
    for failure in FAILURES {
        let calls = Arc::new(AtomicUsize::new(0));
        let (counted, last) = (Arc::clone(&calls), AtomicUsize::new(0));
        let fitter = eager()
            .window(100_000)
            .soft_trigger(Trigger::Tokens(1_000))
            .target(0.01)
            .summarizer(summarizer_fn(move |job: SummaryJob| {
                let messages = job.messages;
                // One that is too long is asked for once more at once.
                if last.swap(messages, Ordering::Relaxed) != messages {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
                ready(failure())
            }))
            .build()
            .expect("settings that work");
        // A request after each message.
        for messages in 20..=40 {
            let mut request = chat(20, 100);
            request.messages.truncate(messages);
            let fitted = fitter.fit(request).await.expect("sent");
            assert!(fitted.report.is_none());
        }
        let calls = calls.load(Ordering::Relaxed);
        assert!((2..=6).contains(&calls), "{calls} calls");
    }
}

#[tokio::test]
async fn a_compaction_is_tried_first_and_made_later() {
    for (tokens, omits) in [(2_000, false), (2_400, false), (2_401, true), (2_900, true)] {
        let fitter = eager()
            .soft_trigger(Trigger::Share(0.5))
            .hard_trigger(Trigger::Share(0.8))
            .failed_summary(FailedSummary::Omit)
            .summarizer(Scribe::new(" "));
        let report = outcome(fitter, &sized(tokens)).await.expect("sent");
        assert_eq!(report.is_some(), omits, "{tokens}");
    }
}

#[test]
fn a_trigger_with_a_share_that_is_none_is_refused_when_the_fitter_is_built() {
    for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let nested = Trigger::Any(vec![
            Trigger::Tokens(1),
            Trigger::All(vec![Trigger::Share(share)]),
        ]);
        for trigger in [Trigger::Share(share), nested] {
            for (set, name) in [(SOFT, "soft_trigger"), (HARD, "hard_trigger")] {
                match set(small(), trigger.clone()).build() {
                    Err(ConfigError::NotAShare { setting, .. }) => assert_eq!(setting, name),
                    other => panic!("{name} {share}: {other:?}"),
                }
            }
        }
    }
}
