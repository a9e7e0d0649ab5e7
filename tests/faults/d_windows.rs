//! D6 and G3, by the catalogue: the window is that of the model which a request names, wherever it
//! is served, and never a guess.

use std::sync::Arc;

use contextfit_core::chat::ChatRequest;
use contextfit_core::estimate::CharEstimator;
use contextfit_providers::Catalogue;
use contextfit_testing::provider::SimulatedProvider;
use contextfit_tests::{Erased, Scribe, Shape, bottom, estimate, provider, ptrs, send, sized};
use contextfit_tower::{FitError, Fitter, ModelSpec, Models};

/// What is built in, counted as these tests and their provider do.
fn catalogue() -> Catalogue {
    Catalogue::builtin().estimator_with(|_| Arc::new(CharEstimator::default()))
}

fn stack(shape: Shape, provider: &SimulatedProvider, models: impl Models + 'static) -> Erased {
    let fitter = Fitter::builder()
        .models(models)
        .summarizer(Scribe::default());
    shape.around(
        bottom(provider),
        &fitter.build().expect("settings that work"),
    )
}

fn asking(model: &str, request: &ChatRequest) -> ChatRequest {
    let mut request = request.clone();
    request.model = model.into();
    request
}

/// Whether a request reaches a provider as it is, which has room for all of them.
async fn is_untouched(shape: Shape, models: Catalogue, request: ChatRequest) -> bool {
    let provider = provider(2_000_000);
    let stack = stack(shape, &provider, models);
    send(&stack, request.clone()).await.expect("answered");
    let sent = provider.last_received().expect("sent");
    ptrs(&sent.request) == ptrs(&request)
}

#[tokio::test]
async fn d6_a_model_nobody_knows_is_an_error_and_no_call() {
    for shape in Shape::FITTING {
        for model in [
            "gpt-5-some-new-thing",
            "lagre",
            "ollama/llama-3.1-8b-instruct",
            "",
        ] {
            let provider = provider(2_000_000);
            let stack = stack(shape, &provider, catalogue());
            let error = send(&stack, asking(model, &sized(1_000))).await;
            let error = error.expect_err("nobody knows it");
            let error = error.downcast::<FitError>().expect("an error of the layer");
            assert!(
                matches!(*error, FitError::UnknownModel(_)),
                "{model}: {error}"
            );
            assert!(error.to_string().contains(model));
            assert_eq!(provider.calls(), 0);
        }
    }
}

#[tokio::test]
async fn d6_a_model_nobody_knows_has_the_window_that_is_said_to_hold_for_others() {
    for shape in Shape::FITTING {
        // Of gpt-4o, 111 616 tokens may be used.
        for (tokens, fits) in [(111_616, true), (111_617, false)] {
            let models = catalogue().otherwise_like("gpt-4o").expect("known");
            let request = asking("gpt-5-some-new-thing", &sized(tokens));
            assert_eq!(is_untouched(shape, models, request).await, fits, "{tokens}");
        }
    }
}

#[tokio::test]
async fn d6_a_model_has_the_window_of_whoever_serves_it() {
    let history = sized(100_000);
    for shape in Shape::FITTING {
        for (model, fits) in [
            ("gpt-4o", true),
            ("azure/gpt-4o-2024-08-06", true),
            // GitHub Copilot takes 64 000 tokens of input.
            ("github_copilot/gpt-4o", false),
            ("acme/gpt-4o", false),
        ] {
            let models = catalogue().model("acme/gpt-4o", ModelSpec::new(50_000));
            let request = asking(model, &history);
            assert_eq!(is_untouched(shape, models, request).await, fits, "{model}");
        }
    }
}

#[tokio::test]
async fn d6_the_window_that_the_user_gives_wins() {
    for shape in Shape::FITTING {
        for model in [
            "gpt-4o",
            "openai/gpt-4o-2024-08-06",
            "ft:gpt-4o-2024-08-06:acme::1",
        ] {
            for (window, tokens, fits) in [
                // Larger than the built-in one, and smaller.
                (200_000, 150_000, true),
                (50_000, 60_000, false),
            ] {
                let models = catalogue().model("gpt-4o", ModelSpec::new(window));
                let request = asking(model, &sized(tokens));
                let untouched = is_untouched(shape, models, request).await;
                assert_eq!(untouched, fits, "{model} of {window}");
            }
        }
    }
}

#[tokio::test]
async fn d6_a_limit_of_the_input_is_not_the_window() {
    // 400 000 tokens in all, 272 000 of input.
    for shape in Shape::FITTING {
        for (tokens, output, fits) in [
            (272_000, 128_000, true),
            (272_001, 128_000, false),
            // A short answer leaves no more room for input, …
            (272_001, 1_000, false),
            // … and a long one less.
            (240_000, 160_000, true),
            (240_001, 160_000, false),
        ] {
            let mut request = asking("gpt-5", &sized(tokens));
            request.max_tokens = Some(output);
            let untouched = is_untouched(shape, catalogue(), request).await;
            assert_eq!(untouched, fits, "{tokens} and {output}");
        }
    }
}

#[tokio::test]
async fn d6_no_room_is_kept_for_more_than_a_model_can_write() {
    // It holds 128 000 tokens, and writes 4 096 of them at the most.
    for (tokens, fits) in [(123_904, true), (123_905, false)] {
        let request = asking("gpt-4-turbo", &sized(tokens));
        let untouched = is_untouched(Shape::Joint, catalogue(), request).await;
        assert_eq!(untouched, fits, "{tokens}");
    }
}

#[tokio::test]
async fn g3_a_long_history_is_cut_for_the_smaller_model_by_its_name() {
    let history = sized(150_000);
    for shape in Shape::FITTING {
        let (large, small) = (provider(200_000), provider(32_768));
        let scribe = Scribe::default();
        let fitter = Fitter::builder()
            .models(catalogue())
            .summarizer(scribe.clone());
        let fitter = fitter.build().expect("settings that work");
        let [to_large, to_small] = [&large, &small].map(|one| shape.around(bottom(one), &fitter));
        for round in 1..=2 {
            let request = asking("us.anthropic.claude-sonnet-4-5-20250929-v1:0", &history);
            send(&to_large, request).await.expect("answered");
            let sent = large.last_received().expect("sent");
            assert_eq!(ptrs(&sent.request), ptrs(&history), "{shape:?}");

            let request = asking("Qwen/Qwen2.5-72B-Instruct", &history);
            send(&to_small, request).await.expect("answered");
            let sent = small.last_received().expect("sent");
            assert!(estimate(&sent.request) <= 32_768 * 3 / 4, "{shape:?}");
            assert_eq!((small.totals().overflows, scribe.calls()), (0, round));
        }
    }
}
