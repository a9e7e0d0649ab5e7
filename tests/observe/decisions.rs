//! Each request is told of by one decision, whatever becomes of it.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::{Arc, Mutex};

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::plan::Plan;
use contextfit_core::request::{
    AdapterError, ApplyError, EditConversation, Hints, RequestAdapter, Switch,
};
use contextfit_core::trigger::Trigger;
use contextfit_tests::{
    Log, Scribe, Shape, agent, bottom, chat, compacted_chat, provider, questions, send, text,
    unique,
};
use contextfit_tower::{
    FailedSummary, FitEvent, Fitter, FitterBuilder, ModelSpec, ModelTable, Observer,
    OversizedFixedPart, Purpose, SummarizeError, Summary, SummaryJob, UnknownWindow, Usage,
    WhenStuck, observer_fn, summarizer_fn,
};

use crate::{built, small};

/// Knows chats, and switches them as it is told to.
#[derive(Clone)]
struct Switched(Switch);

impl RequestAdapter<ChatRequest> for Switched {
    type View<'a> = &'a ChatRequest;

    fn view<'a>(&self, request: &'a ChatRequest) -> Result<&'a ChatRequest, AdapterError> {
        match self.0 {
            Switch::Unreadable => Err(AdapterError::new("messages[0]", "it is no message")),
            _ => Ok(request),
        }
    }

    fn apply(&self, request: &mut ChatRequest, plan: &Plan) -> Result<(), ApplyError> {
        request.apply(plan)
    }

    fn try_clone(&self, request: &ChatRequest) -> Option<ChatRequest> {
        Some(request.clone())
    }

    fn hints(&self, _: &ChatRequest) -> Hints {
        Hints::default().switch(self.0)
    }
}

/// What is told of a request, by name.
async fn told<A>(
    shape: Shape,
    fitter: &Fitter<A>,
    log: &Log,
    overflows: usize,
    request: ChatRequest,
) -> Vec<&'static str>
where
    A: RequestAdapter<ChatRequest> + Clone + Send + Sync + 'static,
{
    let provider = provider(100_000).overflow_calls(overflows);
    let _ = send(&shape.around(bottom(&provider), fitter), request).await;
    log.names()
}

type Settings = fn(FitterBuilder) -> FitterBuilder;

/// A request, how it is fitted, and what is told of it.
type Path = (ChatRequest, Settings, &'static [&'static str]);

fn fixed(tokens: usize) -> ChatRequest {
    let mut request = chat(3, 50);
    request.messages[0] = ChatMessage::system(text("Obey.", tokens));
    request
}

/// A summarizer without an answer that could be used.
fn blank() -> Scribe {
    Scribe::new(" ")
}

#[tokio::test]
async fn a_request_that_is_fitted_before_it_is_sent_is_told_of_once() {
    let paths: [Path; 13] = [
        (chat(3, 50), |builder| builder, &["passed"]),
        (chat(40, 100), |builder| builder, &["fitted"]),
        (
            chat(40, 100),
            |builder| builder.summarizer(Scribe::default()),
            &["summary_run", "fitted"],
        ),
        (
            agent(1, 20, 100, unique),
            |builder| builder.recent_budget().summarizer(Scribe::default()),
            &["summary_run", "fitted"],
        ),
        (
            chat(40, 100),
            |builder| builder.summarizer(blank()),
            &["summary_run", "summary_refused", "stuck"],
        ),
        (
            chat(40, 100),
            |builder| {
                builder
                    .summarizer(blank())
                    .failed_summary(FailedSummary::Archive)
            },
            &["summary_run", "summary_refused", "fitted"],
        ),
        (
            chat(40, 100),
            |builder| {
                builder
                    .summarizer(blank())
                    .failed_summary(FailedSummary::Refuse)
            },
            &["summary_run", "summary_refused", "refused"],
        ),
        // Worth a try, but no more.
        (
            chat(12, 100),
            |builder| {
                builder
                    .soft_trigger(Trigger::Share(0.5))
                    .summarizer(blank())
            },
            &["summary_run", "summary_refused", "passed"],
        ),
        (
            chat(12, 100),
            |builder| builder.hard_trigger(Trigger::Share(0.5)),
            &["fitted"],
        ),
        (questions(1, 3_500), |builder| builder, &["stuck"]),
        (
            questions(1, 3_500),
            |builder| builder.when_stuck(WhenStuck::Refuse),
            &["refused"],
        ),
        (fixed(4_500), |builder| builder, &["refused"]),
        (
            fixed(4_500),
            |builder| builder.oversized_fixed_part(OversizedFixedPart::Send),
            &["stuck"],
        ),
    ];
    for (request, settings, expected) in paths {
        for shape in Shape::FITTING {
            let log = Log::default();
            let fitter = built(settings(small()).observer(log.clone()));
            let names = told(shape, &fitter, &log, 0, request.clone()).await;
            assert_eq!(
                (names, log.decisions()),
                (expected.to_vec(), 1),
                "{shape:?}"
            );
        }
        let log = Log::default();
        let fitter = built(settings(small()).observer(log.clone()));
        let _ = fitter.fit(request).await;
        assert_eq!((log.names(), log.decisions()), (expected.to_vec(), 1));
    }
}

