//! Settings that can't work, and what the others do.

use contextfit_core::budget::{BudgetError, OversizedOutput};
use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{
    Entry, Log, Scribe, Shape, bottom, chat, estimate, provider, ptrs, send, sized,
};
use contextfit_tower::{
    ConfigError, FitError, Fitter, OversizedFixedPart, Replay, WhenStuck, is_final_overflow,
};

use crate::{ask, small, t, talk};

#[tokio::test]
async fn an_oversized_fixed_part_is_refused_or_sent_as_set() {
    for (system, asked) in [(4_000, None), (3_996, Some(100)), (90_000, Some(4_000))] {
        for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
            for shape in Shape::FITTING {
                let system = ChatMessage::system(t(system));
                let mut request = ask(std::iter::once(system).chain(talk(3, 50)));
                request.max_tokens = asked;

                let (none, log) = (provider(200_000), Log::default());
                let fitter = || small().when_stuck(when_stuck).observer(log.clone());
                let refuses = fitter().build().expect("settings that work");
                let stack = shape.around(bottom(&none), &refuses);
                let error = send(&stack, request.clone()).await.expect_err("refused");
                assert!(is_final_overflow(&*error));
                assert!(matches!(
                    error.downcast_ref(),
                    Some(FitError::NoRoom(BudgetError::FixedPartTooLarge { .. }))
                ));
                assert_eq!(none.calls(), 0);
                assert!(matches!(log.entries()[..], [Entry::Refused(_)]));

                let (large, log) = (provider(200_000), Log::default());
                let fitter = small().when_stuck(when_stuck).observer(log.clone());
                let sends = fitter.oversized_fixed_part(OversizedFixedPart::Send);
                let sends = sends.build().expect("settings that work");
                let stack = shape.around(bottom(&large), &sends);
                send(&stack, request.clone()).await.expect("sent");
                let sent = large.last_received().expect("sent");
                assert_eq!(ptrs(&sent.request), ptrs(&request));
                assert_eq!(sent.request.max_tokens, asked);
                assert_eq!(log.entries(), [Entry::Stuck]);
            }
        }
    }
}

#[tokio::test]
async fn an_oversized_fixed_part_that_overflows_is_not_sent_again() {
    // No cut of the messages could make it fit.
    for shape in Shape::RECOVERING {
        let (provider, log) = (provider(4_000), Log::default());
        let fitter = small().observer(log.clone());
        let fitter = fitter.oversized_fixed_part(OversizedFixedPart::Send);
        let fitter = fitter.build().expect("settings that work");
        let stack = shape.around(bottom(&provider), &fitter);
        let system = ChatMessage::system(t(5_000));
        let request = ask(std::iter::once(system).chain(talk(31, 50)));
        send(&stack, request).await.expect_err("too long");
        assert_eq!(provider.calls(), 1);
        assert!(log.entries().contains(&Entry::Overflow(true)));
    }
}

#[test]
fn settings_that_can_not_work_are_refused_when_the_fitter_is_built() {
    for share in [f64::NAN, f64::INFINITY, 7.0, 1.001, -1.0, -0.001] {
        let replay = small().replay(Replay::WhenAbove(share)).build();
        let named = |error, name: &str| match error {
            Err(ConfigError::NotAShare { setting, .. }) => assert_eq!(setting, name),
            other => panic!("{name} {share}: {other:?}"),
        };
        named(replay, "replay");
        named(small().target(share).build(), "target");
        named(small().least_gain(share).build(), "least_gain");
    }
    assert!(matches!(
        small().target(0.0).build(),
        Err(ConfigError::NotAShare { .. })
    ));
    for tokens in [0, 3, 15] {
        let error = small().summary_tokens(tokens).build().expect_err("refused");
        let expected = ConfigError::SummaryTooShort { tokens, least: 16 };
        assert_eq!(error, expected);
        assert!(error.to_string().contains(&tokens.to_string()));
    }
    for builder in [
        Fitter::builder()
            .summary_keys(summary_keys())
            .window(128_000)
            .max_context_tokens(0),
        Fitter::builder().summary_keys(summary_keys()).window(0),
    ] {
        let error = builder.build().expect_err("refused");
        assert_eq!(error, ConfigError::Budget(BudgetError::EmptyWindow));
    }
}

