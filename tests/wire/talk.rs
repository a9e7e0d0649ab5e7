//! The work of an agent, written in any format, and what has to hold of it after any cut.

use contextfit_core::budget::BudgetError;
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::request::Conversation;
use contextfit_providers::wire::{WireFormat, WireRequest};
use contextfit_testing::wire::{WireCheck, WireRules};
use contextfit_tests::{Scribe, text};
use contextfit_tower::{FitError, Fitter, FitterBuilder};
use serde_json::Value;

use crate::cuts::{assert_kept_is_untouched, body, cuts, messages};

/// What is said, to be written in a format.
pub(crate) enum Said {
    Task(String),
    /// What the model thinks, and two calls, with ids that come again in later turns.
    Calls {
        plan: String,
        ids: [String; 2],
    },
    Results {
        ids: [String; 2],
        texts: [String; 2],
    },
    Done(String),
}

/// A body, with its messages one by one.
pub(crate) struct Talk {
    pub(crate) format: WireFormat,
    pub(crate) rules: WireRules,
    /// The body up to its first message, and from its last one on.
    pub(crate) around: [&'static str; 2],
    pub(crate) messages: Vec<String>,
    /// What the model wrote, by its label.
    pub(crate) by_model: Vec<(String, String)>,
}

impl Talk {
    /// Two turns, each a task, three rounds of calls and an answer; and a last question.
    pub(crate) fn new(
        (format, rules): (WireFormat, WireRules),
        around: [&'static str; 2],
        write: impl Fn(Said) -> Vec<String>,
    ) -> Self {
        let (mut messages, mut by_model) = (Vec::new(), Vec::new());
        for turn in 0..2 {
            let task = text(&format!("Task {turn}:"), 60);
            messages.extend(write(Said::Task(task)));
            for round in 0..3 {
                let ids = [1, 2].map(|call| format!("call_{round}{call}"));
                let label = format!("Plan {turn}.{round}:");
                let plan = text(&label, 40);
                let written = write(Said::Calls {
                    plan,
                    ids: ids.clone(),
                });
                by_model.extend(written.iter().map(|item| (label.clone(), item.clone())));
                messages.extend(written);
                let texts = [1, 2].map(|call| text(&format!("Result {turn}.{round}.{call}:"), 120));
                messages.extend(write(Said::Results { ids, texts }));
            }
            let label = format!("Done {turn}:");
            let written = write(Said::Done(text(&label, 60)));
            by_model.extend(written.iter().map(|item| (label.clone(), item.clone())));
            messages.extend(written);
        }
        messages.extend(write(Said::Task("And now?".to_owned())));
        Self {
            format,
            rules,
            around,
            messages,
            by_model,
        }
    }

    pub(crate) fn body(&self) -> String {
        body(self.around[0], &self.messages, self.around[1])
    }

    pub(crate) fn parse(&self) -> WireRequest {
        WireRequest::parse(self.format, self.body()).expect("a body")
    }

    pub(crate) async fn cuts(&self) -> Vec<String> {
        cuts(self.format, &self.body()).await
    }

    pub(crate) fn messages_of(&self, body: &str) -> Vec<Value> {
        messages(body, self.rules.messages())
    }

    /// The provider takes the body: calls have their results, turns come in order, there is
    /// something to answer.
    pub(crate) fn assert_taken(&self, body: &str) {
        assert_taken(self.rules, body);
    }

    /// A1: so it does after any cut.
    pub(crate) async fn assert_always_taken(&self) {
        for cut in self.cuts().await {
            self.assert_taken(&cut);
        }
    }

    /// A4: what the model wrote is as it was written, or not there at all. So is all that it wrote
    /// in one answer: what it thought, and what came of that.
    pub(crate) async fn assert_model_is_untouched(&self) {
        for cut in self.cuts().await {
            assert_kept_is_untouched(&cut, self.around[0], &self.by_model, self.around[1]);
            for answer in self.by_model.chunk_by(|one, next| one.0 == next.0) {
                let kept = answer.iter().filter(|(_, written)| cut.contains(written));
                assert!([0, answer.len()].contains(&kept.count()), "{cut}");
            }
        }
    }

    /// A2: what fits is sent byte for byte, and nobody is asked for a summary.
    pub(crate) async fn assert_sent_as_it_came(&self) {
        self.assert_taken(&self.body());
        let asked = self.parse().max_output_tokens().unwrap_or(0);
        let needed = tokens(&self.parse()) + u64::from(asked);
        for window in [needed, needed + 1, 2 * needed, 100 * needed] {
            let scribe = Scribe::default();
            let fitter = Fitter::builder().window(window).reserve(0);
            let fitter = built(fitter.summarizer(scribe.clone()));
            let request = self.parse();
            let bytes = request.body().clone();
            let fitted = fitter.fit(request).await.expect("it fits");
            assert!(fitted.report.is_none());
            let sent = fitted.request.into_body();
            // Not a copy: the very bytes.
            assert_eq!((sent.as_ptr(), sent.len()), (bytes.as_ptr(), bytes.len()));
            assert_eq!(scribe.calls(), 0);
        }
    }

    /// A5: what is said beside the messages, or by the system among them, can't be cut. Where it
    /// alone is too large, that is an error with its size, and the body is given back.
    pub(crate) async fn assert_no_room(&self, system: &str) {
        let long = text("Rule:", 4_000);
        let body = self.body().replacen(system, &long, 1);
        assert!(body.contains(&long));
        let request = WireRequest::parse(self.format, body.clone()).expect("a body");
        let scribe = Scribe::default();
        let fitter = Fitter::builder().window(3_000).summarizer(scribe.clone());
        let failure = built(fitter).fit(request).await.expect_err("no room");
        let FitError::NoRoom(BudgetError::FixedPartTooLarge { fixed, ceiling }) = failure.error
        else {
            panic!("{failure:?}");
        };
        assert!(fixed > 3_900 && ceiling == 3_000);
        assert_eq!(failure.request.into_body(), body);
        assert_eq!(scribe.calls(), 0);
    }

    /// F6: of all cache marks, those stand that stood in what is kept, where they stood; and the
    /// same body is always cut in the same way.
    pub(crate) async fn assert_marks_stay(&self, mark: &str) {
        let marked: Vec<(&str, usize)> = self
            .messages
            .iter()
            .filter(|message| message.contains(mark))
            .map(|message| (label(message), message.matches(mark).count()))
            .collect();
        assert!(!marked.is_empty());
        let beside: usize = self.around.iter().map(|it| it.matches(mark).count()).sum();
        let all = marked.iter().map(|(_, marks)| marks).sum::<usize>() + beside;
        assert_eq!(all, 4);
        let cuts = self.cuts().await;
        for cut in &cuts {
            let kept = marked.iter().filter(|(label, _)| cut.contains(label));
            let kept = kept.map(|(_, marks)| marks).sum::<usize>();
            assert_eq!(cut.matches(mark).count(), kept + beside, "{cut}");
            self.assert_taken(cut);
        }
        assert!(cuts.iter().any(|cut| cut.matches(mark).count() == 4));
        assert_eq!(self.cuts().await, cuts);
    }

    /// F6: an agent that goes on from what was sent is over the limit once in five calls. In the
    /// four others each byte is where it was in the call before.
    pub(crate) async fn assert_prefix_stays(&self, round: impl Fn(usize) -> Vec<String>) {
        let fitter = Fitter::builder().window(tokens(&self.parse())).reserve(0);
        let fitter = built(fitter.summarizer(Scribe::new("They worked.")));
        let after = self.around[1];
        let mut sent = self.body();
        let mut changes = 0;
        for call in 0..5 {
            let start = sent
                .strip_suffix(after)
                .expect("what comes after")
                .to_owned();
            let grown = format!("{start},{}{after}", round(call).join(","));
            let request = WireRequest::parse(self.format, grown).expect("a body");
            let fitted = fitter.fit(request).await.expect("it can be cut");
            let body = String::from_utf8(fitted.request.into_body().into()).expect("UTF-8");
            self.assert_taken(&body);
            assert!(body.starts_with(self.around[0]));
            changes += usize::from(!body.starts_with(&start));
            sent = body;
        }
        assert_eq!(changes, 1);
    }

    /// C4, C5: after five compactions there is one summary. The user gives it, after the system,
    /// before all that is kept but the task.
    pub(crate) async fn assert_one_summary(&self, round: impl Fn(usize) -> Vec<String>) {
        let fitter = Fitter::builder()
            .window(tokens(&self.parse()) / 3)
            .reserve(0);
        let scribe = Scribe::new("They worked.");
        let fitter = built(fitter.summarizer(scribe.clone()));
        let after = self.around[1];
        let mut sent = self.body();
        let mut calls = 0;
        while scribe.calls() < 5 {
            let start = sent.strip_suffix(after).expect("what comes after");
            let grown = format!("{start},{}{after}", round(calls).join(","));
            let request = WireRequest::parse(self.format, grown).expect("a body");
            let fitted = fitter.fit(request).await.expect("it can be cut");
            sent = String::from_utf8(fitted.request.body().to_vec()).expect("UTF-8");
            calls += 1;
            let messages = self.messages_of(&sent);
            let is_summary = |message: &&Value| message.to_string().contains("They worked.");
            assert_eq!(messages.iter().filter(is_summary).count(), 1, "{sent}");
            let place = messages.iter().position(|one| is_summary(&one));
            let place = place.expect("a summary");
            assert_eq!(messages[place]["role"], "user");
            let before = messages[..place].iter();
            assert!(
                before.clone().all(|message| {
                    let role = message["role"].as_str().unwrap_or_default();
                    matches!(role, "system" | "developer")
                        || message.to_string().contains("Task 0:")
                }),
                "{sent}"
            );
        }
        assert!(calls < 50);
    }
}

/// An answer, and what the user asks next, in two turns.
pub(crate) fn question(write: impl Fn(Said) -> Vec<String>, number: usize) -> Vec<String> {
    let answer = write(Said::Done(text(&format!("Answer {number}:"), 60)));
    let asked = write(Said::Task(text(&format!("More {number}:"), 60)));
    let well = write(Said::Done("Well.".to_owned()));
    let next = write(Said::Task("Go on.".to_owned()));
    [answer, asked, well, next].concat()
}

pub(crate) fn assert_taken(check: impl Into<WireCheck>, body: &str) {
    let value: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(check.into().check(&value), Ok(()), "{body}");
}

fn tokens(request: &WireRequest) -> u64 {
    assert!(!request.is_empty());
    measure(request, &CharEstimator::default()).prompt()
}

fn built<A>(fitter: FitterBuilder<A>) -> Fitter<A> {
    fitter.build().expect("settings that work")
}

/// What a message has that no other has, but the calls that it answers.
fn label(message: &str) -> &str {
    let start = [r#""call_"#, "Task ", "And now"]
        .iter()
        .find_map(|word| message.find(word))
        .expect("a label");
    let label = message[start..].trim_start_matches('"');
    &label[..label.find([':', '?', '"']).expect("its end")]
}