#[tokio::test]
async fn a_request_that_is_left_alone_is_told_of_once_by_each_layer() {
    let switches = [
        (Switch::Off, "switched_off"),
        (Switch::HistoryElsewhere, "history_elsewhere"),
        (Switch::Unreadable, "unreadable"),
    ];
    for shape in Shape::ALL {
        let layers = if shape == Shape::Stacked { 2 } else { 1 };
        for (switch, name) in switches {
            let log = Log::default();
            let fitter = small().observer(log.clone()).adapter(Switched(switch));
            let fitter = fitter.build().expect("settings that work");
            // Neither before it is sent nor after an overflow is anything else told.
            let names = told(shape, &fitter, &log, 1, chat(40, 100)).await;
            assert_eq!((names, log.decisions()), (vec![name; layers], layers));
        }
    }
    let log = Log::default();
    let fitter = built(small().enabled(false).observer(log.clone()));
    let names = told(Shape::Fit, &fitter, &log, 0, chat(40, 100)).await;
    assert_eq!((names, log.decisions()), (vec!["switched_off"], 1));

    let log = Log::default();
    let others = ModelTable::new().model("another", ModelSpec::new(4_000));
    let fitter = small()
        .models(others)
        .unknown_window(UnknownWindow::LeaveAlone);
    let fitter = built(fitter.observer(log.clone()));
    let names = told(Shape::Joint, &fitter, &log, 1, chat(40, 100)).await;
    assert_eq!((names, log.decisions()), (vec!["unknown_model"], 1));
}

#[tokio::test]
async fn what_comes_of_an_overflow_is_told_once() {
    let paths: [(ChatRequest, Settings, usize, &[&str]); 7] = [
        (
            chat(12, 100),
            |builder| builder,
            1,
            &["overflow", "fitted", "recovered"],
        ),
        (
            chat(12, 100),
            |builder| builder,
            2,
            &["overflow", "fitted", "overflow"],
        ),
        (
            chat(12, 100),
            |builder| builder.summarizer(Scribe::default()),
            1,
            &["overflow", "summary_run", "fitted", "recovered"],
        ),
        (
            chat(12, 100),
            |builder| builder.summarizer(blank()),
            1,
            &[
                "overflow",
                "summary_run",
                "summary_refused",
                "not_recovered",
            ],
        ),
        (
            questions(1, 2_500),
            |builder| builder,
            1,
            &["overflow", "not_recovered"],
        ),
        (
            questions(1, 2_500),
            |builder| builder.resend_unchanged(true),
            1,
            &["overflow", "not_recovered", "recovered"],
        ),
        // Nothing but instructions: there is nothing to cut.
        (
            ChatRequest::new("a-model", [ChatMessage::system(text("Obey.", 1_000))]),
            |builder| builder,
            1,
            &["overflow", "not_recovered"],
        ),
    ];
    for (request, settings, overflows, expected) in paths {
        for shape in Shape::RECOVERING {
            let log = Log::default();
            let fitter = built(settings(small()).observer(log.clone()));
            let names = told(shape, &fitter, &log, overflows, request.clone()).await;
            let decision: &[&str] = match shape {
                Shape::Retry => &[],
                _ => &["passed"],
            };
            assert_eq!(names, [decision, expected].concat(), "{shape:?}");
            assert_eq!(log.decisions(), decision.len());
        }
    }
}

