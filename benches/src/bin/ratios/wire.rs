use std::borrow::Cow;
use std::fmt;
use std::hint::black_box;

use contextfit_benches::{history, planners};
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_providers::wire::{WireFormat, WireRequest};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{row, title};

/// Reading a body, measuring and planning, in times of one borrowed parse.
const MEASURED_AND_PLANNED: Option<Goal> = Some(Goal::AtMost(1.3));
const TOKENS: usize = 1_000_000;
const WINDOW: u64 = 250_000;
const ROUNDS: usize = 60;

/// A body of 4 MB as it comes over the wire, against one parse by serde that borrows what it can.
pub(crate) fn print() {
    let body = serde_json::to_vec(&history(3_600, TOKENS)).expect("it can be written");
    title(&format!(
        "A body of {:.1} MB, in times of one borrowed parse",
        body.len() as f64 / 1e6
    ));
    let planners = planners();
    let body = bytes::Bytes::from(body);
    let parse = || WireRequest::parse(WireFormat::OpenAiChat, black_box(&body).clone());
    let mut all = Comparison::default();
    let borrowed = all.add("one borrowed parse", None, || {
        let request: Request<'_> = serde_json::from_slice(black_box(&body)).expect("it is JSON");
        black_box(request.messages.iter().map(Message::reads).sum::<usize>());
    });
    all.add("read", None, || {
        black_box(parse()).expect("it is a request");
    });
    all.add("read, measured", None, || {
        let request = parse().expect("it is a request");
        black_box(measure(&request, &CharEstimator::default()));
    });
    for planner in &planners {
        let name = format!("read, planned: {}", planner.name);
        all.add(name, MEASURED_AND_PLANNED, || {
            let request = parse().expect("it is a request");
            black_box(planner.check_and_plan(&request, WINDOW));
        });
    }
    let sides = all.measure(ROUNDS);
    for side in &sides {
        let ratio = side.times.ratio(&sides[borrowed].times);
        row(&side.name, ratio, 2, side.goal);
    }
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

/// What has to be read of a message to cut it: role, ids, and what its content is.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    content: Content,
    #[serde(borrow, default)]
    tool_calls: Vec<Call<'a>>,
    #[serde(borrow)]
    tool_call_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
}

impl Message<'_> {
    fn reads(&self) -> usize {
        let ids = self.tool_calls.iter().map(|call| call.id.len());
        let answered = self.tool_call_id.as_ref().map_or(0, |id| id.len());
        self.role.len() + self.content.0 + ids.sum::<usize>() + answered
    }
}

/// How many parts a content has; a text is one.
struct Content(usize);

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Kinds;

        impl<'de> Visitor<'de> for Kinds {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a content")
            }

            fn visit_unit<E>(self) -> Result<Content, E> {
                Ok(Content(0))
            }

            fn visit_str<E>(self, _: &str) -> Result<Content, E> {
                Ok(Content(1))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Content, A::Error> {
                let mut count = 0;
                while parts.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Content(count))
            }
        }

        deserializer.deserialize_any(Kinds)
    }
}
