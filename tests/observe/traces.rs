//! What a trace shows of a fit.

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_tests::{
    Record, Scribe, Shape, Traced, agent, bottom, chat, estimate, provider, questions, send, unique,
};
use contextfit_tower::{
    BoxError, ChatUsageReader, ContextFitLayer, FailedSummary, FitReport, Stop, Summary,
    TraceEvents, Usage, WhenStuck, chat_summarizer,
};
use tokio_test::task;
use tower::{Layer, ServiceExt, service_fn};
use tracing::{Level, Span};

use crate::{built, small};

/// Whether a span or an event has the numbers of a report.
fn assert_tells(record: &Record, report: &FitReport) {
    let numbers = [
        ("contextfit.tokens.before", report.tokens_before),
        ("contextfit.tokens.after", report.tokens_after),
        ("contextfit.tokens.limit", report.limit),
        ("contextfit.messages.summarized", report.summarized as u64),
        ("contextfit.messages.archived", report.archived as u64),
        ("contextfit.messages.omitted", report.omitted as u64),
        ("contextfit.messages.clipped", report.clipped as u64),
        ("contextfit.messages.kept", report.kept as u64),
        (
            "contextfit.summarizer.calls",
            report.summarizer_calls.into(),
        ),
    ];
    for (name, number) in numbers {
        assert_eq!(record.number(name), Some(number), "{name}");
    }
    let field = |name| record.field(name).expect("it is told");
    assert_eq!(field("contextfit.reason"), report.reason.as_str());
    assert_eq!(field("contextfit.degraded"), report.degraded.to_string());
    assert_eq!(
        field("contextfit.split_turn"),
        report.split_turn.to_string()
    );
    assert_eq!(
        record.field("gen_ai.request.model"),
        report.model.as_deref()
    );
}

#[tokio::test]
async fn a_fit_is_a_span_with_what_it_came_to_and_what_happened_in_it() {
    let summary = Summary::new("They worked.").usage(
        Usage::new(2_000, 40)
            .cached(500)
            .cache_written(20)
            .stop(Some(Stop::Length)),
    );
    let blank = || Scribe::new(" ");
    for (builder, request) in [
        (small().summarizer(Scribe::new(summary)), chat(40, 100)),
        (small(), chat(40, 100)),
        (small().clip_user_messages(true), questions(1, 3_500)),
        (
            small()
                .summarizer(blank())
                .failed_summary(FailedSummary::Archive),
            chat(40, 100),
        ),
        (
            small().recent_budget().summarizer(Scribe::default()),
            agent(1, 20, 100, unique),
        ),
    ] {
        let traced = Traced::default();
        let _guard = traced.start();
        let fitted = built(builder.observer(TraceEvents::new()))
            .fit(request)
            .await;
        let report = fitted.expect("it fits").report.expect("it was too long");
        let [span] = &traced.named("contextfit.fit")[..] else {
            panic!("one fit: {traced:?}");
        };
        assert_tells(span, &report);
        let gone = report.summarized + report.archived + report.omitted;
        let compacted = (gone > 0).then_some("true");
        assert_eq!(span.field("gen_ai.conversation.compacted"), compacted);
        assert_eq!(span.field("error.type"), None);
        let [event] = &traced.named("fitted")[..] else {
            panic!("one event: {traced:?}");
        };
        assert_tells(event, &report);
        assert_eq!(event.inside, Some("contextfit.fit"));
        let level = if report.degraded {
            Level::WARN
        } else {
            Level::INFO
        };
        assert_eq!(event.level, level);
        let runs = traced.named("contextfit.summarize");
        assert_eq!(runs.len(), report.summarizer_calls as usize);
        assert!(runs.iter().all(|run| run.inside == Some("contextfit.fit")));
    }
}

