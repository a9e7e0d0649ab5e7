//! Nothing that is traced or counted tells what was said, also where errors quote it.

use std::collections::BTreeSet;
use std::future::ready;

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::plan::Plan;
use contextfit_core::request::{
    AdapterError, ApplyError, EditConversation, Hints, RequestAdapter, Switch,
};
use contextfit_core::summary::Envelope;
use contextfit_core::trigger::Trigger;
use contextfit_testing::provider::{Counting, SimulatedProvider};
use contextfit_testing::summaries::summary_message;
use contextfit_tests::{Record, TooLong, Traced, bottom};
use contextfit_tower::{
    ChatUsageReader, ContextFitLayer, FailedSummary, Fitter, ModelSpec, ModelTable, Observer,
    RecordMetrics, SummarizeError, Summary, SummaryJob, TraceEvents, UnknownWindow, WhenStuck,
    retry_budget_fn, summarizer_fn,
};
use metrics_util::debugging::DebuggingRecorder;
use tower::{Layer, ServiceExt};

use crate::small;

/// Stands in every text, a few characters apart.
const CANARY: &str = "xyzzy";

/// A text of so many tokens that tells it all the time.
fn told(tokens: usize) -> String {
    format!("{CANARY} is it\n").repeat(tokens * 4 / 12 + 1)
}

/// So many exchanges that all hold the canary, after an earlier summary and before a call.
fn conversation(turns: usize) -> ChatRequest {
    let earlier = Envelope {
        summary: told(50),
        messages: 7,
        omitted: 2,
        ..Envelope::default()
    };
    let mut messages = vec![
        ChatMessage::system(told(20)),
        ChatMessage::user(told(50)),
        summary_message(&earlier),
    ];
    for turn in 0..turns {
        messages.push(ChatMessage::assistant(told(50)));
        let mut question = ChatMessage::user(told(50));
        question.name = Some(format!("{CANARY}-{turn}").into());
        messages.push(question);
    }
    let (id, tool) = (format!("call-{CANARY}"), format!("read-{CANARY}"));
    let arguments = format!("{{\"{CANARY}\":\"{CANARY}\"}}");
    messages.push(ChatMessage::assistant(told(10)).call(id.as_str(), tool, arguments));
    messages.push(ChatMessage::tool(id, told(50)));
    ChatRequest::new("a-model", messages)
}

/// Knows chats, switches them as it is told to, and quotes them in its errors.
#[derive(Clone)]
struct Quoting {
    switch: Switch,
    applies: bool,
}

impl RequestAdapter<ChatRequest> for Quoting {
    type View<'a> = &'a ChatRequest;

    fn view<'a>(&self, request: &'a ChatRequest) -> Result<&'a ChatRequest, AdapterError> {
        match self.switch {
            Switch::Unreadable => Err(AdapterError::new(told(5), told(5))),
            _ => Ok(request),
        }
    }

    fn apply(&self, request: &mut ChatRequest, plan: &Plan) -> Result<(), ApplyError> {
        match self.applies {
            true => request.apply(plan),
            false => Err(ApplyError::Unsupported(told(5))),
        }
    }

    fn try_clone(&self, request: &ChatRequest) -> Option<ChatRequest> {
        Some(request.clone())
    }

    fn hints(&self, _: &ChatRequest) -> Hints {
        Hints::default().switch(self.switch)
    }
}

type Gives = fn(&SummaryJob) -> Result<Summary, SummarizeError>;

const SUMMARIES: [Gives; 6] = [
    |job| Ok(Summary::new(job.head(&told(500), job.max_tokens))),
    |_| Ok(Summary::new(told(5_000))),
    |_| Ok(Summary::new(told(5)).cut_off(true)),
    |_| Ok(Summary::new(" ")),
    |job| Err(SummarizeError::failed(job.prompt())),
    |job| Err(SummarizeError::abort(job.prompt())),
];

async fn send<A>(fitter: &Fitter<A>, overflows: usize, factor: f64, budget: bool, turns: usize)
where
    A: RequestAdapter<ChatRequest> + Clone,
{
    let provider = SimulatedProvider::new(100_000)
        .counting(Counting::Estimate { factor })
        .overflow_calls(overflows)
        .answer(told(20));
    let layer = ContextFitLayer::new(fitter.clone())
        .overflow_retry(TooLong)
        .usage(ChatUsageReader)
        .retry_budget(retry_budget_fn(move || budget));
    let _ = layer
        .layer(bottom(&provider))
        .oneshot(conversation(turns))
        .await;
}

