//! What an overflow teaches of a model's window.

use contextfit_core::budget::Window;
use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_testing::provider::{ProviderError, ProviderErrorKind};
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::{Shape, TooLong, bottom, estimate, provider, ptrs, send, sized};
use contextfit_tower::{
    BoxError, Fitter, FitterBuilder, Overflow, OverflowClassifier, Scope, WhenStuck, classifier_fn,
};

use crate::{ask, recovering, t, talk};

/// Reads every overflow as this one.
fn reads(overflow: Overflow) -> impl OverflowClassifier<ChatResponse, BoxError> + Clone + 'static {
    classifier_fn(move |_, result: &Result<ChatResponse, BoxError>| {
        let error: &ProviderError = result.as_ref().err()?.downcast_ref()?;
        matches!(error.kind, ProviderErrorKind::ContextLength { .. }).then_some(overflow)
    })
}

fn large() -> FitterBuilder {
    Fitter::builder()
        .summary_keys(summary_keys())
        .window(128_000)
}

/// A request with a fixed part, and with messages, of so many tokens.
fn with_fixed(fixed: usize, messages: usize) -> ChatRequest {
    let system = ChatMessage::system(t(fixed - 4));
    let count = messages.div_ceil(1_000) | 1;
    ask(std::iter::once(system).chain(talk(count, messages / count - 4)))
}

