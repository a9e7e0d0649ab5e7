//! Anthropic's messages: each turn of calls has all its results in the next message, and nobody
//! touches what the model thought.

use contextfit_providers::wire::{WireFormat, WireRequest};
use contextfit_testing::wire::WireRules;

use crate::talk::{self, Said, Talk};

const FORMAT: (WireFormat, WireRules) =
    (WireFormat::AnthropicMessages, WireRules::AnthropicMessages);
const BEFORE: &str = r#" {"model":"m", "max_tokens":20,"system":[{"type":"text","text":"Be careful.","cache_control":{"type":"ephemeral"}}],"messages":["#;
const AFTER: &str = r#" ],"metadata":{"user_id":"u" },"stream":true}"#;

/// The mark of what is marked.
fn mark(text: &str) -> &'static str {
    let is_marked = ["Task 0", "Result 0.1.2", "And now"]
        .iter()
        .any(|label| text.starts_with(label));
    if is_marked {
        r#","cache_control":{"type":"ephemeral"}"#
    } else {
        ""
    }
}

fn written(said: Said) -> Vec<String> {
    match said {
        Said::Task(text) => vec![format!(
            r#"{{"role":"user","content":[{{"type":"text","text":"{text}"{}}}]}}"#,
            mark(&text)
        )],
        // Ids don't come again in a whole conversation.
        Said::Calls { plan, ids } => {
            let turn = &plan[5..6];
            let calls = ids.map(|id| {
                format!(
                    r#"{{"input":{{"b":1e0,"a":[ ]}},"type":"tool_use","id":"{id}{turn}","name":"read"}}"#
                )
            });
            vec![format!(
                r#"{{"role":"assistant","content":[{{"signature":"c2ln","thinking":"{plan}","type":"thinking"}} ,{{"type":"redacted_thinking","data":"cmVk"}},{}]}}"#,
                calls.join(" , ")
            )]
        }
        Said::Results { ids, texts } => {
            let results = ids.iter().zip(texts).map(|(id, text)| {
                let turn = &text[7..8];
                format!(
                    r#"{{"tool_use_id":"{id}{turn}","content":"{text}","type":"tool_result"{}}}"#,
                    mark(&text)
                )
            });
            let results: Vec<_> = results.collect();
            vec![format!(
                r#"{{"content":[{}],"role":"user"}}"#,
                results.join(",")
            )]
        }
        Said::Done(text) => vec![format!(r#"{{"content":"{text}","role":"assistant"}}"#)],
    }
}

fn talk() -> Talk {
    Talk::new(FORMAT, [BEFORE, AFTER], written)
}

fn question(number: usize) -> Vec<String> {
    talk::question(written, number)
}

#[tokio::test]
async fn a1_all_results_stand_in_the_message_after_their_calls() {
    talk().assert_always_taken().await;
}

#[tokio::test]
async fn a2_what_fits_is_sent_byte_for_byte() {
    talk().assert_sent_as_it_came().await;
    let mut forms = talk();
    forms.messages.push(
        r#"{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https:\/\/a\/b.png"}},{"type":"document","source":{"type":"content","content":[{"type":"text","text":"d"}]},"title":"T"},{"text":"\u0041\ud83d\ude00","type":"text"}]}"#
            .to_owned(),
    );
    forms.assert_sent_as_it_came().await;
}

#[tokio::test]
async fn a3_the_user_speaks_first_and_nobody_twice_once_neighbours_are_merged() {
    let talk = talk();
    let mut joined = 0;
    for cut in talk.cuts().await {
        let request = WireRequest::parse(FORMAT.0, cut).expect("a body");
        let merged = request.merge_neighbours();
        joined += usize::from(merged.is_edited());
        let merged = String::from_utf8(merged.into_body().into()).expect("UTF-8");
        // Thoughts come first in their message, so no other is joined with it.
        talk.assert_taken(&merged);
        for pair in talk.messages_of(&merged).windows(2) {
            let is_thinking = pair[1]["content"][0]["type"] == "thinking";
            assert!(
                pair[0]["role"] != pair[1]["role"] || is_thinking,
                "{merged}"
            );
        }
    }
    assert!(joined > 10);
}

#[tokio::test]
async fn a4_what_the_model_thought_stays_as_it_was_written_with_its_signature() {
    talk().assert_model_is_untouched().await;
}

#[tokio::test]
async fn a5_instructions_stay_or_are_refused_with_their_size() {
    let mut talk = talk();
    // The task, calls, results: behind the user, before the model.
    let rule = r#"{"role":"system","content":"Be \u006bind."}"#;
    talk.messages.insert(3, rule.to_owned());
    for cut in talk.cuts().await {
        assert!(cut.starts_with(BEFORE) && cut.contains(rule), "{cut}");
    }
    talk.assert_no_room("Be careful.").await;
    talk.assert_no_room(r"Be \u006bind.").await;
}

#[tokio::test]
async fn c5_five_compactions_leave_one_summary_of_the_user() {
    talk().assert_one_summary(question).await;
}

#[tokio::test]
async fn f6_cache_marks_stay_with_what_they_mark_and_are_four_at_most() {
    talk().assert_marks_stay("cache_control").await;
}

#[tokio::test]
async fn f6_the_prefix_changes_once_in_five_calls() {
    talk().assert_prefix_stays(question).await;
}
