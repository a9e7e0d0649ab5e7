use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::request::Conversation;
use contextfit_core::table::Pins;
use contextfit_providers::wire::{WireFormat, WireRequest};
use contextfit_tests::{Scribe, policies};
use contextfit_tower::Fitter;
use serde_json::Value;

/// A body of these fields, with these messages in its list.
pub(crate) fn body(before: &str, messages: &[String], after: &str) -> String {
    format!("{before}{}{after}", messages.join(",\n  "))
}

/// What any policy makes of a body: bodies that were cut, for windows that are a little too small
/// and much too small.
pub(crate) async fn cuts(format: WireFormat, body: &str) -> Vec<String> {
    let request = WireRequest::parse(format, body.to_owned()).expect("a body");
    let tokens = measure(&request, &CharEstimator::default()).prompt();
    let mut cuts = Vec::new();
    for policy in policies(request.len()) {
        for window in [tokens - 1, tokens / 2, tokens / 4] {
            for pins in [Pins::BOTH, Pins::NONE] {
                let fitter = Fitter::builder()
                    .window(window)
                    .reserve(0)
                    .policy(policy.clone())
                    .pins(pins)
                    .summarizer(Scribe::new("They worked."))
                    .build()
                    .expect("settings that work");
                let Ok(fitted) = fitter.fit(request.clone()).await else {
                    continue;
                };
                if fitted.request.is_edited() {
                    let body = fitted.request.into_body();
                    cuts.push(String::from_utf8(body.into()).expect("UTF-8"));
                }
            }
        }
    }
    assert!(cuts.len() > 50, "{} cuts", cuts.len());
    cuts
}

/// The messages of a body, by the field that they are in.
pub(crate) fn messages(body: &str, field: &str) -> Vec<Value> {
    let body: Value = serde_json::from_str(body).expect("JSON");
    body[field].as_array().expect("a list").clone()
}

/// What the model wrote is there as it was written, or not at all; so is everything beside the
/// messages.
pub(crate) fn assert_kept_is_untouched(
    body: &str,
    before: &str,
    by_model: &[(String, String)],
    after: &str,
) {
    assert!(body.starts_with(before) && body.ends_with(after), "{body}");
    for (label, message) in by_model {
        assert!(
            !body.contains(label) || body.contains(message),
            "{message} in {body}"
        );
    }
}
