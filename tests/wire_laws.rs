//! The laws of wire formats: bodies that a provider takes, in any way a client may write them,
//! under every shipped policy at any window, through a cut and through a retry.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use contextfit_core::cut::CutPolicy;
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::plan::Step;
use contextfit_core::table::Pins;
use contextfit_providers::wire::{WireFormat, WireRequest};
use contextfit_testing::strategies::{HostilePolicy, hostile_policies};
use contextfit_testing::wire::{WireCheck, WireRules, wire_bytes};
use contextfit_tests::shipped_policies;
use contextfit_tower::{
    ContextFitLayer, FailedSummary, FitError, FitReport, Fitter, HeadSummarizer, Overflow, Scope,
    classifier_fn,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tower::{ServiceBuilder, ServiceExt, service_fn};

const FORMATS: [(WireFormat, WireRules); 6] = [
    (WireFormat::OpenAiChat, WireRules::OpenAiChat),
    (WireFormat::OpenAiResponses, WireRules::OpenAiResponses),
    (WireFormat::AnthropicMessages, WireRules::AnthropicMessages),
    (WireFormat::Gemini, WireRules::Gemini),
    (WireFormat::BedrockConverse, WireRules::BedrockConverse),
    (WireFormat::OllamaChat, WireRules::OllamaChat),
];

/// A body as bytes, which is printed as the text that it is.
#[derive(Clone)]
struct Written(Vec<u8>);

impl std::fmt::Debug for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl std::ops::Deref for Written {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

/// A body, and what is done with it.
#[derive(Clone, Debug)]
struct Case {
    format: WireFormat,
    rules: WireRules,
    /// How strictly the rules are meant.
    check: WireCheck,
    body: Written,
    /// The window, in percent of what the conversation needs.
    window: u64,
    policy: Index,
    /// A policy that no one would write, in place of that.
    hostile: Option<HostilePolicy>,
    pins: (bool, bool),
    has_summarizer: bool,
    clip_user_messages: bool,
}

impl Case {
    fn parse(&self) -> WireRequest {
        WireRequest::parse(self.format, self.body.0.clone())
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    fn fitter(&self, window: u64) -> Fitter {
        let (task, last_user) = self.pins;
        let policy: Arc<dyn CutPolicy> = match &self.hostile {
            Some(policy) => Arc::new(*policy),
            None => self.policy.get(&shipped_policies()).1.clone(),
        };
        let builder = Fitter::builder()
            .window(window.max(4))
            .policy(policy)
            .pins(Pins { task, last_user })
            .failed_summary(FailedSummary::Omit)
            .clip_user_messages(self.clip_user_messages);
        let builder = if self.has_summarizer {
            builder.summarizer(HeadSummarizer)
        } else {
            builder
        };
        builder.build().expect("the settings can work")
    }

    fn needed(&self) -> u64 {
        measure(&self.parse(), &CharEstimator::default()).prompt()
    }
}

fn cases(turns: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    any::<Index>().prop_flat_map(move |which| {
        let (format, rules) = *which.get(&FORMATS);
        cases_of(format, rules, rules.into(), turns.clone())
    })
}

fn cases_of(
    format: WireFormat,
    rules: WireRules,
    check: WireCheck,
    turns: std::ops::Range<usize>,
) -> impl Strategy<Value = Case> {
    let body = wire_bytes(check, turns);
    (
        body,
        3..130_u64,
        any::<Index>(),
        any::<(bool, bool)>(),
        any::<(bool, bool)>(),
    )
        .prop_map(
            move |(body, window, policy, pins, (has_summarizer, clip_user_messages))| Case {
                format,
                rules,
                check,
                body: Written(body),
                window,
                policy,
                hostile: None,
                pins,
                has_summarizer,
                clip_user_messages,
            },
        )
}

/// The fields of an object, each as it is written, in order.
#[derive(Debug)]
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry::<String, &RawValue>()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Visitor)
    }
}

/// The messages of a body, each as it is written, and all other fields.
fn taken_apart(rules: WireRules, body: &[u8]) -> (Vec<&str>, Vec<(String, &str)>) {
    let Fields(fields) = serde_json::from_slice(body).expect("JSON");
    let (lists, others): (Vec<_>, Vec<_>) = fields
        .into_iter()
        .partition(|(name, _)| name == rules.messages());
    let list = lists[0].1.get();
    let messages: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_else(|_| vec![lists[0].1]);
    let messages = messages.into_iter().map(RawValue::get).collect();
    let others = others.into_iter().map(|(name, value)| (name, value.get()));
    (messages, others.collect())
}

