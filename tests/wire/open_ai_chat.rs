//! OpenAI's chats: results come right after the calls that they answer, and many that speak alike
//! want the user first, and turns.

use contextfit_providers::wire::{WireFormat, WireRequest};
use contextfit_testing::wire::WireRules;

use crate::talk::{self, Said, Talk};

const FORMAT: (WireFormat, WireRules) = (WireFormat::OpenAiChat, WireRules::OpenAiChat);
const BEFORE: &str = r#" {"model":"m", "seed":1e0,"messages":[{"role":"system","content":[{"type":"text","text":"Be careful."}]},"#;
const AFTER: &str = r#" ],"metadata":{"b":"1" ,"a":"2"},"stream":true}"#;

/// Fields in any order, and some that a few servers know.
fn written(said: Said) -> Vec<String> {
    match said {
        Said::Task(text) => vec![format!(r#"{{"role":"user","content":"{text}"}}"#)],
        Said::Calls { plan, ids } => {
            let calls = ids.map(|id| {
                format!(
                    r#"{{"function":{{"arguments":"{{\"a\":1e0}}","name":"read"}},"id":"{id}","type":"function","extra_content":{{"google":{{"thought_signature":"c2ln"}}}}}}"#
                )
            });
            vec![format!(
                r#"{{"tool_calls":[{}],"reasoning_content":"{plan}","content":null,"role":"assistant"}}"#,
                calls.join(" , ")
            )]
        }
        Said::Results { ids, texts } => ids
            .iter()
            .zip(texts)
            .map(|(id, text)| {
                format!(r#"{{"tool_call_id":"{id}","role":"tool","content":"{text}"}}"#)
            })
            .collect(),
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
async fn a1_results_come_right_after_their_calls() {
    talk().assert_always_taken().await;
}

#[tokio::test]
async fn a2_what_fits_is_sent_byte_for_byte() {
    talk().assert_sent_as_it_came().await;
    let mut forms = talk();
    forms.messages.push(
        r#"{"role":"user","name":"ann","content":[{"type":"image_url","image_url":{"url":"https:\/\/a\/b.png","detail":"low"}},{"type":"file","file":{"file_id":"f"}},{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}},{"text":"\u0041\ud83d\ude00","type":"text"}]}"#
            .to_owned(),
    );
    forms.assert_sent_as_it_came().await;
}

#[tokio::test]
async fn a3_the_user_speaks_first_and_nobody_twice_once_neighbours_are_merged() {
    let talk = talk();
    let mut joined = 0;
    for cut in talk.cuts().await {
        let request = WireRequest::parse(WireFormat::OpenAiChat, cut).expect("a body");
        let merged = request.merge_neighbours();
        joined += usize::from(merged.is_edited());
        let merged = String::from_utf8(merged.into_body().into()).expect("UTF-8");
        talk.assert_taken(&merged);
        let messages = talk.messages_of(&merged);
        assert_eq!(messages[1]["role"], "user", "{merged}");
        for pair in messages.windows(2) {
            // A message with calls can't be joined with one that has none.
            let [one, next] = [&pair[0], &pair[1]].map(|message| {
                let calls = message.get("tool_calls").is_some();
                (message["role"].as_str(), calls)
            });
            assert!(one != next || one.0 == Some("tool"), "{merged}");
        }
    }
    assert!(joined > 10);
}

#[tokio::test]
async fn a4_what_the_model_wrote_stays_as_it_was_written() {
    talk().assert_model_is_untouched().await;
}

#[tokio::test]
async fn a5_instructions_stay_wherever_they_stand_or_are_refused_with_their_size() {
    let mut talk = talk();
    let rules = [
        (0, r#"{"role":"developer","content":"Be brief."}"#),
        (
            9,
            r#"{"role":"system","content":[{"type":"text","text":"Be \u006bind."}]}"#,
        ),
    ];
    for (place, rule) in rules {
        talk.messages.insert(place, rule.to_owned());
    }
    for cut in talk.cuts().await {
        assert!(cut.starts_with(BEFORE));
        for (_, rule) in rules {
            assert!(cut.contains(rule), "{cut}");
        }
    }
    talk.assert_no_room("Be careful.").await;
    talk.assert_no_room("Be brief.").await;
}

#[tokio::test]
async fn c5_five_compactions_leave_one_summary_of_the_user() {
    talk().assert_one_summary(question).await;
}

/// Some servers take the marks that Claude has.
#[tokio::test]
async fn f6_cache_marks_stay_with_what_they_mark() {
    const MARK: &str = r#""cache_control":{"type":"ephemeral"}"#;
    let marked = |said| {
        // Ids that don't come again, to know what is kept by.
        let turn = match &said {
            Said::Calls { plan, .. } => plan[5..6].to_owned(),
            Said::Results { texts, .. } => texts[0][7..8].to_owned(),
            Said::Task(_) | Said::Done(_) => String::new(),
        };
        let mut written = written(said);
        for message in &mut written {
            *message = message.replace(r#""call_"#, &format!(r#""call_{turn}"#));
            if ["Task 0", "Result 0.1.2", "Result 1.2.1", "And now"]
                .iter()
                .any(|label| message.contains(label))
            {
                let text = message.find(r#""content":""#).expect("a text") + 11;
                let end = text + message[text..].find('"').expect("its end");
                let part = format!(
                    r#"[{{"type":"text","text":"{}",{MARK}}}]"#,
                    &message[text..end]
                );
                message.replace_range(text - 1..end + 1, &part);
            }
        }
        written
    };
    let talk = Talk::new(FORMAT, [BEFORE, AFTER], marked);
    talk.assert_marks_stay("cache_control").await;
}

#[tokio::test]
async fn f6_the_prefix_changes_once_in_five_calls() {
    talk().assert_prefix_stays(question).await;
}
