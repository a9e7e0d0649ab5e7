//! 40 to 44: streams, stalls, another attempt, and a request that is cancelled.

use std::error::Error;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contextfit_core::chat::ChatRequest;
use contextfit_tests::{Entry, Log, texts};
use contextfit_tower::{
    BoxError, FitReport, Stop, SummarizeError, Summarizer, SummarizerExt, SummaryChunk,
    summarizer_stream_fn,
};
use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::time::{Instant, sleep};

use crate::exact::{ask, build, fit, questions, small};

type Chunk = Result<SummaryChunk, BoxError>;

/// What one call does: it opens a stream, or fails to.
type Call = fn() -> Result<BoxStream<'static, Chunk>, BoxError>;

const MINUTE: Duration = Duration::from_secs(60);

fn text(text: &str) -> Chunk {
    Ok(SummaryChunk::Text(text.to_owned()))
}

const DONE: Chunk = Ok(SummaryChunk::Finish(Stop::Done));

fn streams<const N: usize>(chunks: [Chunk; N]) -> Result<BoxStream<'static, Chunk>, BoxError> {
    Ok(stream::iter(chunks).boxed())
}

/// A model that does one after the other, and the last again and again; and how often it is asked.
fn model(calls: &'static [Call]) -> (impl Summarizer + 'static, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let summarizer = summarizer_stream_fn(move |_| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        let call = calls[number.min(calls.len() - 1)];
        async move { call() }
    });
    (summarizer, asked)
}

/// A conversation that is summarized in one call.
fn request() -> ChatRequest {
    ask(questions(13, 1_000))
}

/// What a summarizer makes of a conversation, and what is told.
async fn fitted(summarizer: impl Summarizer + 'static) -> (ChatRequest, FitReport, Log) {
    let log = Log::default();
    let fitter = build(small().summarizer(summarizer).observer(log.clone()));
    let (fitted, report) = fit(&fitter, &request()).await;
    (fitted, report, log)
}

/// The caller's own error among the sources of another.
fn source<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut chain = std::iter::successors(Some(error), |error| (*error).source());
    chain.find_map(|error| error.downcast_ref())
}

fn says(request: &ChatRequest, text: &str) -> bool {
    texts(request).iter().any(|said| said.contains(text))
}

#[tokio::test]
async fn a41_a_stream_is_read_to_its_end_and_thoughts_are_no_text() {
    let (model, _) = model(&[|| {
        let thinking = || Ok(SummaryChunk::Thinking);
        streams([
            thinking(),
            text("They chose "),
            thinking(),
            text("8080."),
            DONE,
        ])
    }]);
    let (fitted, report, _) = fitted(model).await;
    assert!(says(&fitted, "They chose 8080.") && !report.degraded);
}

#[tokio::test]
async fn a41_an_error_in_a_stream_fails_the_attempt_whatever_came_before() {
    let (model, _) =
        model(&[|| streams([text("They chose 8080."), Err("overloaded".into()), DONE])]);
    let (fitted, report, log) = fitted(model).await;
    assert!(report.degraded && !says(&fitted, "They chose"));
    assert!(matches!(log.entries()[0], Entry::SummaryRefused(_)));
}

#[tokio::test]
async fn a41_the_last_reason_to_stop_counts_and_without_one_it_was_broken_off() {
    let cases: [(Call, bool); 4] = [
        (|| streams([text("They chose 8080."), DONE]), true),
        (
            || {
                streams([
                    Ok(SummaryChunk::Finish(Stop::Length)),
                    text("They chose 8080."),
                    DONE,
                ])
            },
            true,
        ),
        (
            || {
                streams([
                    DONE,
                    text("They chose"),
                    Ok(SummaryChunk::Finish(Stop::Length)),
                ])
            },
            false,
        ),
        (|| streams([text("They chose")]), false),
    ];
    for (call, accepted) in cases {
        let summarizer = summarizer_stream_fn(move |_| async move { call() });
        let (fitted, report, _) = fitted(summarizer).await;
        assert_eq!(
            (report.degraded, says(&fitted, "They chose")),
            (!accepted, accepted)
        );
    }
}

/// What a client says to a wrong key.
#[derive(Debug, thiserror::Error)]
#[error("status {0}")]
struct Status(u16);

