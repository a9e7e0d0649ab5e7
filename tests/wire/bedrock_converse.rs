//! Bedrock's Converse: turns alternate, without exception, and each turn of calls has all its
//! results in the next one.

use contextfit_providers::wire::WireFormat;
use contextfit_testing::wire::WireRules;

use crate::talk::{self, Said, Talk};

const FORMAT: (WireFormat, WireRules) = (WireFormat::BedrockConverse, WireRules::BedrockConverse);
const BEFORE: &str =
    r#" {"system":[{"text":"Be careful."},{"cachePoint":{"type":"default"}}],"messages":["#;
const AFTER: &str = r#" ],"toolConfig":{"tools":[{"toolSpec":{"name":"read","inputSchema":{"json":{"type":"object"}}}}]},"requestMetadata":{"b":"1" ,"a":"2"}}"#;

/// The mark behind what is marked.
fn mark(text: &str) -> &'static str {
    let is_marked = ["Task 0", "Result 0.1.2", "And now"]
        .iter()
        .any(|label| text.starts_with(label));
    if is_marked {
        r#",{"cachePoint":{"type":"default"}}"#
    } else {
        ""
    }
}

fn written(said: Said) -> Vec<String> {
    match said {
        Said::Task(text) => vec![format!(
            r#"{{"role":"user","content":[{{"text":"{text}"}}{}]}}"#,
            mark(&text)
        )],
        Said::Calls { plan, ids } => {
            let calls = ids.map(|id| {
                format!(
                    r#"{{"toolUse":{{"input":{{"b":1e0,"a":[ ]}},"toolUseId":"{id}","name":"read"}}}}"#
                )
            });
            vec![format!(
                r#"{{"content":[{{"reasoningContent":{{"reasoningText":{{"text":"{plan}","signature":"c2ln"}}}}}} ,{}],"role":"assistant"}}"#,
                calls.join(" , ")
            )]
        }
        Said::Results { ids, texts } => {
            let results = ids.iter().zip(texts).map(|(id, text)| {
                format!(
                    r#"{{"toolResult":{{"content":[{{"json":{{"n":1,"rows":["{text}"]}}}}],"toolUseId":"{id}"}}}}{}"#,
                    mark(&text)
                )
            });
            let results: Vec<_> = results.collect();
            vec![format!(
                r#"{{"content":[{}],"role":"user"}}"#,
                results.join(",")
            )]
        }
        Said::Done(text) => vec![format!(
            r#"{{"content":[{{"text":"{text}"}}],"role":"assistant"}}"#
        )],
    }
}

fn talk() -> Talk {
    Talk::new(FORMAT, [BEFORE, AFTER], written)
}

fn question(number: usize) -> Vec<String> {
    talk::question(written, number)
}

#[tokio::test]
async fn a1_all_results_stand_in_the_turn_after_their_calls() {
    talk().assert_always_taken().await;
}

#[tokio::test]
async fn a2_what_fits_is_sent_byte_for_byte() {
    talk().assert_sent_as_it_came().await;
    let mut forms = talk();
    let forms_of_user = r#"{"image":{"format":"png","source":{"s3Location":{"uri":"s3:\/\/a\/b"}}}},{"document":{"name":"d","format":"txt","source":{"text":"d"}}},{"text":"\u0041\ud83d\ude00"}"#;
    let last = forms.messages.last_mut().expect("a message");
    *last = format!(r#"{{"role":"user","content":[{forms_of_user}]}}"#);
    forms.assert_sent_as_it_came().await;
}

#[tokio::test]
async fn a3_the_user_speaks_first_and_turns_alternate() {
    let talk = talk();
    for cut in talk.cuts().await {
        for (number, message) in talk.messages_of(&cut).iter().enumerate() {
            let speaker = ["user", "assistant"][number % 2];
            assert_eq!(message["role"], speaker, "{cut}");
        }
    }
}

#[tokio::test]
async fn a4_what_the_model_wrote_stays_as_it_was_written_with_its_signature() {
    // Two answers that become neighbours are one message; what is in it is as it was.
    let mut talk = talk();
    for (_, written) in &mut talk.by_model {
        let content = written.find('[').expect("a content") + 1;
        let end = written.rfind(']').expect("its end");
        *written = written[content..end].to_owned();
    }
    talk.assert_model_is_untouched().await;
}

#[tokio::test]
async fn a5_instructions_stay_or_are_refused_with_their_size() {
    let talk = talk();
    for cut in talk.cuts().await {
        assert!(cut.starts_with(BEFORE), "{cut}");
    }
    talk.assert_no_room("Be careful.").await;
}

#[tokio::test]
async fn c5_five_compactions_leave_one_summary_of_the_user() {
    talk().assert_one_summary(question).await;
}

#[tokio::test]
async fn f6_cache_marks_stay_behind_what_they_mark_and_are_four_at_most() {
    // Ids that don't come again, to know what is kept by.
    let with_turn = |said| match said {
        Said::Calls { plan, ids } => {
            let ids = ids.map(|id| format!("{id}{}", &plan[5..6]));
            written(Said::Calls { plan, ids })
        }
        Said::Results { ids, texts } => {
            let ids = ids.map(|id| format!("{id}{}", &texts[0][7..8]));
            written(Said::Results { ids, texts })
        }
        other => written(other),
    };
    let talk = Talk::new(FORMAT, [BEFORE, AFTER], with_turn);
    talk.assert_marks_stay("cachePoint").await;
}

#[tokio::test]
async fn f6_the_prefix_changes_once_in_five_calls() {
    talk().assert_prefix_stays(question).await;
}