const PRESETS: [Settings; 2] = [FitterBuilder::topic_and_half, FitterBuilder::recent_budget];

/// What a summarizer gives.
type Gives = fn(&SummaryJob) -> Result<Summary, SummarizeError>;

#[tokio::test]
async fn whatever_is_set_there_is_one_decision() {
    let gives: [Gives; 5] = [
        |_| Ok(Summary::new("They worked.")),
        |job| Ok(Summary::new(text("They", 2 * job.max_tokens as usize + 10))),
        |_| Ok(Summary::new("")),
        |_| Err(SummarizeError::failed("no connection")),
        |_| Err(SummarizeError::abort("cancelled")),
    ];
    let requests = [
        chat(5, 50),
        chat(40, 100),
        compacted_chat(),
        agent(2, 9, 80, unique),
    ];
    let mut names = BTreeSet::new();
    for request in requests {
        for preset in PRESETS {
            for give in gives {
                for failed in [
                    FailedSummary::Untouched,
                    FailedSummary::Omit,
                    FailedSummary::Archive,
                    FailedSummary::Refuse,
                ] {
                    for stuck in [WhenStuck::Send, WhenStuck::Refuse] {
                        let log = Log::default();
                        let fitter = preset(small())
                            .soft_trigger(Trigger::Share(0.1))
                            .failed_summary(failed)
                            .when_stuck(stuck)
                            .summarizer(summarizer_fn(move |job: SummaryJob| ready(give(&job))))
                            .observer(log.clone());
                        let fitter = built(fitter);
                        for shape in [Shape::Fit, Shape::Joint] {
                            let before = log.decisions();
                            told(shape, &fitter, &log, 1, request.clone()).await;
                            assert_eq!(log.decisions(), before + 1, "{:?}", log.names());
                        }
                        names.extend(log.names());
                    }
                }
            }
        }
    }
    for name in [
        "passed",
        "fitted",
        "stuck",
        "refused",
        "not_recovered",
        "recovered",
    ] {
        assert!(names.contains(name), "{name} in {names:?}");
    }
}

/// What calls cost, with what they were made for.
#[derive(Clone, Default)]
struct Costs(Arc<Mutex<Vec<(Purpose, Usage)>>>);

impl Costs {
    fn observer(&self) -> impl Observer + use<> {
        let costs = Arc::clone(&self.0);
        observer_fn(move |event| costs.lock().expect("no panic").extend(event.usage()))
    }

    fn take(&self) -> Vec<(Purpose, Usage)> {
        std::mem::take(&mut *self.0.lock().expect("no panic"))
    }
}

#[tokio::test]
async fn what_a_summary_costs_is_told_once_whatever_becomes_of_it() {
    let cost = Usage::new(2_000, 40);
    for summary in ["They worked.", " "] {
        for shape in Shape::FITTING {
            let (costs, log) = (Costs::default(), Log::default());
            let fitter = small()
                .summarizer(Scribe::new(Summary::new(summary).usage(cost)))
                .observer(costs.observer().and(log.clone()));
            let fitter = built(fitter);
            told(shape, &fitter, &log, 0, chat(40, 100)).await;
            assert_eq!(costs.take(), [(Purpose::Compaction, cost)]);
            let reported = log
                .reports()
                .first()
                .and_then(|report| report.summarizer_usage);
            assert_eq!(reported, (summary != " ").then_some(cost));
        }
    }
}

#[test]
fn two_observers_are_one_and_the_first_hears_first() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = |name: &'static str| {
        let heard = Arc::clone(&heard);
        observer_fn(move |event| heard.lock().expect("no panic").push((name, event.name())))
    };
    let observers: [Box<dyn Observer>; 2] = [
        Box::new(hears("first").and(hears("second"))),
        Box::new((hears("first"), hears("second"))),
    ];
    for observer in observers {
        let event = FitEvent::SwitchedOff { model: None };
        observer.on_event(&event);
        let heard = std::mem::take(&mut *heard.lock().expect("no panic"));
        assert_eq!(
            heard,
            [("first", "switched_off"), ("second", "switched_off")]
        );
    }
}
