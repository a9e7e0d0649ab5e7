//! What the provider does, from outside.

use std::time::{Duration, Instant};

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::estimate::{CharEstimator, measure};
use tower::ServiceExt;

use super::*;

fn ask(text: &str) -> ChatRequest {
    ChatRequest::new("m", [ChatMessage::user(text)])
}

/// Costs 7 + 10 tokens.
fn ten() -> ChatRequest {
    ask("go go go go go go go go go go")
}

async fn call(
    provider: &SimulatedProvider,
    request: ChatRequest,
) -> Result<ChatResponse, ProviderError> {
    provider.clone().oneshot(request).await
}

async fn error_kind(provider: &SimulatedProvider, request: ChatRequest) -> ProviderErrorKind {
    call(provider, request).await.unwrap_err().kind
}

fn usage(response: &ChatResponse) -> (u64, u64) {
    let usage = response.usage.as_ref().unwrap();
    (usage.prompt_tokens, usage.completion_tokens)
}

fn finish_reason(response: &ChatResponse) -> &str {
    response.choices[0].finish_reason.as_deref().unwrap()
}

#[tokio::test]
async fn answers_with_usage_by_its_own_count() {
    let provider = SimulatedProvider::new(1_000);
    let response = call(&provider, ten()).await.unwrap();
    assert_eq!(response.text(), "Done.");
    assert_eq!(&*response.model, "m");
    assert_eq!(finish_reason(&response), "stop");
    assert_eq!(usage(&response), (17, 2));
}

#[tokio::test]
async fn the_answer_may_depend_on_the_request() {
    let provider = SimulatedProvider::new(1_000).answer_with(|request| {
        ChatMessage::assistant("").call("c", "count", request.messages.len().to_string())
    });
    let response = call(&provider, ten()).await.unwrap();
    assert_eq!(response.choices[0].message.tool_calls[0].arguments(), "1");
    assert_eq!(finish_reason(&response), "tool_calls");
    assert_eq!(usage(&response), (17, 2));
}

#[tokio::test]
async fn a_prompt_of_just_the_window_fits() {
    assert!(call(&SimulatedProvider::new(17), ten()).await.is_ok());
    assert_eq!(
        error_kind(&SimulatedProvider::new(16), ten()).await,
        ProviderErrorKind::ContextLength {
            prompt: 17,
            output: None,
            window: 16
        }
    );
}

#[tokio::test]
async fn the_output_asked_for_counts() {
    assert!(
        call(&SimulatedProvider::new(22), ten().max_tokens(5))
            .await
            .is_ok()
    );
    let mut newer = ten();
    newer.max_completion_tokens = Some(5);
    for request in [ten().max_tokens(5), newer] {
        let error = call(&SimulatedProvider::new(21), request)
            .await
            .unwrap_err();
        assert_eq!(error.status, 400);
        assert!(error.body.contains(
            "maximum context length is 21 tokens. However, you requested 22 tokens \
             (17 in the messages, 5 in the completion)"
        ));
    }
}

#[tokio::test]
async fn structure_is_checked_before_the_length() {
    let broken = ChatRequest::new("m", [ChatMessage::tool("a", "x ".repeat(100))]);
    let provider = SimulatedProvider::new(20);
    let stray = StructureError::Stray {
        message: 0,
        id: "a".into(),
    };
    assert_eq!(
        error_kind(&provider, broken.clone()).await,
        ProviderErrorKind::Structure(stray.clone())
    );
    assert_eq!(
        provider.last_received().unwrap().outcome,
        Outcome::Structure(stray)
    );
    let lenient = provider.check_structure(false);
    assert!(matches!(
        error_kind(&lenient, broken).await,
        ProviderErrorKind::ContextLength { .. }
    ));
}

#[tokio::test]
async fn counts_a_multiple_of_the_clients_estimate() {
    let estimate = measure(&ten(), &CharEstimator::default()).prompt();
    for (factor, prompt, completion) in [
        (1.0, estimate, 1),
        (2.5, (estimate * 5).div_ceil(2), 3),
        (0.5, estimate.div_ceil(2), 1),
        (-1.0, 0, 0),
        (f64::NAN, 0, 0),
    ] {
        let provider = SimulatedProvider::new(1_000).counting(Counting::Estimate { factor });
        let response = call(&provider, ten()).await.unwrap();
        assert_eq!(usage(&response), (prompt, completion), "{factor}");
    }
    let immense = SimulatedProvider::new(1_000).counting(Counting::Estimate {
        factor: f64::INFINITY,
    });
    assert!(call(&immense, ten().max_tokens(1)).await.is_err());
}

#[tokio::test]
async fn hidden_tokens_add_to_every_prompt() {
    let provider = SimulatedProvider::new(1_000).hidden_tokens(100);
    assert_eq!(usage(&call(&provider, ten()).await.unwrap()), (117, 2));
    let provider = SimulatedProvider::new(116).hidden_tokens(100);
    assert!(call(&provider, ten()).await.is_err());
    let most = SimulatedProvider::new(1_000).hidden_tokens(u64::MAX);
    assert!(call(&most, ten().max_tokens(5)).await.is_err());
}

#[tokio::test]
async fn a_prompt_may_be_truncated_silently() {
    let provider = SimulatedProvider::new(12).overflow(Overflowing::TruncateSilently);
    let response = call(&provider, ten()).await.unwrap();
    assert_eq!(usage(&response), (12, 2));
    assert_eq!(finish_reason(&response), "stop");
    let received = provider.last_received().unwrap();
    assert_eq!(
        (received.prompt, &received.outcome),
        (17, &Outcome::Overflow)
    );
    // A prompt that fits isn't touched, also where the output doesn't fit beside it.
    let response = call(&provider, ask("go").max_tokens(5)).await.unwrap();
    assert_eq!(usage(&response), (8, 2));
}

