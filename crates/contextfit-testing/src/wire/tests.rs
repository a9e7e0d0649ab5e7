//! What the tests of the formats have in common, and what holds for all of them.

use serde_json::Value;

use super::{Rule, Violation, WireCheck};

/// An edit that makes a good body bad, and what is then found where.
pub(super) type Bad = (&'static str, Rule, fn(&mut Value));

/// Every one of `bad` is refused for its reason, and `good` isn't.
#[track_caller]
pub(super) fn refuses(check: impl Into<WireCheck>, good: &Value, bad: &[Bad]) {
    let check = check.into();
    assert_eq!(check.check(good), Ok(()), "before any edit");
    for (place, rule, edit) in bad {
        let mut body = good.clone();
        edit(&mut body);
        let found = check.check(&body).expect_err(place);
        let place = (*place).to_owned();
        let rule = *rule;
        let wanted = Violation { place, rule };
        assert!(
            found.contains(&wanted),
            "{wanted}\nin {body}\nbut {found:?}"
        );
    }
}

/// Every edit of a good body leaves it good.
#[track_caller]
pub(super) fn takes(check: impl Into<WireCheck>, good: &Value, edits: &[fn(&mut Value)]) {
    let check = check.into();
    for (at, edit) in edits.iter().enumerate() {
        let mut body = good.clone();
        edit(&mut body);
        assert_eq!(check.check(&body), Ok(()), "edit {at}: {body}");
    }
}

/// Takes one out of a list.
pub(super) fn remove(list: &mut Value, at: usize) {
    list.as_array_mut().expect("a list").remove(at);
}

/// Puts one into a list.
pub(super) fn insert(list: &mut Value, at: usize, value: Value) {
    list.as_array_mut().expect("a list").insert(at, value);
}

/// Takes a field away.
pub(super) fn strip(object: &mut Value, name: &str) {
    object.as_object_mut().expect("an object").remove(name);
}

#[cfg(feature = "proptest")]
mod generated {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use serde_json::{Value, json};

    use super::super::breaks::all_breaks;
    use super::super::choices::Choices;
    use super::super::{WireCheck, WireRules, conversations, wire_bytes};

    fn run(cases: u32, check: WireCheck, test: impl Fn(&Value) -> Result<(), TestCaseError>) {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
        let strategy = conversations(check, 1..5);
        let result = runner.run(&strategy, |body| test(&body));
        result.unwrap_or_else(|error| panic!("{check:?}: {error}"));
    }

    #[test]
    fn every_body_that_is_made_passes() {
        for rules in WireRules::ALL {
            for check in [
                WireCheck::from(rules),
                WireCheck::from(rules).alternating(),
                WireCheck::from(rules).signed(),
            ] {
                run(50, check, |body| {
                    prop_assert_eq!(check.check(body), Ok(()));
                    // What is valid by stricter rules is by the provider's own.
                    prop_assert_eq!(rules.check(body), Ok(()));
                    Ok(())
                });
            }
        }
    }

    /// Breaks each of many good bodies in every way that applies to it: each is refused, and no
    /// way is never tried.
    #[test]
    fn every_body_that_is_broken_is_refused() {
        for rules in WireRules::ALL {
            let check = WireCheck::from(rules).signed();
            let breaks = all_breaks(rules);
            let tried = std::cell::RefCell::new(BTreeSet::new());
            run(100, check, |good| {
                for (seed, (name, make)) in (1..).zip(&breaks) {
                    let mut body = good.clone();
                    if !make(&mut body, &mut Choices::new(seed)) {
                        continue;
                    }
                    tried.borrow_mut().insert(*name);
                    prop_assert!(check.check(&body).is_err(), "{}: {}", name, body);
                }
                Ok(())
            });
            for (name, _) in breaks {
                assert!(
                    tried.borrow().contains(name),
                    "{rules:?}: {name} is never tried"
                );
            }
        }
    }

    #[test]
    fn bodies_are_of_one_message_and_of_many() {
        let mut runner = TestRunner::deterministic();
        let mut sizes = |rules: WireRules, turns: std::ops::Range<usize>| -> Vec<usize> {
            let bodies = conversations(rules, turns);
            let size = |_| {
                let body = bodies.new_tree(&mut runner).expect("a body").current();
                body[rules.messages()].as_array().map_or(1, Vec::len)
            };
            (0..250).map(size).collect()
        };
        for rules in WireRules::ALL {
            assert!(sizes(rules, 1..2).contains(&1), "{rules:?}");
            assert!(
                sizes(rules, 7..8).iter().any(|&size| size > 30),
                "{rules:?}"
            );
        }
    }

    /// What users send is there, format by format: a word that must occur in some body.
    #[test]
    fn what_users_send_is_there() {
        let mut runner = TestRunner::deterministic();
        for (rules, words) in [
            (
                WireRules::OpenAiChat,
                vec![
                    "\"developer\"",
                    "\"system\"",
                    "image_url",
                    "input_audio",
                    "file_data",
                    "reasoning_content",
                    "\"custom\"",
                    "cache_control",
                    "\"name\":\"Ann-1\"",
                    "\"content\":null",
                    "json_schema",
                    "max_completion_tokens",
                    "max_tokens",
                    "\"stream\":true",
                    "x_trace",
                    "data:image/png",
                    "https://example.com",
                ],
            ),
            (
                WireRules::OpenAiResponses,
                vec![
                    "instructions",
                    "\"developer\"",
                    "\"reasoning\"",
                    "encrypted_content",
                    "custom_tool_call_output",
                    "local_shell_call",
                    "computer_call_output",
                    "web_search_call",
                    "input_image",
                    "input_file",
                    "output_text",
                    "max_output_tokens",
                    "\"input\":\"",
                    "x_trace",
                ],
            ),
            (
                WireRules::AnthropicMessages,
                vec![
                    "\"system\":\"",
                    "\"system\":[",
                    "cache_control",
                    "\"thinking\":\"",
                    "redacted_thinking",
                    "signature",
                    "is_error",
                    "\"document\"",
                    "\"base64\"",
                    "\"url\"",
                    "\"enabled\"",
                    "\"adaptive\"",
                    "x_trace",
                ],
            ),
            (
                WireRules::Gemini,
                vec![
                    "systemInstruction",
                    "system_instruction",
                    "thoughtSignature",
                    "thought_signature",
                    "inlineData",
                    "fileData",
                    "\"function\"",
                    "\"thought\":true",
                    "maxOutputTokens",
                    "responseSchema",
                    "gemini-3",
                    "x_trace",
                ],
            ),
            (
                WireRules::BedrockConverse,
                vec![
                    "cachePoint",
                    "reasoningText",
                    "redactedContent",
                    "\"json\"",
                    "\"document\"",
                    "s3Location",
                    "\"status\":\"error\"",
                    "inferenceConfig",
                    "toolConfig",
                    "x_trace",
                ],
            ),
            (
                WireRules::OllamaChat,
                vec![
                    "tool_name",
                    "tool_call_id",
                    "\"images\":[",
                    "\"thinking\"",
                    "num_ctx",
                    "\"format\"",
                    "\"think\":true",
                    "x_trace",
                ],
            ),
        ] {
            let bodies = conversations(rules, 1..5);
            let many = (0..200).map(|_| {
                let tree = bodies.new_tree(&mut runner).expect("a body");
                tree.current().to_string()
            });
            let all: Vec<String> = many.collect();
            for word in words {
                let found = all.iter().any(|body| body.contains(word));
                assert!(found, "{rules:?}: {word} never occurs");
            }
        }
    }

    /// Ids come again in later messages where providers take that.
    #[test]
    fn ids_come_again() {
        let mut runner = TestRunner::deterministic();
        for (rules, id) in [
            (WireRules::OpenAiChat, "\"tool_call_id\":\"call_0\""),
            (WireRules::OpenAiResponses, "\"call_id\":\"call_0\""),
            (WireRules::BedrockConverse, "\"toolUseId\":\"tooluse_0\""),
        ] {
            let bodies = conversations(rules, 2..6);
            let again = (0..100).any(|_| {
                let body = bodies.new_tree(&mut runner).expect("a body").current();
                body.to_string().matches(id).count() > 2
            });
            assert!(again, "{rules:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn bytes_are_of_a_body_that_passes(bytes in wire_bytes(WireRules::AnthropicMessages, 1..4)) {
            let body = serde_json::from_slice(&bytes).expect("JSON");
            prop_assert_eq!(WireRules::AnthropicMessages.check(&body), Ok(()));
        }

        /// A validator is asked about anything at all, and answers.
        #[test]
        fn no_body_makes_a_validator_panic(
            body in conversations(WireRules::AnthropicMessages, 1..3),
            (place, odd) in (any::<prop::sample::Index>(), 0..5_usize),
        ) {
            let odd = [json!(null), json!(-1.5), json!([]), json!({}), json!([[{"type": 1}]])][odd].clone();
            for rules in WireRules::ALL {
                let mut body = body.clone();
                body[rules.messages()] = body["messages"].clone();
                let nodes = count(&body);
                replace(&mut body, &mut place.index(nodes), &odd);
                let _ = rules.check(&body);
            }
        }
    }

    /// How many values there are in a value, with itself.
    fn count(value: &Value) -> usize {
        1 + match value {
            Value::Array(items) => items.iter().map(count).sum::<usize>(),
            Value::Object(fields) => fields.values().map(count).sum(),
            _ => 0,
        }
    }

    /// Replaces the value of this number by another.
    fn replace(value: &mut Value, number: &mut usize, by: &Value) {
        if *number == 0 {
            *value = by.clone();
        }
        *number = number.wrapping_sub(1);
        let within: Vec<&mut Value> = match value {
            Value::Array(items) => items.iter_mut().collect(),
            Value::Object(fields) => fields.values_mut().collect(),
            _ => return,
        };
        for value in within {
            replace(value, number, by);
        }
    }
}
