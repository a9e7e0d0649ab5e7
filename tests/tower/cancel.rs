//! A request may be given up at any await point, and the stack is as good as new.

use std::task::Poll;

use contextfit_core::chat::ChatRequest;
use contextfit_tests::{Erased, Hesitant, Shape, bottom, chat, provider, send, texts};
use contextfit_tower::{Fitter, chat_summarizer};
use tokio_test::task;
use tower::limit::ConcurrencyLimit;
use tower::{Service, ServiceExt};

/// More polls than any request here needs.
const ENOUGH: usize = 200;

/// A stack in which everything takes a few polls, and one request at a time may pass, a summary
/// too: a permit that isn't given back shows in the next request.
fn stack(shape: Shape, overflows: usize) -> Erased {
    let provider = provider(100_000).overflow_calls(overflows);
    let limited = ConcurrencyLimit::new(Hesitant::new(bottom(&provider), 2), 1);
    let limited = Erased::new(limited);
    let fitter = Fitter::builder()
        .window(4_000)
        .reserve(1_000)
        .summarizer(chat_summarizer(limited.clone(), "a-summarizer"))
        .build()
        .expect("settings that work");
    shape.around(limited, &fitter)
}

/// Gives a request up after so many polls; `true` if it came to its end before.
fn give_up(stack: &mut Erased, request: ChatRequest, after: usize) -> bool {
    let mut response = task::spawn(async { stack.ready().await?.call(request).await });
    (0..after).any(|_| response.poll().is_ready())
}

/// Whether a request through this very instance is answered.
fn is_answered(stack: &mut Erased, request: ChatRequest) -> bool {
    let mut response = task::spawn(async { stack.ready().await?.call(request).await });
    (0..ENOUGH).any(|_| matches!(response.poll(), Poll::Ready(Ok(_))))
}

#[test]
fn a_request_given_up_at_any_point_leaves_the_stack_usable() {
    for shape in Shape::ALL {
        for (request, overflows) in [
            (chat(12, 100), 0),
            (chat(12, 100), 1),
            (chat(40, 100), 0),
            (chat(40, 100), 1),
        ] {
            let mut points = 0;
            loop {
                let mut stack = stack(shape, overflows);
                let ended = give_up(&mut stack, request.clone(), points);
                if overflows > 0 {
                    // The scripted overflow may still be to come.
                    give_up(&mut stack, chat(1, 20), ENOUGH);
                }
                // The very instance, which may hold a permit of its own until it is called …
                let usable = is_answered(&mut stack, chat(1, 20))
                    && is_answered(&mut stack, chat(40, 100))
                    // … and a clone, which needs that permit.
                    && is_answered(&mut stack.clone(), chat(40, 100));
                assert!(usable, "{shape:?} after {points} polls");
                if ended {
                    break;
                }
                points += 1;
                assert!(points < ENOUGH, "{shape:?} never ends");
            }
            assert!(points > 4, "there were points to give up at");
        }
    }
}

#[test]
fn several_requests_given_up_at_once_leave_the_stack_usable() {
    for shape in Shape::ALL {
        for points in 0..40 {
            let stack = stack(shape, 0);
            let mut responses: Vec<_> = (0..5)
                .map(|_| task::spawn(send(&stack, chat(40, 100))))
                .collect();
            for _ in 0..points {
                responses.retain_mut(|response| response.poll().is_pending());
            }
            drop(responses);
            assert!(
                is_answered(&mut stack.clone(), chat(40, 100)),
                "{shape:?} after {points} polls"
            );
        }
    }
}

#[test]
fn a_fit_given_up_leaves_the_history_as_it_was() {
    let request = chat(40, 100);
    let before = texts(&request);
    for points in 0..20 {
        let mut stack = stack(Shape::Joint, 1);
        // The clone shares its texts with the caller's history.
        give_up(&mut stack, request.clone(), points);
        assert_eq!(texts(&request), before);
    }
}
