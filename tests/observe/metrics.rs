//! What is counted.

use std::collections::BTreeMap;

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_tests::{
    Log, Scribe, Shape, TooLong, bottom, chat, estimate, provider, questions, send, text,
};
use contextfit_tower::{
    ChatUsageReader, ContextFitLayer, FailedSummary, FitterBuilder, Observer, RecordMetrics,
    Summary, Usage, WhenStuck,
};
use metrics::Unit;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use tower::{Layer, ServiceExt};

use crate::{built, small};

/// What is counted by this thread.
struct Counted(Snapshotter);

impl Counted {
    /// Counts while `run` runs.
    async fn while_running(run: impl AsyncFnOnce()) -> BTreeMap<String, Vec<f64>> {
        let recorder = DebuggingRecorder::new();
        let counted = Self(recorder.snapshotter());
        {
            let _guard = metrics::set_default_local_recorder(&recorder);
            run().await;
        }
        counted.values()
    }

    /// The values of each metric, by its name and labels.
    fn values(&self) -> BTreeMap<String, Vec<f64>> {
        let metrics = self.0.snapshot().into_vec().into_iter();
        let metrics = metrics.map(|(key, unit, description, value)| {
            assert!(description.is_some(), "{key:?} is described");
            let (_, key) = key.into_parts();
            let ratio = key.name() == "contextfit.estimate.ratio";
            assert_eq!(unit, (!ratio).then_some(Unit::Count));
            let labels = key
                .labels()
                .map(|label| format!("{}={}", label.key(), label.value()));
            let labels: Vec<_> = labels.collect();
            let values = match value {
                DebugValue::Counter(count) => vec![count as f64],
                DebugValue::Histogram(values) => values.into_iter().map(Into::into).collect(),
                DebugValue::Gauge(_) => panic!("nothing goes up and down"),
            };
            let name = key.name().strip_prefix("contextfit.").expect("ours");
            (
                format!("{name} {}", labels.join(" ")).trim().to_owned(),
                values,
            )
        });
        metrics.collect()
    }
}

/// Sends requests through a stack whose provider finds so many of them too long.
async fn counted(
    builder: fn() -> FitterBuilder,
    overflows: usize,
    requests: Vec<ChatRequest>,
) -> (BTreeMap<String, Vec<f64>>, Log) {
    let log = Log::default();
    let counted = Counted::while_running(async || {
        let fitter = built(builder().observer(RecordMetrics::new().and(log.clone())));
        let provider = provider(100_000).overflow_calls(overflows);
        for request in requests {
            let _ = send(&Shape::Joint.around(bottom(&provider), &fitter), request).await;
        }
    });
    (counted.await, log)
}

fn expect(counted: &BTreeMap<String, Vec<f64>>, metrics: &[(&str, f64)]) {
    for &(name, value) in metrics {
        assert_eq!(
            counted.get(name),
            Some(&vec![value]),
            "{name} in {counted:#?}"
        );
    }
}

#[tokio::test]
async fn requests_are_counted_by_what_was_decided() {
    let requests = vec![chat(3, 50), chat(3, 50), chat(40, 100), questions(1, 3_500)];
    let (metrics, _) = counted(small, 0, requests.clone()).await;
    expect(
        &metrics,
        &[
            ("requests outcome=passed", 2.0),
            ("requests outcome=fitted", 1.0),
            ("requests outcome=stuck", 1.0),
        ],
    );
    let (metrics, _) = counted(
        || small().when_stuck(WhenStuck::Refuse),
        0,
        requests.clone(),
    )
    .await;
    expect(&metrics, &[("requests outcome=refused", 1.0)]);
    let (metrics, _) = counted(|| small().enabled(false), 0, requests).await;
    expect(&metrics, &[("requests outcome=switched_off", 4.0)]);
}

#[tokio::test]
async fn a_fit_is_counted_with_what_it_took_away() {
    let usage = Usage::new(2_000, 40).cached(1_500);
    let builder = move || {
        let usage = Usage::new(2_000, 40).cached(1_500);
        small().summarizer(Scribe::new(Summary::new("They worked.").usage(usage)))
    };
    let (metrics, log) = counted(builder, 0, vec![chat(40, 100)]).await;
    let report = &log.reports()[0];
    let (before, after) = (report.tokens_before as f64, report.tokens_after as f64);
    assert!(report.summarized > 0 && after < before);
    expect(
        &metrics,
        &[
            ("fits reason=over_limit", 1.0),
            ("tokens.before reason=over_limit", before),
            ("tokens.after reason=over_limit", after),
            ("tokens.removed reason=over_limit", before - after),
            ("messages fate=summarized", report.summarized as f64),
            ("summaries outcome=written", 1.0),
            ("summarizer.calls", 1.0),
            (
                "tokens.used purpose=compaction gen_ai.token.type=input",
                usage.input as f64,
            ),
            (
                "tokens.used purpose=compaction gen_ai.token.type=output",
                usage.output as f64,
            ),
            ("tokens.cached purpose=compaction", usage.cached as f64),
        ],
    );
    assert!(!metrics.contains_key("fits.degraded reason=over_limit"));
}