fn check(check: impl Into<WireCheck>, body: &[u8]) -> Result<(), TestCaseError> {
    let value: Value = serde_json::from_slice(body).expect("JSON");
    check.into().check(&value).map_err(|broken| {
        TestCaseError::fail(format!("{broken:?} in {}", String::from_utf8_lossy(body)))
    })
}

/// What is kept is as it was written, and in its order.
fn kept_as_written(case: &Case, report: &FitReport, after: &[u8]) -> Result<(), TestCaseError> {
    let (before, fields_before) = taken_apart(case.rules, &case.body);
    let (after, fields_after) = taken_apart(case.rules, after);
    prop_assert_eq!(report.plan.steps().count(), after.len());
    for (step, after) in report.plan.steps().zip(after) {
        match step {
            Step::Keep(message) => prop_assert_eq!(after, before[message]),
            Step::Clip(message, clips) => {
                let texts: BTreeSet<&str> = clips.iter().map(|clip| &*clip.text).collect();
                let [before, after] = [before[message], after]
                    .map(|message| serde_json::from_str::<Value>(message).expect("JSON"));
                prop_assert!(differ_in_texts(&before, &after, &texts), "{before} {after}");
            }
            Step::Summary(text) => {
                let message: Map<String, Value> = serde_json::from_str(after).expect("JSON");
                prop_assert_eq!(&message["role"], "user");
                prop_assert!(
                    Value::from(message)
                        .to_string()
                        .contains(&Value::from(text).to_string())
                );
            }
        }
    }
    if report.plan.lowered_output().is_none() {
        prop_assert_eq!(fields_before, fields_after);
    }
    Ok(())
}

/// Whether two values are the same but for texts that are among `texts`.
fn differ_in_texts(before: &Value, after: &Value, texts: &BTreeSet<&str>) -> bool {
    match (before, after) {
        (Value::String(before), Value::String(after)) => {
            before == after || texts.contains(after.as_str())
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len()
                && before
                    .iter()
                    .zip(after)
                    .all(|(before, after)| differ_in_texts(before, after, texts))
        }
        (Value::Object(before), Value::Object(after)) => {
            before.keys().eq(after.keys())
                && before
                    .values()
                    .zip(after.values())
                    .all(|(before, after)| differ_in_texts(before, after, texts))
        }
        _ => before == after,
    }
}

/// Cuts a body: what is sent, and that it is taken.
fn cut(case: &Case) -> Result<Option<WireRequest>, TestCaseError> {
    let fitter = case.fitter(case.needed() * case.window / 100);
    let fitted = match tokio_test::block_on(fitter.fit(case.parse())) {
        Ok(fitted) => fitted,
        Err(failure) => {
            let is_too_large = matches!(
                failure.error,
                FitError::NoRoom(_) | FitError::CannotFit { .. }
            );
            prop_assert!(is_too_large, "{:?}", failure.error);
            prop_assert_eq!(failure.request.into_body(), &case.body.0);
            return Ok(None);
        }
    };
    if let Some(report) = &fitted.report {
        kept_as_written(case, report, fitted.request.body())?;
        // What is made is read as it was planned.
        let measured = fitter.measure(&fitted.request);
        let measured = measured.expect("it was measured before");
        prop_assert_eq!(measured.prompt(), report.tokens_after);
    }
    check(case.check, &fitted.request.clone().into_body())?;
    Ok(Some(fitted.request))
}