#[tokio::test]
async fn a_full_window_leaves_no_room_to_answer() {
    let provider = SimulatedProvider::new(12).overflow(Overflowing::FullWindow);
    let response = call(&provider, ten()).await.unwrap();
    assert_eq!(usage(&response), (12, 0));
    assert_eq!(finish_reason(&response), "length");
    assert_eq!(response.text(), "");
    let response = call(&provider, ask("go")).await.unwrap();
    assert_eq!(finish_reason(&response), "stop");
}

#[tokio::test]
async fn the_first_calls_overflow_whatever_they_are() {
    let provider = SimulatedProvider::new(1_000).overflow_calls(2);
    for _ in 0..2 {
        assert_eq!(
            error_kind(&provider, ask("go")).await,
            ProviderErrorKind::ContextLength {
                prompt: 1_001,
                output: None,
                window: 1_000
            }
        );
    }
    assert!(call(&provider, ask("go")).await.is_ok());

    // In the other ways to overflow too, and with a conversation that is broken.
    let provider = SimulatedProvider::new(1_000)
        .overflow_calls(2)
        .overflow(Overflowing::TruncateSilently);
    assert_eq!(
        usage(&call(&provider, ask("go")).await.unwrap()),
        (1_000, 2)
    );
    assert!(call(&provider, ChatRequest::new("m", [])).await.is_ok());
    assert!(call(&provider, ChatRequest::new("m", [])).await.is_err());
}

#[tokio::test]
async fn a_scripted_overflow_of_what_is_too_long_tells_the_truth() {
    let provider = SimulatedProvider::new(21).overflow_calls(1);
    assert_eq!(
        error_kind(&provider, ten().max_tokens(5)).await,
        ProviderErrorKind::ContextLength {
            prompt: 17,
            output: Some(5),
            window: 21
        }
    );
}

#[tokio::test]
async fn fails_after_so_many_calls() {
    let provider = SimulatedProvider::new(1_000)
        .overflow_calls(1)
        .fail_after(2, 503);
    assert!(call(&provider, ten()).await.is_err());
    assert!(call(&provider, ten()).await.is_ok());
    for _ in 0..2 {
        let error = call(&provider, ten()).await.unwrap_err();
        assert_eq!(
            (error.status, error.kind),
            (503, ProviderErrorKind::Scripted)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_delay_holds_the_reply_back() {
    let provider = SimulatedProvider::new(1_000).delay(Duration::from_secs(60));
    let start = tokio::time::Instant::now();
    call(&provider, ten()).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(60));
    // A call that is dropped before its time was received.
    let dropped = tokio::time::timeout(Duration::from_secs(1), call(&provider, ten())).await;
    assert!(dropped.is_err());
    assert_eq!(provider.calls(), 2);
}

#[tokio::test]
async fn the_record_is_shared_by_clones_and_complete() {
    let provider = SimulatedProvider::new(20).fail_after(3, 500);
    let other = provider.clone();
    let request = ten();
    call(&provider, request.clone()).await.unwrap();
    call(&other, ten().max_tokens(50)).await.unwrap_err();
    call(&provider, ChatRequest::new("m", []))
        .await
        .unwrap_err();
    call(&other, ten()).await.unwrap_err();
    let received = provider.received();
    let outcomes: Vec<_> = received.iter().map(|call| call.outcome.clone()).collect();
    assert_eq!(
        outcomes,
        [
            Outcome::Answered,
            Outcome::Overflow,
            Outcome::Structure(StructureError::Empty),
            Outcome::Scripted(500),
        ]
    );
    assert_eq!(received[0].request.messages, request.messages);
    assert_eq!(received[1].request.max_tokens, Some(50));
    assert_eq!((received[3].number, received[3].prompt), (3, 17));
    assert_eq!(
        provider.totals(),
        Totals {
            calls: 4,
            answered: 1,
            overflows: 1,
            structure_errors: 1,
            scripted: 1,
            prompt_tokens: 3 * 17 + 3,
        }
    );
    assert_eq!(other.calls(), 4);
}

#[tokio::test]
async fn the_record_may_be_short() {
    let provider = SimulatedProvider::new(1_000).keep_last(2);
    for _ in 0..5 {
        call(&provider, ten()).await.unwrap();
    }
    let numbers: Vec<_> = provider.received().iter().map(|call| call.number).collect();
    assert_eq!(numbers, [3, 4]);
    let provider = provider.keep_last(0);
    call(&provider, ten()).await.unwrap();
    assert!(provider.last_received().is_none());
    assert_eq!(provider.calls(), 6);
}

#[tokio::test]
async fn an_answer_may_look_at_the_record() {
    let provider = SimulatedProvider::new(1_000);
    let seen = provider.clone();
    let provider = provider.answer_with(move |_| ChatMessage::assistant(seen.calls().to_string()));
    assert_eq!(call(&provider, ten()).await.unwrap().text(), "1");
}

#[tokio::test]
async fn a_long_replay_stays_fast() {
    let messages = (0..900).map(|number| {
        let text = format!("{number} {}", "the same words again ".repeat(100));
        ChatMessage::user(text)
    });
    let request = ChatRequest::new("m", messages);
    let provider = SimulatedProvider::new(1_000_000).keep_last(1);
    // Loads the tokenizer.
    assert_eq!(provider.prompt_tokens(&ten()), 17);
    let start = Instant::now();
    call(&provider, request.clone()).await.unwrap();
    let first = start.elapsed();
    for _ in 0..100 {
        call(&provider, request.clone()).await.unwrap();
    }
    // Counting anew each time would take a hundred times as long as the first.
    assert!(start.elapsed() < 30 * first);
}
