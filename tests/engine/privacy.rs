//! What is printed for a log holds no text of the conversation.

use std::fmt::Debug;
use std::future::ready;
use std::sync::{Arc, Mutex};

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::cut::Cut;
use contextfit_core::estimate::CharEstimator;
use contextfit_core::plan::{Clip, Plan, clip_message};
use contextfit_core::summary::Envelope;
use contextfit_testing::summaries::summary_message;
use contextfit_tests::{Shape, bottom, provider, send};
use contextfit_tower::{
    FailedSummary, FitFailure, FitterBuilder, Summary, SummaryJob, WhenStuck, observer_fn,
    summarizer_fn,
};

use crate::{ask, small};

/// Stands in every text, a few characters apart.
const SECRET: &str = "xyzzy";

/// A text of so many tokens that tells it all the time.
fn told(tokens: usize) -> String {
    format!("{SECRET} is it\n").repeat(tokens * 4 / 12 + 1)
}

/// What was printed. Clones share it.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<String>>>);

impl Printed {
    fn print(&self, value: &dyn Debug) {
        let mut printed = self.0.lock().expect("no panic before");
        printed.extend([format!("{value:?}"), format!("{value:#?}")]);
    }

    /// Checks that there is something and that it holds no secret. Whether a word is in it.
    fn check(&self) -> impl Fn(&str) -> bool {
        let printed = std::mem::take(&mut *self.0.lock().expect("no panic before"));
        assert!(!printed.is_empty());
        for text in &printed {
            assert!(!text.contains(SECRET), "{text}");
        }
        move |word| printed.iter().any(|text| text.contains(word))
    }
}

/// Messages that all hold the secret: an earlier summary, calls, results, names.
fn conversation(result: usize) -> ChatRequest {
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
    for index in 0..30 {
        messages.push(ChatMessage::assistant(told(50)));
        let mut question = ChatMessage::user(told(50));
        question.name = Some(format!("{SECRET}-{index}").into());
        messages.push(question);
    }
    let arguments = format!("{{\"path\":\"{SECRET}\"}}");
    messages.push(ChatMessage::assistant(told(10)).call(
        format!("call-{SECRET}"),
        format!("read-{SECRET}"),
        arguments,
    ));
    messages.push(ChatMessage::tool(format!("call-{SECRET}"), told(result)));
    ask(messages)
}

/// What a summarizer gives.
type Gives = fn(&SummaryJob) -> Result<Summary, &'static str>;

const SUMMARIES: [Gives; 5] = [
    |job| Ok(Summary::new(job.head(&told(500), job.max_tokens))),
    |_| Ok(Summary::new(told(5_000))),
    |_| Ok(Summary::new(told(5)).cut_off(true)),
    |_| Ok(Summary::new("")),
    |_| Err("no connection"),
];

fn fitter(gives: Gives, printed: &Printed) -> FitterBuilder {
    let (job, event) = (printed.clone(), printed.clone());
    small()
        .summarizer(summarizer_fn(move |asked: SummaryJob| {
            assert!(asked.transcript.contains(SECRET));
            job.print(&asked);
            let given = gives(&asked);
            job.print(&given);
            ready(given)
        }))
        .observer(observer_fn(move |told| event.print(told)))
}

#[tokio::test]
async fn nothing_that_a_fit_tells_prints_the_conversation() {
    for gives in SUMMARIES {
        for result in [20, 9_000] {
            for failed in [FailedSummary::Untouched, FailedSummary::Omit] {
                for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
                    let printed = Printed::default();
                    let fitter = fitter(gives, &printed)
                        .failed_summary(failed)
                        .when_stuck(when_stuck);
                    let fitter = fitter.build().expect("settings that work");
                    match fitter.fit(conversation(result)).await {
                        Ok(fitted) => {
                            printed.print(&fitted);
                            if let Some(report) = &fitted.report {
                                printed.print(report);
                                printed.print(&report.plan);
                                printed.print(&report.plan.clips());
                            }
                        }
                        Err(failure) => {
                            printed.print(&failure);
                            printed.print(&failure.error);
                            let FitFailure { request, .. } = *failure;
                            assert!(format!("{request:?}").contains(SECRET), "it works");
                        }
                    }
                    let has = printed.check();
                    assert!(has("SummaryJob"));
                }
            }
        }
    }
}

#[tokio::test]
async fn nothing_that_a_recovery_tells_prints_the_conversation() {
    for gives in SUMMARIES {
        for result in [20, 9_000] {
            for shape in Shape::RECOVERING {
                let (provider, printed) = (provider(4_000).overflow_calls(1), Printed::default());
                let fitter = fitter(gives, &printed);
                let fitter = fitter.build().expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                if let Err(error) = send(&stack, conversation(result)).await {
                    printed.print(&error);
                }
                let has = printed.check();
                assert!(has("Overflow") && has("SummaryJob"));
            }
        }
    }
}

#[test]
fn no_part_of_a_plan_prints_the_conversation() {
    let printed = Printed::default();
    let clip = |message, piece| Clip {
        message,
        piece,
        text: told(10),
        omitted_chars: 5,
    };
    for (messages, omitted) in [(7, 0), (7, 7), (7, 2)] {
        printed.print(&Envelope {
            summary: told(10),
            messages,
            omitted,
            ..Envelope::default()
        });
    }
    printed.print(&clip(3, 0));
    printed.print(&[clip(3, 0), clip(4, 1)]);
    let clips = vec![clip(3, 0), clip(5, 1)];
    let plan = Plan::new(Cut::of(6, 1..3), told(10), clips);
    printed.print(&plan.clone().max_output_tokens(Some(5)));
    printed.print(&plan);
    printed.print(&Summary::new(told(10)));
    let request = conversation(9_000);
    let last = request.messages.len() - 1;
    let clipped = clip_message(&request, &CharEstimator::default(), last, 500);
    assert!(clipped.clips[0].text.contains(SECRET));
    printed.print(&clipped);
    let has = printed.check();
    assert!(["Envelope", "Clip", "Plan", "Summary"].into_iter().all(has));
}