#[tokio::test]
async fn a41_an_error_before_the_stream_comes_out_as_it_is() {
    let (model, asked) = model(&[|| Err(Status(401).into())]);
    let fitter = small()
        .failed_summary(contextfit_tower::FailedSummary::Refuse)
        .summarizer(model);
    let failure = build(fitter).fit(request()).await.expect_err("refused");
    assert!(matches!(source(&*failure), Some(Status(401))));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a42_a_stream_that_goes_on_is_not_stalled_however_long_it_takes() {
    // Thoughts alone, for an hour.
    let (model, _) = model(&[|| {
        let thoughts = stream::iter(0..120).then(|_| async {
            sleep(MINUTE / 2).await;
            Ok(SummaryChunk::Thinking)
        });
        Ok(thoughts
            .chain(stream::iter([text("They chose 8080."), DONE]))
            .boxed())
    }]);
    let start = Instant::now();
    let (fitted, report, _) = fitted(model.stall_timeout(MINUTE)).await;
    assert!(says(&fitted, "They chose 8080.") && !report.degraded);
    assert_eq!(start.elapsed(), 60 * MINUTE);
}

#[tokio::test(start_paused = true)]
async fn a42_a_stream_that_stops_is_stalled_and_so_is_a_connection_that_takes_too_long() {
    let calls: [(Call, u64); 3] = [
        // It never says anything.
        (|| Ok(stream::pending().boxed()), 60),
        // It says something once.
        (
            || {
                Ok(stream::iter([text("They")])
                    .chain(stream::pending())
                    .boxed())
            },
            60,
        ),
        // It says nothing but what every stream opens with.
        (
            || {
                let empty = stream::iter(0..10).then(|_| async {
                    sleep(MINUTE / 2).await;
                    text("")
                });
                Ok(empty.chain(stream::pending()).boxed())
            },
            60,
        ),
    ];
    for (call, seconds) in calls {
        let summarizer = summarizer_stream_fn(move |_| async move { call() });
        let start = Instant::now();
        let (fitted, report, log) = fitted(summarizer.stall_timeout(MINUTE)).await;
        assert!(report.degraded && !says(&fitted, "They chose"));
        assert_eq!(start.elapsed().as_secs(), seconds);
        let Entry::SummaryRefused(why) = &log.entries()[0] else {
            panic!("{:?}", log.entries())
        };
        assert!(why.contains("stalled") && why.contains("60s"), "{why}");
    }
    let connecting = summarizer_stream_fn(|_| async {
        sleep(2 * MINUTE).await;
        streams([text("They chose 8080."), DONE])
    });
    let (_, report, _) = fitted(connecting.stall_timeout(MINUTE)).await;
    assert!(report.degraded);
}

const STALLS: Call = || Ok(stream::pending().boxed());
const ANSWERS: Call = || streams([text("They chose 8080."), DONE]);

#[tokio::test(start_paused = true)]
async fn a43_a_call_that_stalled_is_made_once_more() {
    for (calls, degraded) in [
        (&[ANSWERS][..], false),
        (&[STALLS, ANSWERS], false),
        (&[STALLS, STALLS], true),
    ] {
        let (model, asked) = model(calls);
        let (fitted, report, log) = fitted(model.stall_timeout(MINUTE).attempts(2)).await;
        assert_eq!(
            (report.degraded, says(&fitted, "They chose 8080.")),
            (degraded, !degraded)
        );
        assert_eq!(asked.load(Ordering::Relaxed), calls.len());
        // What was made up for is counted and told.
        assert_eq!(report.summarizer_calls as usize, calls.len());
        let refused = log.entries().into_iter();
        let refused = refused.filter(|entry| matches!(entry, Entry::SummaryRefused(_)));
        assert_eq!(refused.count(), calls.len() - usize::from(!degraded));
    }
}

/// The caller's own error.
#[derive(Debug, thiserror::Error)]
#[error("cancelled")]
struct Cancelled;

#[tokio::test(start_paused = true)]
async fn a43_a_request_that_is_cancelled_makes_one_call_and_no_record() {
    let (model, asked) = model(&[|| Err(SummarizeError::abort(Cancelled).into())]);
    let other = summarizer_stream_fn(|_| async { streams([text("They chose 8080."), DONE]) });
    let chain = model.stall_timeout(MINUTE).attempts(3).or_else(other);
    // A raw record is set for a failed summary, by the preset.
    let fitter = build(small().summarizer(chain));
    let failure = fitter.fit(request()).await.expect_err("cancelled");
    assert!(source::<Cancelled>(&*failure).is_some());
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    assert_eq!(failure.request.messages, request().messages);
}

#[tokio::test(start_paused = true)]
async fn a44_a_stream_that_is_given_up_is_dropped() {
    // Ours differs: nothing is read to its end in the background. Whoever sends sees it closed.
    let (sender, receiver) = tokio::sync::mpsc::channel::<()>(1);
    let receiver = Arc::new(std::sync::Mutex::new(Some(receiver)));
    let summarizer = summarizer_stream_fn(move |_| {
        let receiver = receiver.lock().expect("nobody panicked").take();
        async move {
            let never = stream::once(async move {
                let mut receiver = receiver;
                if let Some(receiver) = &mut receiver {
                    receiver.recv().await;
                }
                pending::<Chunk>().await
            });
            Ok::<_, BoxError>(never)
        }
    });
    let (_, report, _) = fitted(summarizer.stall_timeout(MINUTE)).await;
    assert!(report.degraded && sender.is_closed());
}