#[test]
fn settings_at_their_ends_work() {
    for share in [0.0, 0.5, 1.0] {
        assert!(small().replay(Replay::WhenAbove(share)).build().is_ok());
        assert!(small().least_gain(share).build().is_ok());
    }
    for share in [f64::MIN_POSITIVE, 1.0] {
        assert!(small().target(share).build().is_ok());
    }
    assert!(small().summary_tokens(16).build().is_ok());
    for tokens in [1, u64::MAX] {
        let most = Fitter::builder()
            .summary_keys(summary_keys())
            .window(128_000)
            .max_context_tokens(tokens);
        assert!(most.build().is_ok());
    }
}

/// What a request asks for, in the field it uses.
fn asked(request: &ChatRequest) -> (Option<u32>, Option<u32>) {
    (request.max_tokens, request.max_completion_tokens)
}

fn asking(mut request: ChatRequest, tokens: u32, newer: bool) -> ChatRequest {
    if newer {
        request.max_completion_tokens = Some(tokens);
    } else {
        request.max_tokens = Some(tokens);
    }
    request
}

#[tokio::test]
async fn output_that_is_lowered_is_all_that_is_left() {
    for newer in [false, true] {
        for (prompt, tokens, untouched) in [
            // It fits: neither the messages nor the output are touched.
            (300, 1_000, true),
            (1_000, 3_000, true),
            // The messages fit into a quarter, and the output yields.
            (300, 4_000, false),
            (900, 3_101, false),
            (900, 100_000, false),
            (901, u32::MAX, false),
        ] {
            for shape in Shape::FITTING {
                let provider = provider(4_000);
                let fitter = small().oversized_output(OversizedOutput::Lower);
                let fitter = fitter.build().expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                let request = asking(sized(prompt), tokens, newer);
                send(&stack, request.clone()).await.expect("fits");
                let sent = provider.last_received().expect("sent");
                assert_eq!(provider.calls(), 1);
                assert_eq!(ptrs(&sent.request), ptrs(&request));
                let left = u32::try_from(4_000 - estimate(&request)).expect("small");
                let expected = if untouched { tokens } else { left };
                let (older_field, newer_field) = asked(&sent.request);
                let (used, other) = match newer {
                    true => (newer_field, older_field),
                    false => (older_field, newer_field),
                };
                assert_eq!((used, other), (Some(expected), None), "{prompt} {tokens}");
            }
        }
    }
}

#[tokio::test]
async fn output_is_lowered_beside_messages_that_are_cut() {
    for tokens in [3_500, 4_000, 100_000] {
        for summarizer in [Some(Scribe::default()), None] {
            let (provider, log) = (provider(4_000), Log::default());
            let mut fitter = small()
                .oversized_output(OversizedOutput::Lower)
                .observer(log.clone());
            if let Some(summarizer) = summarizer {
                fitter = fitter.summarizer(summarizer);
            }
            let fitter = fitter.build().expect("settings that work");
            let stack = Shape::Joint.around(bottom(&provider), &fitter);
            let request = asking(chat(40, 60), tokens, false);
            send(&stack, request).await.expect("fits");
            let sent = provider.last_received().expect("sent");
            let output = sent.request.max_tokens.expect("asked for");
            let needed = estimate(&sent.request) + u64::from(output);
            if output < tokens {
                assert_eq!(needed, 4_000, "all that is left");
            }
            assert!(needed <= 4_000);
            let [report] = &log.reports()[..] else {
                panic!("one report")
            };
            let lowered = (output < tokens).then_some(output);
            assert_eq!(report.plan.lowered_output(), lowered);
        }
    }
}

#[tokio::test]
async fn a_refusal_for_too_many_messages_says_how_many_there_are() {
    let fitter = small().max_messages(2).when_stuck(WhenStuck::Refuse);
    let fitter = fitter.build().expect("settings that work");
    // The task and the question are pinned, and something has to stand for what is between.
    let failure = fitter.fit(chat(5, 20)).await.expect_err("too many");
    let FitError::TooManyMessages {
        messages,
        most,
        floor,
    } = failure.error
    else {
        panic!("{failure:?}");
    };
    assert_eq!((messages, most, floor), (12, 2, 4));
    assert!(is_final_overflow(&failure.error));
}
