//! The second attempt asks for less output where only that is too large, and it is allowed.

use contextfit_core::chat::ChatRequest;
use contextfit_core::plan::Plan;
use contextfit_core::request::{AdapterError, ApplyError, Native, RequestAdapter};
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{Log, Scribe, Shape, bottom, chat, estimate, provider, ptrs, send};
use contextfit_tower::{Fitter, FitterBuilder, Reason};

/// A fitter that takes the window for twice what it is.
fn fitter(scribe: &Scribe, log: &Log) -> FitterBuilder {
    let builder = Fitter::builder()
        .summary_keys(summary_keys())
        .window(8_000)
        .reserve(1_500);
    builder.summarizer(scribe.clone()).observer(log.clone())
}

/// What becomes of `max_tokens` is told by an adapter that does it, ignores it or refuses it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lowers {
    Yes,
    Ignores,
    Refuses,
}

impl RequestAdapter<ChatRequest> for Lowers {
    type View<'a> = &'a ChatRequest;

    fn view<'a>(&self, request: &'a ChatRequest) -> Result<&'a ChatRequest, AdapterError> {
        Native.view(request)
    }

    fn apply(&self, request: &mut ChatRequest, plan: &Plan) -> Result<(), ApplyError> {
        match self {
            Self::Refuses if plan.lowered_output().is_some() => {
                Err(ApplyError::Unsupported("less output".to_owned()))
            }
            Self::Ignores => Native.apply(request, &plan.clone().max_output_tokens(None)),
            _ => Native.apply(request, plan),
        }
    }

    fn try_clone(&self, request: &ChatRequest) -> Option<ChatRequest> {
        Some(request.clone())
    }
}

#[tokio::test]
async fn where_only_the_output_is_too_large_it_is_lowered_and_no_message_is_touched() {
    let request = chat(12, 100);
    let prompt = estimate(&request);
    let room = 4_000 - prompt;
    // As much as half of what was asked for is left, or the usual reserve; or neither is.
    for (asked, window, lowers) in [
        (room + 1, 4_000, true),
        (room * 19 / 10, 4_000, true),
        (room * 21 / 10, 4_000, false),
        (4_500, prompt + 1_600, true),
        (4_500, prompt + 1_500, false),
    ] {
        for (allowed, adapter) in [
            (false, Lowers::Yes),
            (true, Lowers::Yes),
            (true, Lowers::Ignores),
            (true, Lowers::Refuses),
        ] {
            for shape in Shape::RECOVERING {
                let (provider, scribe, log) = (provider(window), Scribe::default(), Log::default());
                let fitter = fitter(&scribe, &log).lower_output_first(allowed);
                let fitter = fitter.adapter(adapter).build().expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                let asked = u32::try_from(asked).expect("small");
                let request = request.clone().max_tokens(asked);
                let result = send(&stack, request.clone()).await;
                let what = format!("{shape:?}: {asked} of {window}, {allowed}, {adapter:?}");

                let lowered = lowers && allowed && adapter == Lowers::Yes;
                let sent = provider.received();
                if !lowered {
                    // The messages are made smaller, if that can help.
                    for sent in &sent[1..] {
                        assert!(estimate(&sent.request) < prompt, "{what}");
                        assert_eq!(sent.request.max_tokens, Some(asked), "{what}");
                    }
                    continue;
                }
                result.expect("recovered");
                assert_eq!((sent.len(), scribe.calls()), (2, 0), "{what}");
                assert_eq!(ptrs(&sent[1].request), ptrs(&request), "{what}");
                let asks = sent[1].request.max_tokens.expect("some output");
                assert!(0 < asks && asks < asked, "{what}");
                assert!(prompt + u64::from(asks) <= window, "{what}");
                let reports = log.reports();
                assert_eq!(reports.len(), 1);
                assert_eq!(reports[0].reason, Reason::Overflow);
                assert_eq!(reports[0].plan.lowered_output(), Some(asks));
                assert_eq!(reports[0].kept, request.messages.len());
            }
        }
    }
}

#[tokio::test]
async fn what_was_cut_before_it_was_sent_is_cut_again() {
    let (provider, scribe, log) = (provider(4_000), Scribe::default(), Log::default());
    let fitter = fitter(&scribe, &log).lower_output_first(true).target(1.0);
    let fitter = fitter.build().expect("settings that work");
    let stack = Shape::Joint.around(bottom(&provider), &fitter);
    let request = chat(40, 100).max_tokens(4_600);
    send(&stack, request)
        .await
        .expect_err("no room for so much");
    let sent = provider.received();
    assert!(
        log.reports()
            .iter()
            .all(|report| report.plan.lowered_output().is_none())
    );
    assert!(
        sent.iter()
            .all(|sent| sent.request.max_tokens == Some(4_600))
    );
}
