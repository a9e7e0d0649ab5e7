//! Gemini: a turn of responses comes right after its turn of calls, and the user speaks first.

use contextfit_providers::wire::WireFormat;
use contextfit_testing::wire::WireRules;
use contextfit_tests::text;
use serde_json::Value;

use crate::cuts::{assert_kept_is_untouched, body, cuts, messages};
use crate::talk::Talk;

const BEFORE: &str = r#" {"model":"m", "contents":["#;
const AFTER: &str =
    r#" ],"systemInstruction":{"parts":[{"text":"Be careful."}]},"labels":{"b":"1" ,"a":"2"}}"#;

/// Work of an agent, whose calls have no ids and the same names again and again; and the parts that
/// the model wrote, by their labels.
fn contents() -> (Vec<String>, Vec<(String, String)>) {
    let (mut contents, mut by_model) = (Vec::new(), Vec::new());
    for turn in 0..2 {
        let said = text(&format!("Task {turn}:"), 60);
        contents.push(format!(
            r#"{{"role":"user","parts":[{{"text":"{said}"}}]}}"#
        ));
        for round in 0..3 {
            let label = format!("Plan {turn}.{round}:");
            let said = text(&label, 40);
            let call = |file: u8| {
                format!(
                    r#"{{"functionCall":{{"args":{{"file":{file}, "a":1e0}},"name":"read"}},"thoughtSignature":"c2ln"}}"#
                )
            };
            let parts = format!(
                r#"{{"thought":true,"text":"{said}"}},{},{}"#,
                call(1),
                call(2)
            );
            contents.push(format!(r#"{{"parts":[{parts}],"role":"model"}}"#));
            by_model.push((label, parts));
            let response = |file: u8| {
                let result = text(&format!("Result {turn}.{round}.{file}:"), 120);
                format!(
                    r#"{{"functionResponse":{{"name":"read","response":{{"n":1,"output":"{result}"}}}}}}"#
                )
            };
            contents.push(format!(
                r#"{{"role":"user","parts":[{},{}]}}"#,
                response(1),
                response(2)
            ));
        }
        let label = format!("Done {turn}:");
        let done = format!(r#"{{"text":"{}"}}"#, text(&label, 60));
        contents.push(format!(r#"{{"role":"model","parts":[{done}]}}"#));
        by_model.push((label, done));
    }
    contents.push(r#"{"role":"user","parts":[{"text":"And now?"}]}"#.to_owned());
    (contents, by_model)
}

fn count(content: &Value, kind: &str) -> usize {
    let parts = content["parts"].as_array().into_iter().flatten();
    parts.filter(|part| part.get(kind).is_some()).count()
}

fn is_by_user(content: &Value) -> bool {
    content["role"] == "user" && count(content, "text") > 0
}

#[tokio::test]
async fn a1_calls_and_their_responses_are_turns_next_to_each_other() {
    let (contents, _) = contents();
    for cut in cuts(WireFormat::Gemini, &body(BEFORE, &contents, AFTER)).await {
        let contents = messages(&cut, "contents");
        for (index, content) in contents.iter().enumerate() {
            let calls = count(content, "functionCall");
            if calls > 0 {
                let next = contents.get(index + 1).expect("a turn of responses");
                assert_eq!(count(next, "functionResponse"), calls, "{cut}");
                // "… immediately after a user turn or after a function response turn."
                assert_eq!(contents[index - 1]["role"], "user", "{cut}");
            }
            if count(content, "functionResponse") > 0 {
                assert_ne!(count(&contents[index - 1], "functionCall"), 0, "{cut}");
                assert_eq!(count(content, "text"), 0, "{cut}");
            }
        }
    }
}

#[tokio::test]
async fn a3_the_user_speaks_first_and_there_is_something_to_answer() {
    let (contents, _) = contents();
    for cut in cuts(WireFormat::Gemini, &body(BEFORE, &contents, AFTER)).await {
        let contents = messages(&cut, "contents");
        assert!(contents.first().is_some_and(is_by_user), "{cut}");
        assert!(contents.last().is_some_and(is_by_user), "{cut}");
    }
}

#[tokio::test]
async fn a4_what_the_model_wrote_stays_as_it_was_written_with_its_signatures() {
    let (contents, by_model) = contents();
    for cut in cuts(WireFormat::Gemini, &body(BEFORE, &contents, AFTER)).await {
        assert_kept_is_untouched(&cut, BEFORE, &by_model, AFTER);
    }
}

fn talk() -> Talk {
    let (messages, by_model) = contents();
    Talk {
        format: WireFormat::Gemini,
        rules: WireRules::Gemini,
        around: [BEFORE, AFTER],
        messages,
        by_model,
    }
}

fn question(number: usize) -> Vec<String> {
    let asked = text(&format!("More {number}:"), 60);
    let answer = text(&format!("Answer {number}:"), 60);
    let turn =
        |role: &str, said: &str| format!(r#"{{"role":"{role}","parts":[{{"text":"{said}"}}]}}"#);
    vec![
        turn("model", &answer),
        turn("user", &asked),
        turn("model", "Well."),
        turn("user", "Go on."),
    ]
}

#[tokio::test]
async fn a2_what_fits_is_sent_byte_for_byte() {
    talk().assert_sent_as_it_came().await;
    let mut forms = talk();
    forms.messages.push(
        r#"{"parts":[{"inline_data":{"mime_type":"image\/png","data":"AAAA"}},{"fileData":{"fileUri":"https:\/\/a\/b"}},{"text":"\u0041\ud83d\ude00"}]}"#
            .to_owned(),
    );
    forms.assert_sent_as_it_came().await;
}

#[tokio::test]
async fn a5_instructions_stay_or_are_refused_with_their_size() {
    // They come last in the body.
    for cut in talk().cuts().await {
        assert!(cut.ends_with(AFTER), "{cut}");
    }
    talk().assert_no_room("Be careful.").await;
}

#[tokio::test]
async fn c5_five_compactions_leave_one_summary_of_the_user() {
    talk().assert_one_summary(question).await;
}

/// There are no marks: what is cached is under a name of its own, or stays the same.
#[tokio::test]
async fn f6_the_prefix_changes_once_in_five_calls() {
    talk().assert_prefix_stays(question).await;
}
