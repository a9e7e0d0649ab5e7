//! OpenAI's responses: items, of which each call and its output stay together, and reasoning with
//! all that came of it.

use contextfit_providers::wire::{WireFormat, WireRequest};
use contextfit_testing::wire::WireRules;
use contextfit_tests::Scribe;
use contextfit_tower::Fitter;

use crate::talk::{self, Said, Talk};

const FORMAT: (WireFormat, WireRules) = (WireFormat::OpenAiResponses, WireRules::OpenAiResponses);
const BEFORE: &str = r#" {"model":"m", "store":false,"instructions":"Be careful.","input":["#;
const AFTER: &str = r#" ],"include":["reasoning.encrypted_content" ],"stream":true}"#;

fn written(said: Said) -> Vec<String> {
    match said {
        Said::Task(text) => vec![format!(r#"{{"role":"user","content":"{text}"}}"#)],
        Said::Calls { plan, ids } => {
            let reasoning = format!(
                r#"{{"summary":[{{"type":"summary_text","text":"{plan}"}}],"encrypted_content":"c2ln","type":"reasoning"}}"#
            );
            let calls = ids.map(|id| {
                format!(
                    r#"{{"arguments":"{{\"a\":1e0}}","call_id":"{id}{}","name":"read","type":"function_call"}}"#,
                    &plan[5..6]
                )
            });
            [vec![reasoning], calls.to_vec()].concat()
        }
        Said::Results { ids, texts } => ids
            .iter()
            .zip(texts)
            .map(|(id, text)| {
                let turn = &text[7..8];
                format!(
                    r#"{{"call_id":"{id}{turn}","output":"{text}","type":"function_call_output"}}"#
                )
            })
            .collect(),
        Said::Done(text) => vec![format!(
            r#"{{"content":[{{"type":"output_text","text":"{text}"}}],"role":"assistant"}}"#
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
async fn a1_each_call_has_its_output_and_each_output_its_call() {
    talk().assert_always_taken().await;
}

#[tokio::test]
async fn a2_what_fits_is_sent_byte_for_byte() {
    talk().assert_sent_as_it_came().await;
    let mut forms = talk();
    forms.messages.push(
        r#"{"type":"message","role":"user","content":[{"type":"input_image","image_url":"https:\/\/a\/b.png"},{"type":"input_file","file_id":"f"},{"text":"\u0041\ud83d\ude00","type":"input_text"}]}"#
            .to_owned(),
    );
    forms.assert_sent_as_it_came().await;
}

/// Where the provider has the history, nothing is known of it, so nothing is cut.
#[tokio::test]
async fn a2_what_only_continues_a_conversation_is_sent_byte_for_byte() {
    for continues in [
        r#""previous_response_id":"resp_1""#,
        r#""conversation":{"id":"conv_1"}"#,
    ] {
        let body = talk().body().replacen('{', &format!("{{{continues},"), 1);
        let request = WireRequest::parse(FORMAT.0, body.clone()).expect("a body");
        let scribe = Scribe::default();
        let fitter = Fitter::builder().window(100).reserve(0);
        let fitter = fitter.summarizer(scribe.clone()).build().expect("settings");
        let fitted = fitter.fit(request).await.expect("it goes through");
        assert_eq!(fitted.request.into_body(), body);
        assert_eq!(scribe.calls(), 0);
    }
}

#[tokio::test]
async fn a3_the_user_speaks_first_and_there_is_something_to_answer() {
    let talk = talk();
    for cut in talk.cuts().await {
        let items = talk.messages_of(&cut);
        assert_eq!(items[0]["role"], "user", "{cut}");
        assert_eq!(items[items.len() - 1]["role"], "user", "{cut}");
    }
}

#[tokio::test]
async fn a4_reasoning_stays_as_it_was_written_with_all_that_came_of_it() {
    talk().assert_model_is_untouched().await;
}

#[tokio::test]
async fn a5_instructions_stay_wherever_they_stand_or_are_refused_with_their_size() {
    let mut talk = talk();
    let rules = [
        (0, r#"{"role":"developer","content":"Be brief."}"#),
        (
            6,
            r#"{"type":"message","role":"system","content":[{"type":"input_text","text":"Be \u006bind."}]}"#,
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

/// There are no marks: the provider caches what stays the same.
#[tokio::test]
async fn f6_the_prefix_changes_once_in_five_calls() {
    talk().assert_prefix_stays(question).await;
}
