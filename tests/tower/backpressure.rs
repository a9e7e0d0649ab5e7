//! A layer is ready when what it wraps is, and waits for it again before every call.

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_testing::provider::ProviderError;
use contextfit_tests::{Scribe, TooLong, chat};
use contextfit_tower::{BoxError, ContextFitLayer, Fitter, OverflowRetryLayer};
use tokio_test::{assert_pending, assert_ready, assert_ready_err, assert_ready_ok, task};
use tower_test::mock::{self, Handle};

type Provider = Handle<ChatRequest, ChatResponse>;

fn fitter() -> Fitter {
    let summarizer = Scribe::default().pending(1);
    let builder = Fitter::builder()
        .window(4_000)
        .reserve(1_000)
        .summarizer(summarizer);
    builder.build().expect("settings that work")
}

fn joint() -> ContextFitLayer<contextfit_core::request::Native, TooLong> {
    ContextFitLayer::new(fitter()).overflow_retry(TooLong)
}

fn fits() -> ChatRequest {
    chat(12, 100)
}

fn is_too_long() -> ChatRequest {
    chat(40, 100)
}

/// The next request that reached the provider.
fn next(provider: &mut Provider) -> mock::SendResponse<ChatResponse> {
    let mut next = task::spawn(provider.next_request());
    let (_, respond) = assert_ready!(next.poll()).expect("the stack is there");
    respond
}

fn nothing_is_sent(provider: &mut Provider) {
    assert_pending!(task::spawn(provider.next_request()).poll());
}

fn answer() -> ChatResponse {
    ChatResponse::new("a-model", ChatMessage::assistant("Done."), "stop")
}

#[test]
fn a_layer_is_not_ready_while_the_inner_service_is_not() {
    macro_rules! check {
        ($layer:expr) => {
            let (mut service, mut provider) =
                mock::spawn_layer::<ChatRequest, ChatResponse, _>($layer);
            provider.allow(0);
            assert_pending!(service.poll_ready());
            assert!(!service.is_woken());
            provider.allow(1);
            assert!(service.is_woken());
            assert_ready_ok!(service.poll_ready());
        };
    }
    check!(ContextFitLayer::new(fitter()));
    check!(joint());
    check!(OverflowRetryLayer::new(fitter(), TooLong));
}

#[test]
fn a_request_that_fits_uses_the_readiness_there_is() {
    let (mut service, mut provider) = mock::spawn_layer::<ChatRequest, ChatResponse, _>(joint());
    provider.allow(1);
    assert_ready_ok!(service.poll_ready());
    let mut response = task::spawn(service.call(fits()));
    assert_pending!(response.poll());
    next(&mut provider).send_response(answer());
    assert_ready_ok!(response.poll());
}

#[test]
fn a_fitted_request_waits_until_the_inner_service_is_ready_again() {
    let (mut service, mut provider) = mock::spawn_layer::<ChatRequest, ChatResponse, _>(joint());
    provider.allow(1);
    assert_ready_ok!(service.poll_ready());
    provider.allow(0);
    let mut response = task::spawn(service.call(is_too_long()));
    // The summary, then readiness.
    for _ in 0..5 {
        assert_pending!(response.poll());
    }
    nothing_is_sent(&mut provider);
    provider.allow(1);
    assert!(response.is_woken());
    assert_pending!(response.poll());
    next(&mut provider).send_response(answer());
    assert_ready_ok!(response.poll());
}

#[test]
fn a_recovery_waits_until_the_inner_service_is_ready_again() {
    macro_rules! check {
        ($layer:expr) => {
            let (mut service, mut provider) =
                mock::spawn_layer::<ChatRequest, ChatResponse, _>($layer);
            provider.allow(1);
            assert_ready_ok!(service.poll_ready());
            let mut response = task::spawn(service.call(fits()));
            assert_pending!(response.poll());
            next(&mut provider).send_error(ProviderError::context_length(9_000, None, 8_000));
            for _ in 0..5 {
                assert_pending!(response.poll());
            }
            nothing_is_sent(&mut provider);
            provider.allow(1);
            assert!(response.is_woken());
            assert_pending!(response.poll());
            next(&mut provider).send_response(answer());
            assert_ready_ok!(response.poll());
        };
    }
    check!(joint());
    check!(OverflowRetryLayer::new(fitter(), TooLong));
}

#[test]
fn an_error_of_readiness_is_passed_on() {
    let says_broken = |error: BoxError| assert_eq!(error.to_string(), "broken");
    macro_rules! check {
        ($layer:expr) => {
            // Before the call …
            let (mut service, mut provider) =
                mock::spawn_layer::<ChatRequest, ChatResponse, _>($layer);
            provider.send_error("broken");
            says_broken(assert_ready_err!(service.poll_ready()));

            // … and before a request is sent once more.
            let (mut service, mut provider) =
                mock::spawn_layer::<ChatRequest, ChatResponse, _>($layer);
            assert_ready_ok!(service.poll_ready());
            let mut response = task::spawn(service.call(fits()));
            assert_pending!(response.poll());
            next(&mut provider).send_error(ProviderError::context_length(9_000, None, 8_000));
            assert_pending!(response.poll());
            provider.send_error("broken");
            says_broken(assert_ready_err!(response.poll()));
        };
    }
    check!(joint());
    check!(OverflowRetryLayer::new(fitter(), TooLong));

    // … and while a request is fitted.
    let (mut service, mut provider) =
        mock::spawn_layer::<ChatRequest, ChatResponse, _>(ContextFitLayer::new(fitter()));
    assert_ready_ok!(service.poll_ready());
    let mut response = task::spawn(service.call(is_too_long()));
    assert_pending!(response.poll());
    provider.send_error("broken");
    says_broken(assert_ready_err!(response.poll()));
}