#[tokio::test]
async fn a_summary_that_is_no_good_is_counted() {
    let builder = || {
        small()
            .summarizer(Scribe::new(" "))
            .failed_summary(FailedSummary::Omit)
    };
    let (metrics, log) = counted(builder, 0, vec![chat(40, 100)]).await;
    expect(
        &metrics,
        &[
            ("fits.degraded reason=over_limit", 1.0),
            ("messages fate=omitted", log.reports()[0].omitted as f64),
            ("summaries outcome=failed", 1.0),
            ("summaries.refused reason=blank", 1.0),
        ],
    );
    // One that is as good as it gets.
    let mut request = chat(40, 100);
    request.messages.pop();
    request
        .messages
        .push(ChatMessage::user(text("The last:", 3_500)));
    let (metrics, _) = counted(small, 0, vec![request]).await;
    expect(&metrics, &[("fits.over_limit reason=over_limit", 1.0)]);
    let failing = || {
        let failing = async |_| Err::<Summary, _>("no connection");
        small().summarizer(contextfit_tower::summarizer_fn(failing))
    };
    let (metrics, _) = counted(failing, 0, vec![chat(40, 100)]).await;
    expect(
        &metrics,
        &[
            ("summaries outcome=failed", 1.0),
            ("summaries.refused reason=summarizer_failed", 1.0),
        ],
    );
}

#[tokio::test]
async fn overflows_are_counted_by_what_came_of_them() {
    let (metrics, _) = counted(small, 1, vec![chat(12, 100)]).await;
    expect(
        &metrics,
        &[
            ("requests outcome=passed", 1.0),
            ("overflows recovering=true", 1.0),
            ("fits reason=overflow", 1.0),
            ("recoveries outcome=recovered", 1.0),
        ],
    );
    // A recovery is no request.
    assert!(!metrics.contains_key("requests outcome=fitted"));
    let (metrics, _) = counted(small, 2, vec![chat(12, 100)]).await;
    expect(
        &metrics,
        &[
            ("overflows recovering=true", 1.0),
            ("overflows recovering=false", 1.0),
        ],
    );
    let (metrics, _) = counted(small, 1, vec![questions(1, 2_500)]).await;
    expect(&metrics, &[("recoveries outcome=not_recovered", 1.0)]);
}

#[tokio::test]
async fn the_error_of_an_estimate_and_what_answers_cost_are_counted() {
    let request = chat(3, 50);
    let estimated = estimate(&request);
    let counted = Counted::while_running(async || {
        let fitter = built(small().observer(RecordMetrics::new()));
        // It counts half as many again as the estimator.
        let provider = contextfit_testing::provider::SimulatedProvider::new(100_000)
            .counting(contextfit_testing::provider::Counting::Estimate { factor: 1.5 });
        let layer = ContextFitLayer::new(fitter)
            .overflow_retry(TooLong)
            .usage(ChatUsageReader);
        let answer = layer
            .layer(bottom(&provider))
            .oneshot(request.clone())
            .await;
        answer.expect("answered");
    });
    let metrics = counted.await;
    let input = &metrics["tokens.used purpose=answer gen_ai.token.type=input"][0];
    let ratio = metrics["estimate.ratio"][0];
    assert!((input - 1.5 * estimated as f64).abs() < 2.0, "{metrics:?}");
    assert!((ratio - input / estimated as f64).abs() < f64::EPSILON);
}

#[tokio::test]
async fn no_name_of_a_model_is_a_label_but_those_that_are_listed() {
    let of_model = |model: &str| {
        let mut request = chat(3, 50);
        request.model = model.into();
        request
    };
    for (observer, expected) in [
        (
            RecordMetrics::new as fn() -> RecordMetrics,
            &[("requests outcome=passed", 3.0)][..],
        ),
        (
            || RecordMetrics::new().models(["large"]),
            &[
                ("requests outcome=passed model=large", 1.0),
                ("requests outcome=passed model=other", 2.0),
            ],
        ),
    ] {
        let counted = Counted::while_running(async || {
            let fitter = built(small().observer(observer()));
            for model in ["large", "made-up", "also-made-up"] {
                fitter.fit(of_model(model)).await.expect("fits");
            }
        });
        let metrics = counted.await;
        expect(&metrics, expected);
        assert_eq!(metrics.len(), expected.len());
    }
}