#[tokio::test]
async fn a_run_of_the_summarizer_is_a_span_with_what_it_cost() {
    let traced = Traced::default();
    let _guard = traced.start();
    // A model with a trace of its own, which answers after a while.
    let model = service_fn(async |request: ChatRequest| {
        contextfit_tests::pending(2).await;
        tracing::event!(target: "contextfit", Level::INFO, contextfit.event = "own", "it works");
        let reply = ChatMessage::assistant("They worked.");
        let response = ChatResponse::new(request.model, reply, "stop").usage(2_000, 40);
        Ok::<_, BoxError>(response)
    });
    let fitter = small().summarizer(chat_summarizer(model, "a-summarizer"));
    let fitter = built(fitter.observer(TraceEvents::new()));
    let report = fitter.fit(chat(40, 100)).await.expect("fits").report;
    let report = report.expect("it was too long");

    let [run] = &traced.named("contextfit.summarize")[..] else {
        panic!("one run: {traced:?}");
    };
    for (name, value) in [
        ("gen_ai.operation.name", "summarize"),
        ("gen_ai.request.model", "a-summarizer"),
        ("gen_ai.usage.input_tokens", "2000"),
        ("gen_ai.usage.output_tokens", "40"),
        ("gen_ai.response.finish_reasons", r#"["stop"]"#),
        ("contextfit.purpose", "compaction"),
        ("contextfit.summary.kind", "history"),
    ] {
        assert_eq!(run.field(name), Some(value), "{name}");
    }
    assert_eq!(
        run.number("contextfit.messages.read"),
        Some(report.summarized as u64)
    );
    for name in ["own", "summary_run"] {
        assert_eq!(traced.named(name)[0].inside, Some("contextfit.summarize"));
    }
    let told = &traced.named("summary_run")[0];
    assert_eq!(told.field("gen_ai.request.model"), Some("a-summarizer"));
    assert_eq!(told.number("gen_ai.usage.output_tokens"), Some(40));
}

#[tokio::test]
async fn what_goes_wrong_is_a_kind_of_error() {
    let traced = Traced::default();
    let _guard = traced.start();
    let fitter = small().failed_summary(FailedSummary::Refuse);
    let fitter = fitter
        .summarizer(Scribe::new(" "))
        .observer(TraceEvents::new());
    built(fitter).fit(chat(40, 100)).await.expect_err("refused");
    let error = |name| traced.named(name)[0].field("error.type").map(str::to_owned);
    assert_eq!(error("contextfit.fit").as_deref(), Some("blank"));
    assert_eq!(error("summary_refused").as_deref(), Some("blank"));
    assert_eq!(error("refused").as_deref(), Some("blank"));
    assert_eq!(error("contextfit.summarize").as_deref(), Some("blank"));

    let failing = contextfit_tower::summarizer_fn(async |_| Err::<Summary, _>("no connection"));
    let fitter = small().summarizer(failing).observer(TraceEvents::new());
    built(fitter)
        .fit(chat(40, 100))
        .await
        .expect("sent as it is");
    let run = &traced.named("contextfit.summarize")[1];
    assert_eq!(run.field("error.type"), Some("summarizer_failed"));
}

#[tokio::test]
async fn no_span_is_entered_while_a_fit_waits() {
    let traced = Traced::default();
    let _guard = traced.start();
    let fitter = built(small().summarizer(Scribe::default().pending(3)));
    let mut fit = task::spawn(fitter.fit(chat(40, 100)));
    let mut waits = 0;
    while fit.poll().is_pending() {
        assert!(Span::current().is_none());
        waits += 1;
    }
    assert_eq!(waits, 3);
    assert_eq!(traced.records().len(), 2);
}

#[tokio::test]
async fn a_request_that_fits_is_one_event_and_no_span() {
    let traced = Traced::default();
    let _guard = traced.start();
    let fitter = built(small().observer(TraceEvents::new()));
    let layer = ContextFitLayer::new(fitter).usage(ChatUsageReader);
    let request = chat(3, 50);
    let provider = provider(100_000);
    let sent = layer
        .layer(bottom(&provider))
        .oneshot(request.clone())
        .await;
    sent.expect("answered");
    let [passed, usage] = &traced.records()[..] else {
        panic!("{traced:?}");
    };
    assert_eq!((&*passed.name, passed.level), ("passed", Level::DEBUG));
    assert_eq!(
        passed.number("contextfit.tokens.estimated"),
        Some(estimate(&request))
    );
    assert_eq!((&*usage.name, usage.level), ("usage", Level::DEBUG));
    assert_eq!(usage.field("contextfit.purpose"), Some("answer"));
    assert_eq!(
        usage.number("gen_ai.usage.input_tokens"),
        Some(estimate(&request))
    );
}

#[tokio::test]
async fn an_overflow_and_what_comes_of_it_are_told() {
    for (request, names) in [
        (
            chat(12, 100),
            [
                "passed",
                "overflow",
                "contextfit.fit",
                "fitted",
                "recovered",
            ],
        ),
        (
            questions(1, 2_500),
            ["passed", "overflow", "not_recovered", "", ""],
        ),
    ] {
        let traced = Traced::default();
        let _guard = traced.start();
        let fitter = built(small().observer(TraceEvents::new()));
        let provider = provider(100_000).overflow_calls(1);
        let _ = send(
            &Shape::Joint.around(bottom(&provider), &fitter),
            request.clone(),
        )
        .await;
        let records = traced.records();
        let told: Vec<_> = records.iter().map(|record| &*record.name).collect();
        let names: Vec<_> = names.into_iter().filter(|name| !name.is_empty()).collect();
        assert_eq!(told, names);
        let overflow = &records[1];
        assert_eq!(overflow.level, Level::WARN);
        assert_eq!(overflow.field("contextfit.recovering"), Some("true"));
        assert_eq!(overflow.field("contextfit.overflow.scope"), Some("total"));
        assert!(overflow.number("contextfit.overflow.limit").is_some());
    }
}

#[tokio::test]
async fn a_request_over_its_limit_is_a_warning() {
    for (builder, name) in [
        (small(), "stuck"),
        (small().when_stuck(WhenStuck::Refuse), "refused"),
    ] {
        let traced = Traced::default();
        let _guard = traced.start();
        let fitter = built(builder.observer(TraceEvents::new()));
        let _ = fitter.fit(questions(1, 3_500)).await;
        let [told] = &traced.records()[..] else {
            panic!("{traced:?}");
        };
        assert_eq!((&*told.name, told.level), (name, Level::WARN));
    }
}