#[tokio::test]
async fn a_bogus_overflow_does_not_brick_a_model() {
    let bogus = Overflow::new().input(5_000);
    for overflow in [
        bogus.limit(2_013, Scope::Total),
        bogus.limit(2_013, Scope::Input),
        bogus.output(700).limit(2_013, Scope::Total),
        bogus.limit(3_000, Scope::Input),
    ] {
        for (stuck, asked) in [
            (WhenStuck::Send, None),
            (WhenStuck::Refuse, None),
            (WhenStuck::Refuse, Some(4_000)),
        ] {
            for shape in Shape::RECOVERING {
                let provider = provider(128_000).overflow_calls(1);
                let fitter = large().when_stuck(stuck);
                let fitter = fitter.build().expect("settings that work");
                let stack = recovering(shape, bottom(&provider), &fitter, reads(overflow));
                let _ = send(&stack, with_fixed(3_000, 2_000)).await;
                for messages in [10, 500, 2_000, 60_000] {
                    let mut request = with_fixed(3_000, messages);
                    request.max_tokens = asked;
                    send(&stack, request.clone()).await.expect("sent");
                    let sent = provider.last_received().expect("sent");
                    assert_eq!(
                        ptrs(&sent.request),
                        ptrs(&request),
                        "{shape:?} {overflow:?}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_bogus_limit_above_the_fixed_part_refuses_nothing() {
    let bogus = Overflow::new().input(5_000).limit(2_013, Scope::Total);
    for fixed in [500, 1_950] {
        let provider = provider(128_000).overflow_calls(1);
        let fitter = large().when_stuck(WhenStuck::Refuse);
        let fitter = fitter.build().expect("settings that work");
        let stack = recovering(Shape::Joint, bottom(&provider), &fitter, reads(bogus));
        let _ = send(&stack, with_fixed(fixed, 3_000)).await;
        // One question, so there is nothing to cut.
        for question in [100, 1_900, 60_000] {
            let system = ChatMessage::system(t(fixed));
            let request = ask([system, ChatMessage::user(t(question))]);
            send(&stack, request.clone()).await.expect("sent");
            let sent = provider.last_received().expect("sent");
            assert_eq!(ptrs(&sent.request), ptrs(&request));
        }
    }
}

#[tokio::test]
async fn a_plausible_smaller_limit_is_learned() {
    for shape in [Shape::Joint, Shape::Stacked] {
        for scope in [Scope::Total, Scope::Input] {
            for fixed in [100, 1_000, 3_000] {
                let provider = provider(8_192);
                let fitter = large().build().expect("settings that work");
                let overflow = Overflow::new().input(30_000).limit(8_192, scope);
                let stack = recovering(shape, bottom(&provider), &fitter, reads(overflow));
                let first = with_fixed(fixed, 30_000 - fixed);
                send(&stack, first).await.expect("recovered");
                assert_eq!((provider.calls(), provider.totals().overflows), (2, 1));
                // From now on it is fitted before it is sent, with a quarter kept for the reply.
                for messages in [3_000, 5_500, 9_000, 30_000, 60_000] {
                    let request = with_fixed(fixed, messages);
                    let calls = provider.calls();
                    send(&stack, request.clone()).await.expect("fitted");
                    assert_eq!(provider.calls(), calls + 1);
                    let sent = provider.last_received().expect("sent");
                    assert_eq!(
                        ptrs(&sent.request) != ptrs(&request),
                        estimate(&request) > 6_144,
                        "{shape:?} {scope:?} {fixed} {messages}"
                    );
                }
                assert_eq!(provider.totals().overflows, 1);
            }
        }
    }
}

#[tokio::test]
async fn nothing_is_learned_above_the_window() {
    for (input, limit) in [(300_000, 200_000), (130_000, 128_000), (128_500, 128_001)] {
        for scope in [Scope::Total, Scope::Input] {
            for shape in [Shape::Joint, Shape::Stacked] {
                let provider = provider(1_000_000).overflow_calls(1);
                let fitter = large().build().expect("settings that work");
                let overflow = Overflow::new().input(input).limit(limit, scope);
                let stack = recovering(shape, bottom(&provider), &fitter, reads(overflow));
                let _ = send(&stack, sized(100_000)).await;
                // What the window leaves beside the reserve, as before.
                for (prompt, fits) in [(111_616, true), (111_617, false), (150_000, false)] {
                    let request = sized(prompt);
                    send(&stack, request.clone()).await.expect("sent");
                    let sent = provider.last_received().expect("sent");
                    assert_eq!(ptrs(&sent.request) == ptrs(&request), fits);
                    assert!(estimate(&sent.request) <= 111_616);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_limit_is_learned_for_its_own_model() {
    for taught in ["a", "b", ""] {
        for shape in [Shape::Joint, Shape::Stacked] {
            let provider = provider(128_000).overflow_calls(1);
            let fitter = large().build().expect("settings that work");
            let overflow = Overflow::new().input(30_000).limit(8_192, Scope::Total);
            let stack = recovering(shape, bottom(&provider), &fitter, reads(overflow));
            let for_model = |model: &str| {
                let mut request = sized(30_000);
                request.model = model.into();
                request
            };
            send(&stack, for_model(taught)).await.expect("recovered");
            for model in ["a", "b", ""] {
                let request = for_model(model);
                send(&stack, request.clone()).await.expect("sent");
                let sent = provider.last_received().expect("sent");
                let untouched = ptrs(&sent.request) == ptrs(&request);
                assert_eq!(untouched, model != taught, "{model:?} after {taught:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_input_limit_that_was_known_changes_nothing() {
    for limit in [272_000, 300_000] {
        for reserve in [None, Some(8_000), Some(100_000)] {
            let provider = provider(1_000_000).overflow_calls(1);
            let window = Window::new(400_000).input_limit(272_000);
            let mut fitter = Fitter::builder()
                .summary_keys(summary_keys())
                .window(window);
            if let Some(reserve) = reserve {
                fitter = fitter.reserve(reserve);
            }
            let fitter = fitter.build().expect("settings that work");
            let overflow = Overflow::new()
                .input(limit + 8_000)
                .limit(limit, Scope::Input);
            let stack = recovering(Shape::Joint, bottom(&provider), &fitter, reads(overflow));
            let _ = send(&stack, sized(260_000)).await;
            for (prompt, fits) in [(260_000, true), (272_000, true), (272_001, false)] {
                let request = sized(prompt);
                send(&stack, request.clone()).await.expect("sent");
                let sent = provider.last_received().expect("sent");
                assert_eq!(ptrs(&sent.request) == ptrs(&request), fits);
            }
        }
    }
}

#[tokio::test]
async fn a_limit_is_learned_from_a_real_error_too() {
    for (window, asked) in [(8_192, None), (8_192, Some(1_000)), (16_000, Some(4_000))] {
        let provider = provider(window);
        let fitter = large().build().expect("settings that work");
        let stack = recovering(Shape::Joint, bottom(&provider), &fitter, TooLong);
        for _ in 0..3 {
            let mut request = sized(30_000);
            request.max_tokens = asked;
            send(&stack, request).await.expect("it fits in the end");
        }
        assert_eq!((provider.calls(), provider.totals().overflows), (4, 1));
    }
}
