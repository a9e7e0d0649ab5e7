//! 17 and 23: a summarizer that fails, and one that ends the request.

use std::error::Error;
use std::future::ready;
use std::io;

use contextfit_core::summary::Envelope;
use contextfit_tests::{Entry, Log, Scribe, Shape, bottom, provider, ptrs, send};
use contextfit_tower::{
    Archive, FailedSummary, FitError, FitterBuilder, SummarizeError, SummarizerExt, Summary,
    WhenStuck, summarizer_fn,
};

use crate::{built, preset, talk, without_numbers};

#[tokio::test]
async fn b17_a_summarizer_that_fails_changes_nothing_and_is_told_once() {
    for kind in [
        io::ErrorKind::ConnectionReset,
        io::ErrorKind::PermissionDenied,
    ] {
        for shape in Shape::FITTING {
            let (provider, log) = (provider(100_000), Log::default());
            let failing = move |_| ready(Err::<Summary, _>(io::Error::from(kind)));
            let fitter = preset(4_000).summarizer(summarizer_fn(failing));
            let fitter = built(fitter.observer(log.clone()));
            let stack = shape.around(bottom(&provider), &fitter);
            let request = talk(&[100; 60]);
            send(&stack, request.clone()).await.expect("answered");
            let sent = provider.last_received().expect("sent");
            assert_eq!((provider.calls(), ptrs(&sent.request)), (1, ptrs(&request)));
            let warning = "the summarizer failed".to_owned();
            let told = [Entry::SummaryRefused(warning), Entry::Stuck];
            assert_eq!(log.entries(), told);
        }
    }
}

/// Ours differs: with no summarizer at all, nothing can fail, and what is cut is left out with a
/// notice; one that says nothing is a failed one.
#[tokio::test]
async fn b17_without_a_summarizer_what_is_left_out_is_said() {
    let request = talk(&[100; 60]);
    let fitter = built(preset(4_000));
    let fitted = fitter.fit(request.clone()).await.expect("fits");
    let report = fitted.report.expect("it was over its limit");
    assert_eq!((report.omitted, report.degraded), (40, false));
    let (_, notice) = Envelope::find_unverified(&fitted.request).expect("a notice");
    assert_eq!((notice.summary.as_str(), notice.omitted), ("", 40));

    let fitter = built(preset(4_000).summarizer(Scribe::new("")));
    let after = fitter.fit(request.clone()).await.expect("sent").request;
    assert_eq!(ptrs(&after), ptrs(&request));
}

/// The caller's own error.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the session was cancelled at step {0}")]
struct Cancelled(u32);

/// The caller's own error in what a stack returned.
fn cancelled<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Cancelled> {
    let mut chain = std::iter::successors(Some(error), |error| (*error).source());
    chain.find_map(|error| error.downcast_ref())
}

/// What is set for a failed summary, and for a request that stays over its limit.
const WHATEVER_IS_SET: [(FailedSummary, WhenStuck); 5] = [
    (FailedSummary::Untouched, WhenStuck::Send),
    (FailedSummary::Untouched, WhenStuck::Refuse),
    (FailedSummary::Omit, WhenStuck::Send),
    (FailedSummary::Archive, WhenStuck::Send),
    (FailedSummary::Refuse, WhenStuck::Send),
];

/// The preset with a summarizer that ends the request.
fn aborting((failed, when_stuck): (FailedSummary, WhenStuck)) -> FitterBuilder {
    let abort = |_| ready(Err::<Summary, _>(SummarizeError::abort(Cancelled(7))));
    preset(4_000)
        .failed_summary(failed)
        .when_stuck(when_stuck)
        .summarizer(summarizer_fn(abort))
}

#[tokio::test]
async fn b23_the_callers_own_error_ends_the_request_whatever_is_set() {
    for set in WHATEVER_IS_SET {
        for shape in Shape::FITTING {
            let provider = provider(100_000);
            let fitter = built(aborting(set));
            let request = talk(&[100; 60]);
            let stack = shape.around(bottom(&provider), &fitter);
            let error = send(&stack, request.clone()).await.expect_err("ended");
            assert_eq!(cancelled(&*error), Some(&Cancelled(7)), "{set:?}");
            assert_eq!(provider.calls(), 0);
            // Who owns the history gets it back as it was.
            let failure = fitter.fit(request.clone()).await.expect_err("ended");
            assert_eq!(cancelled(&*failure), Some(&Cancelled(7)));
            assert_eq!(ptrs(&failure.request), ptrs(&request));
        }
    }
}

#[tokio::test]
async fn b23_a_recovery_is_ended_too_and_nothing_is_sent_again() {
    for set in WHATEVER_IS_SET {
        for resend in [false, true] {
            let provider = provider(100_000).overflow_calls(1);
            let fitter = built(aborting(set).resend_unchanged(resend));
            let stack = without_numbers(&provider, fitter);
            let request = talk(&[100; 40]);
            let error = send(&stack, request).await.expect_err("ended");
            assert_eq!(cancelled(&*error), Some(&Cancelled(7)), "{set:?}");
            assert_eq!(provider.calls(), 1);
        }
    }
}

#[tokio::test]
async fn b23_it_ends_the_request_from_any_place_in_a_chain() {
    let abort = || summarizer_fn(|_| ready(Err::<Summary, _>(SummarizeError::abort(Cancelled(7)))));
    let fails = || summarizer_fn(|_| ready(Err::<Summary, _>("no connection")));
    let first = || preset(4_000).summarizer(abort().attempts(3).or_else(fails()).or_else(Archive));
    let later = || preset(4_000).summarizer(fails().or_else(abort().attempts(3)).or_else(Archive));
    for builder in [first(), later()] {
        let request = talk(&[100; 60]);
        let failure = built(builder)
            .fit(request.clone())
            .await
            .expect_err("ended");
        assert_eq!(cancelled(&*failure), Some(&Cancelled(7)));
        assert_eq!(ptrs(&failure.request), ptrs(&request));
    }
}

#[tokio::test]
async fn b23_a_failure_of_the_callers_own_is_there_to_be_seen_when_all_of_a_chain_failed() {
    let fails = || summarizer_fn(|_| ready(Err::<Summary, _>("no connection")));
    let own = || summarizer_fn(|_| ready(Err::<Summary, _>(Cancelled(7))));
    let last = || preset(4_000).summarizer(fails().or_else(own().attempts(2)));
    let first = || preset(4_000).summarizer(own().or_else(Scribe::new("")));
    for (builder, is_last) in [(last(), true), (first(), false)] {
        let fitter = built(builder.failed_summary(FailedSummary::Refuse));
        let failure = fitter.fit(talk(&[100; 60])).await.expect_err("refused");
        // The last is the source, and all are there.
        assert_eq!(cancelled(&*failure).is_some(), is_last);
        let FitError::Summarize(SummarizeError::Exhausted(all)) = &failure.error else {
            panic!("{:?}", failure.error)
        };
        let mut all = all.errors();
        assert!(all.any(|error| cancelled(error) == Some(&Cancelled(7))));
    }
}
