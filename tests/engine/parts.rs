//! Summaries in two parts: what came before the turn that is cut in two, and the start of it.

use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use contextfit_core::chat::ChatRequest;
use contextfit_core::plan::SummaryCost;
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{agent, unique};
use contextfit_tower::{
    FailedSummary, Fitter, FitterBuilder, SummarizeError, Summary, SummaryJob, SummaryKind,
    summarizer_fn,
};

use crate::FAILURES;

type Answer = Result<Summary, SummarizeError>;
/// What was asked for, with the most tokens.
type Jobs = Arc<Mutex<Vec<(SummaryKind, u64)>>>;

/// A turn that is over, and one that is long enough to be cut in two.
fn two_turns() -> ChatRequest {
    let mut request = agent(2, 8, 60, unique);
    request.messages.pop();
    request
}

/// Cuts the second of the two turns in two, and remembers what is asked for.
fn apart(
    answer: impl Fn(&SummaryJob) -> Answer + Clone + Send + Sync + 'static,
) -> (FitterBuilder, Jobs) {
    let jobs: Jobs = Arc::default();
    let heard = Arc::clone(&jobs);
    let summarizer = summarizer_fn(move |job: SummaryJob| {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push((job.kind, job.max_tokens));
        ready(answer(&job))
    });
    let builder = Fitter::builder()
        .summary_keys(summary_keys())
        .recent_budget()
        .window(2_600);
    (builder.summarizer(summarizer), jobs)
}

fn kinds(jobs: &Jobs) -> Vec<SummaryKind> {
    let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
    jobs.drain(..).map(|(kind, _)| kind).collect()
}

const BOTH: [SummaryKind; 2] = [SummaryKind::History, SummaryKind::TurnStart];

#[tokio::test]
async fn a_part_is_not_asked_for_again_where_the_other_was_refused() {
    for refused in BOTH {
        let (builder, jobs) = apart(move |job| {
            let said = if job.kind == refused {
                " "
            } else {
                "They agreed."
            };
            Ok(Summary::new(said))
        });
        let builder = builder.failed_summary(FailedSummary::Untouched);
        let fitter = builder.build().expect("settings that work");
        let _ = fitter.fit(two_turns()).await;
        assert!(kinds(&jobs).contains(&refused));
        for _ in 0..3 {
            let _ = fitter.fit(two_turns()).await;
            assert_eq!(kinds(&jobs), [], "{refused:?}");
        }
    }
}

#[tokio::test]
async fn a_part_is_not_asked_for_after_one_that_came_to_nothing() {
    for failure in FAILURES {
        for (failed, asked) in [
            (FailedSummary::Untouched, &BOTH[..1]),
            (FailedSummary::Omit, &BOTH[..1]),
            (FailedSummary::Refuse, &BOTH[..1]),
            // Then a raw record stands for the first, and a summary of the second is of use.
            (FailedSummary::Archive, &BOTH[..]),
        ] {
            let (builder, jobs) = apart(move |_| failure());
            let fitter = builder.failed_summary(failed).build();
            let _ = fitter.expect("settings that work").fit(two_turns()).await;
            let mut kinds = kinds(&jobs);
            // What is too long is asked for once more, in fewer tokens.
            kinds.dedup();
            assert_eq!(kinds, asked, "{failed:?}");
        }
    }
}

#[tokio::test]
async fn a_summarizer_that_ends_the_request_is_not_asked_for_another_part() {
    let (builder, jobs) = apart(|_| Err(SummarizeError::abort("cancelled")));
    let fitter = builder.build().expect("settings that work");
    assert!(fitter.fit(two_turns()).await.is_err());
    assert_eq!(kinds(&jobs), [SummaryKind::History]);
}

#[tokio::test]
async fn no_part_has_fewer_tokens_than_are_worth_asking_for() {
    let mut parts = [0; 3];
    for window in (100..1_200).step_by(5) {
        let (builder, jobs) = apart(|_| Ok(Summary::new("They agreed.")));
        let fitter = builder.window(window).build().expect("settings that work");
        let _ = fitter.fit(two_turns()).await;
        let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
        parts[jobs.len()] += 1;
        for (kind, tokens) in jobs.drain(..) {
            assert!(tokens >= SummaryCost::LEAST, "{window}: {kind:?} {tokens}");
        }
    }
    assert!(parts[1] > 0 && parts[2] > 0, "{parts:?}");
}