/// Where the user or the model speaks twice in a row, in messages that could be joined.
fn neighbours(rules: WireRules, body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    let messages = body[rules.messages()].as_array().expect("a list");
    let can_be_joined = |message: &Value| {
        let role = message["role"].as_str().unwrap_or_default();
        let fields = message.as_object().map_or(0, Map::len);
        let content = [&message["content"], &message["parts"]];
        let content = content.into_iter().find(|content| !content.is_null());
        let content = content.filter(|_| fields == 2 && role != "system" && role != "developer");
        content.is_some_and(|content| !content.to_string().contains("functionResponse"))
    };
    let pair = messages
        .windows(2)
        .find(|pair| pair[0]["role"] == pair[1]["role"] && pair.iter().all(can_be_joined));
    pair.map(|pair| format!("{pair:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_body_is_sent_as_it_came_where_it_fits(case in cases(1..9)) {
        check(case.check, &case.body)?;
        let request = case.parse();
        let bytes = request.body().as_ptr();
        prop_assert_eq!(request.clone().into_body(), &case.body.0);
        let fitted = tokio_test::block_on(case.fitter(1 << 40).fit(request)).unwrap();
        prop_assert!(fitted.report.is_none() && !fitted.request.is_edited());
        prop_assert_eq!(fitted.request.into_body().as_ptr(), bytes);
    }

    #[test]
    fn a_body_that_a_provider_takes_is_one_after_a_cut(case in cases(1..9)) {
        cut(&case)?;
    }

    #[test]
    fn a_body_that_a_provider_takes_is_one_whatever_the_policy(
        case in cases(1..9),
        policy in hostile_policies(),
    ) {
        cut(&Case { hostile: Some(policy), ..case })?;
    }

    #[test]
    fn a_call_keeps_its_signature(
        case in cases_of(WireFormat::Gemini, WireRules::Gemini, WireCheck::from(WireRules::Gemini).signed(), 1..9),
    ) {
        cut(&case)?;
    }

    #[test]
    fn a_body_that_a_provider_takes_is_one_after_a_retry(
        case in cases(1..9),
        numbers in proptest::option::of((1..100_u64, any::<bool>())),
    ) {
        let needed = case.needed();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let provider = service_fn({
            let sent = Arc::clone(&sent);
            move |request: WireRequest| {
                let mut sent = sent.lock().unwrap();
                sent.push(request.into_body());
                std::future::ready(if sent.len() == 1 { Err("too long") } else { Ok(()) })
            }
        });
        let classifier = classifier_fn(move |_, result: &Result<(), &str>| {
            result.err().map(|_| match numbers {
                Some((percent, is_total)) => Overflow::new()
                    .input(needed)
                    .limit(needed * percent / 100, if is_total { Scope::Total } else { Scope::Input }),
                None => Overflow::new(),
            })
        });
        let layer = ContextFitLayer::new(case.fitter(1 << 40)).overflow_retry(classifier);
        let service = ServiceBuilder::new().layer(layer).service(provider);
        let _ = tokio_test::block_on(service.oneshot(case.parse()));
        let sent = sent.lock().unwrap();
        prop_assert_eq!(&sent[0], &case.body.0);
        prop_assert!(sent.len() <= 2);
        for body in &*sent {
            check(case.check, body)?;
        }
    }

    #[test]
    fn nobody_speaks_twice_in_a_row_once_neighbours_are_merged(
        case in prop_oneof![
            cases_of(WireFormat::OpenAiChat, WireRules::OpenAiChat, WireCheck::from(WireRules::OpenAiChat).alternating(), 1..9),
            cases_of(WireFormat::AnthropicMessages, WireRules::AnthropicMessages, WireCheck::from(WireRules::AnthropicMessages).alternating(), 1..9),
            cases_of(WireFormat::Gemini, WireRules::Gemini, WireCheck::from(WireRules::Gemini).alternating(), 1..9),
        ],
    ) {
        check(case.check, &case.body)?;
        let sent = cut(&Case { check: case.rules.into(), ..case.clone() })?;
        if let Some(request) = sent {
            let merged = request.merge_neighbours().into_body();
            check(case.rules, &merged)?;
            prop_assert_eq!(neighbours(case.rules, &merged), None);
        }
    }

    /// The client sends all of its history each time, or goes on from what was sent.
    #[test]
    fn a_conversation_that_grows_is_taken_at_every_turn(case in cases(4..9), goes_on: bool) {
        let whole: Value = serde_json::from_slice(&case.body).unwrap();
        let name = case.rules.messages();
        let Some(messages) = whole[name].as_array() else {
            return Ok(());
        };
        let window = case.needed() * case.window / 100;
        let mut history = Vec::new();
        let mut told = 0;
        for end in 1..=messages.len() {
            let mut body = whole.clone();
            body[name] = messages[..end].into();
            if case.rules.check(&body).is_err() {
                continue;
            }
            if goes_on {
                history.extend_from_slice(&messages[told..end]);
                body[name] = history.clone().into();
                told = end;
            }
            let body = Written(serde_json::to_vec(&body).unwrap());
            // The window is one for all turns.
            let turn = Case { body, ..case.clone() };
            let turn = Case { window: window * 100 / turn.needed().max(1), ..turn };
            if let Some(sent) = cut(&turn)? {
                let sent: Value = serde_json::from_slice(&sent.into_body()).unwrap();
                history = sent[name].as_array().unwrap().clone();
            }
        }
    }
}
