//! Ollama: the results of tools come after the calls that they answer by their order alone.

use contextfit_providers::wire::WireFormat;
use contextfit_testing::wire::WireRules;
use contextfit_tests::text;

use crate::cuts::{assert_kept_is_untouched, body, cuts, messages};
use crate::talk::Talk;

const BEFORE: &str =
    r#" {"model":"m", "keep_alive":-1,"messages":[{"role":"system","content":"Be careful."}"#;
const AFTER: &str = r#"],"options":{"num_ctx":4096 ,"seed":1},"stream":true}"#;

/// Work of an agent, whose calls have no ids and the same names again and again.
fn conversation() -> (Vec<String>, Vec<(String, String)>) {
    // After the system message.
    let (mut said, mut by_model) = (vec![String::new()], Vec::new());
    for turn in 0..2 {
        let task = text(&format!("Task {turn}:"), 60);
        said.push(format!(r#"{{"role":"user","content":"{task}"}}"#));
        for round in 0..3 {
            let label = format!("Plan {turn}.{round}:");
            let plan = text(&label, 40);
            let call = r#"{"function":{"arguments":{"z":1e0, "a":[]},"name":"read"}}"#;
            let calls = format!(
                r#"{{"thinking":"{plan}","tool_calls":[{call}, {call}],"role":"assistant","content":""}}"#
            );
            by_model.push((label, calls.clone()));
            said.push(calls);
            for file in 0..2 {
                let result = text(&format!("Result {turn}.{round}.{file}:"), 120);
                said.push(format!(
                    r#"{{"role":"tool","tool_name":"read","content":"{result}"}}"#
                ));
            }
        }
        let label = format!("Done {turn}:");
        let done = format!(r#"{{"role":"assistant","content":"{}"}}"#, text(&label, 60));
        by_model.push((label, done.clone()));
        said.push(done);
    }
    said.push(r#"{"role":"user","content":"And now?"}"#.to_owned());
    (said, by_model)
}

async fn cuts_of(conversation: &[String]) -> Vec<String> {
    cuts(WireFormat::OllamaChat, &body(BEFORE, conversation, AFTER)).await
}

#[tokio::test]
async fn a1_each_call_has_its_result_and_each_result_its_call() {
    let (conversation, _) = conversation();
    for cut in cuts_of(&conversation).await {
        let mut open = 0;
        for message in messages(&cut, "messages") {
            if message["role"] == "tool" {
                assert_ne!(open, 0, "{cut}");
                open -= 1;
            } else {
                assert_eq!(open, 0, "{cut}");
                open = message["tool_calls"].as_array().map_or(0, Vec::len);
            }
        }
        assert_eq!(open, 0, "{cut}");
    }
}

#[tokio::test]
async fn a3_the_user_speaks_first_after_the_system() {
    let (conversation, _) = conversation();
    for cut in cuts_of(&conversation).await {
        let messages = messages(&cut, "messages");
        let roles: Vec<_> = messages.iter().map(|message| &message["role"]).collect();
        assert_eq!(roles[0], "system", "{cut}");
        assert_eq!(roles[1], "user", "{cut}");
    }
}

#[tokio::test]
async fn a4_what_the_model_wrote_stays_as_it_was_written() {
    let (conversation, by_model) = conversation();
    for cut in cuts_of(&conversation).await {
        assert_kept_is_untouched(&cut, BEFORE, &by_model, AFTER);
    }
}

fn talk() -> Talk {
    let (messages, by_model) = conversation();
    Talk {
        format: WireFormat::OllamaChat,
        rules: WireRules::OllamaChat,
        around: [BEFORE, AFTER],
        messages,
        by_model,
    }
}

fn question(number: usize) -> Vec<String> {
    let asked = text(&format!("More {number}:"), 60);
    let answer = text(&format!("Answer {number}:"), 60);
    let turn = |role: &str, said: &str| format!(r#"{{"role":"{role}","content":"{said}"}}"#);
    vec![
        turn("assistant", &answer),
        turn("user", &asked),
        turn("assistant", "Well."),
        turn("user", "Go on."),
    ]
}

#[tokio::test]
async fn a2_what_fits_is_sent_byte_for_byte() {
    talk().assert_sent_as_it_came().await;
    let mut forms = talk();
    forms.messages.push(
        r#"{"images":["AAAA","AAA="],"content":"\u0041\ud83d\ude00","role":"user"}"#.to_owned(),
    );
    forms.assert_sent_as_it_came().await;
}

#[tokio::test]
async fn a5_instructions_stay_wherever_they_stand_or_are_refused_with_their_size() {
    let mut talk = talk();
    let rule = r#"{"role":"system","content":"Be \u006bind."}"#;
    talk.messages.insert(6, rule.to_owned());
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

/// There are no marks: the server caches what stays the same.
#[tokio::test]
async fn f6_the_prefix_changes_once_in_five_calls() {
    talk().assert_prefix_stays(question).await;
}