/// Goes every way that tells something.
async fn go_every_way(observer: impl Observer + Clone + 'static) {
    let builder = || small().observer(observer.clone());
    for gives in SUMMARIES {
        for failed in [
            FailedSummary::Untouched,
            FailedSummary::Archive,
            FailedSummary::Refuse,
        ] {
            for stuck in [WhenStuck::Send, WhenStuck::Refuse] {
                let asks = move |job: SummaryJob| ready(gives(&job));
                let fitter = builder().summarizer(summarizer_fn(asks));
                let fitter = fitter.failed_summary(failed).when_stuck(stuck);
                let fitter = crate::built(fitter);
                for turns in [0, 15, 60] {
                    for overflows in [0, 1, 2] {
                        send(&fitter, overflows, 1.0, true, turns).await;
                    }
                }
            }
        }
    }
    let adapters = [
        (Switch::Auto, false),
        (Switch::Off, true),
        (Switch::HistoryElsewhere, true),
        (Switch::Unreadable, true),
    ];
    for (switch, applies) in adapters {
        let fitter = builder().adapter(Quoting { switch, applies });
        send(
            &fitter.build().expect("settings that work"),
            0,
            1.0,
            true,
            60,
        )
        .await;
    }
    let plain = crate::built(builder());
    // It counts a tenth, has no budget, and finds a single message too long.
    send(&plain, 0, 0.1, true, 15).await;
    send(&plain, 1, 1.0, false, 15).await;
    let fixed = crate::built(builder().soft_trigger(Trigger::Share(0.1)));
    send(&fixed, 1, 1.0, true, 0).await;
    let other = ModelTable::new().model("another", ModelSpec::new(4_000));
    let leaves = builder()
        .models(other)
        .unknown_window(UnknownWindow::LeaveAlone);
    send(&crate::built(leaves), 0, 1.0, true, 0).await;
}

/// All that is traced on every way.
async fn traced(events: TraceEvents) -> Vec<Record> {
    let traced = Traced::default();
    let _guard = traced.start();
    go_every_way(events).await;
    traced.records()
}

fn holds_canary(record: &Record) -> bool {
    let texts = record.fields.iter().flat_map(|(name, value)| [name, value]);
    record.name.contains(CANARY) || texts.into_iter().any(|text| text.contains(CANARY))
}

#[tokio::test]
async fn no_span_and_no_event_of_a_trace_tells_the_conversation() {
    let records = traced(TraceEvents::new()).await;
    for record in &records {
        assert!(!holds_canary(record), "{record:?}");
    }
    let names: BTreeSet<_> = records.iter().map(|record| &*record.name).collect();
    let all = [
        "contextfit.fit",
        "contextfit.summarize",
        "fitted",
        // The earlier summary is sealed with keys that no fitter here knows.
        "foreign_summary",
        "history_elsewhere",
        "not_recovered",
        "overflow",
        "passed",
        "recovered",
        "refused",
        "retry_refused",
        "stuck",
        "summary_refused",
        "summary_run",
        "switched_off",
        "truncated",
        "unknown_model",
        "unreadable",
        "usage",
    ];
    assert_eq!(names, BTreeSet::from(all), "all were walked");
}

#[tokio::test]
async fn what_errors_quote_is_traced_only_if_that_is_asked_for() {
    let records = traced(TraceEvents::new().error_texts(true)).await;
    let telling: Vec<_> = records
        .iter()
        .filter(|record| holds_canary(record))
        .collect();
    for name in ["summary_run", "summary_refused", "refused", "unreadable"] {
        let quotes =
            |record: &&&Record| record.name == name && record.field("exception.message").is_some();
        assert!(telling.iter().any(|record| quotes(&record)), "{name}");
    }
    for record in telling {
        let fields = record
            .fields
            .iter()
            .filter(|(_, value)| value.contains(CANARY));
        let names: Vec<_> = fields.map(|(name, _)| &**name).collect();
        assert_eq!(names, ["exception.message"]);
    }
}

#[tokio::test]
async fn no_metric_tells_the_conversation() {
    let recorder = DebuggingRecorder::new();
    let counted = recorder.snapshotter();
    {
        let _guard = metrics::set_default_local_recorder(&recorder);
        go_every_way(RecordMetrics::new()).await;
    }
    let metrics = counted.snapshot().into_vec();
    let mut names = BTreeSet::new();
    for (key, ..) in &metrics {
        names.insert(key.key().name());
        let mut texts = key
            .key()
            .labels()
            .flat_map(|label| [label.key(), label.value()]);
        assert!(!texts.any(|text| text.contains(CANARY)), "{key:?}");
    }
    // All but what a cache read, and what stays over its limit.
    assert_eq!(names.len(), 16, "{names:?}");
}
