//! 12 to 15: what a conversation may use, per model and beside what is fixed.

use contextfit_core::budget::{Budget, BudgetError, BudgetRules, Window};
use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_tests::{Scribe, Shape, bottom, provider, ptrs, send, text};
use contextfit_tower::{FitError, Fitter, FitterBuilder, ModelSpec, ModelTable, UnknownWindow};
use serde_json::value::RawValue;

use crate::{EXACT, built, kept, preset, talk, under_system, without_numbers};

/// The limit of a request that is over it.
async fn limit(builder: FitterBuilder, mut request: ChatRequest, model: &str) -> u64 {
    request.model = model.into();
    let fitter = built(builder.summarizer(Scribe::default()));
    let report = fitter.fit(request).await.expect("fits").report;
    report.expect("it was over its limit").limit
}

#[tokio::test]
async fn b12_the_ceiling_is_the_smaller_of_the_callers_maximum_and_the_models_window() {
    let builder = || {
        let models = ModelTable::new()
            .model("small", ModelSpec::new(2_000))
            .model("large", ModelSpec::new(9_000));
        preset(1).models(models).max_context_tokens(4_000)
    };
    // Each request by its own model; the maximum stands for a window that isn't known.
    for (model, ceiling) in [("small", 2_000), ("large", 4_000), ("other", 4_000)] {
        let request = talk(&[100; 60]);
        assert_eq!(limit(builder(), request, model).await, ceiling, "{model}");
    }
}

/// Ours differs: a model whose window isn't known is an error where nothing else is set.
#[tokio::test]
async fn b12_no_table_of_windows_is_shipped() {
    let models = ModelTable::new().model("small", ModelSpec::new(2_000));
    let fitter = built(preset(1).models(models));
    let failure = fitter.fit(talk(&[1])).await.expect_err("an unknown model");
    assert!(matches!(failure.error, FitError::UnknownModel(_)));
    assert_eq!(UnknownWindow::default(), UnknownWindow::CallersMaximum);
}

/// Ours differs: tokens are kept free for the reply unless that is set to none, or the last
/// message before the limit gets no answer.
#[tokio::test]
async fn b12_no_output_is_reserved_where_that_is_set() {
    let reserving = Fitter::builder().topic_and_half().estimator(EXACT);
    let request = || talk(&[100; 60]);
    assert_eq!(
        limit(reserving.window(4_000), request(), "a-model").await,
        3_000
    );
    assert_eq!(limit(preset(4_000), request(), "a-model").await, 4_000);
}

/// A tool whose schema has so many tokens.
fn tool(tokens: usize) -> Box<RawValue> {
    let frame = r#"{"name":""}"#;
    let name = "n".repeat(tokens * 4 - frame.len());
    RawValue::from_string(frame.replace(r#""""#, &format!("{name:?}"))).expect("json")
}

#[test]
fn b13_the_overhead_is_the_system_message_and_the_schemas_of_native_tools() {
    let fitter = built(preset(4_000));
    let measured = |request: &ChatRequest| fitter.measure(request).expect("readable");
    let request = under_system(300, talk(&[100, 100]));
    assert_eq!(measured(&request).fixed, 300);
    let mut with_tools = request.clone();
    with_tools.tools = Some([tool(50), tool(70)].into());
    assert_eq!(measured(&with_tools).fixed, 420);
    assert_eq!(measured(&with_tools).messages, 200);
    // Tools that the system message describes are its text, and counted once.
    let mut in_words = request;
    let described = format!(
        "{}{}",
        text("You are careful.", 304),
        tool(70).get().repeat(2)
    );
    in_words.messages[0] = ChatMessage::system(described);
    assert_eq!(measured(&in_words).fixed, 440);
}

#[tokio::test]
async fn b13_the_overhead_leaves_the_rest_to_the_messages() {
    for (last, calls) in [(100, 0), (101, 1)] {
        let scribe = Scribe::default();
        let fitter = built(preset(4_000).summarizer(scribe.clone()));
        let mut request = under_system(300, talk(&[100, 1_700, 1_680, last]));
        request.tools = Some([tool(50), tool(70)].into());
        fitter.fit(request).await.expect("fits");
        assert_eq!(scribe.calls(), calls, "{last}");
    }
}

/// Ours differs: a layer knows no agent to name.
#[tokio::test]
async fn b14_an_overhead_of_the_ceiling_or_more_is_refused_with_both_numbers_and_a_remedy() {
    for (window, system) in [(1, 1), (1, 700), (400, 400), (400, 401), (4_000, 90_000)] {
        let (provider, scribe) = (provider(100_000), Scribe::default());
        let fitter = built(preset(window).summarizer(scribe.clone()));
        let stack = Shape::Joint.around(bottom(&provider), &fitter);
        let request = under_system(system, talk(&[100; 60]));
        let error = send(&stack, request).await.expect_err("no room");
        let fixed = u64::try_from(system).expect("small");
        assert!(
            matches!(
                error.downcast_ref(),
                Some(FitError::NoRoom(BudgetError::FixedPartTooLarge { fixed: found, ceiling }))
                    if (*found, *ceiling) == (fixed, window)
            ),
            "{error:?}"
        );
        let said = error.to_string();
        assert!(said.contains(&format!("{fixed} of {window} tokens")));
        assert!(said.contains("shorten the system prompt or offer fewer tools"));
        assert_eq!((provider.calls(), scribe.calls()), (0, 0));
    }
}

#[tokio::test]
async fn b14_an_overhead_below_the_ceiling_leaves_what_is_left() {
    let fitter = built(preset(400));
    let request = under_system(399, talk(&[1]));
    let fitted = fitter.fit(request.clone()).await.expect("fits");
    assert_eq!(ptrs(&fitted.request), ptrs(&request));
}

#[test]
fn b15_the_target_is_half_of_what_the_overhead_leaves_rounded_down() {
    let mut rules = BudgetRules::default();
    rules.reserve = Some(0);
    for (window, fixed, limit, target) in [
        (4_000, 0, 4_000, 2_000),
        (4_000, 401, 3_599, 1_799),
        (4_000, 3_999, 1, 0),
    ] {
        let budget = Budget::new(Window::new(window), &rules, fixed, None, None);
        let budget = budget.expect("room");
        assert_eq!((budget.limit, budget.target), (limit, target));
    }
}

/// Ours differs: half of what was sent, the overhead apart, and not of what was thought to fit;
/// for a request that filled its limit it is the same.
#[tokio::test]
async fn b15_after_an_overflow_half_is_available_and_a_quarter_the_target() {
    for (messages, newest) in [(36, 9), (20, 5)] {
        let provider = provider(100_000).overflow_calls(1);
        let fitter = built(preset(4_000).summarizer(Scribe::default()));
        let request = under_system(400, talk(&vec![100; messages]));
        let stack = without_numbers(&provider, fitter.clone());
        send(&stack, request.clone()).await.expect("recovered");
        let [first, second] = &provider.received()[..] else {
            panic!("two calls");
        };
        assert_eq!(ptrs(&first.request), ptrs(&request));
        // The system message, and a quarter of the messages, the topic among them.
        let kept = kept(&request, &second.request);
        assert_eq!((kept[1], kept.len()), (1, 1 + newest));
        let measured = fitter.measure(&second.request).expect("readable");
        let half = u64::try_from(messages * 100 / 2).expect("small");
        assert!(measured.messages <= half);
    }
}
