//! A success that is an overflow.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_testing::probe::ReadinessProbe;
use contextfit_tests::{Entry, Erased, Log, Scribe, Shape, chat, questions, send};
use contextfit_tower::{BoxError, Calibrator, ChatUsageReader, Fitter, Usage, UsageOverflow};
use tower::Service;

use crate::{recovering, small};

/// What comes after the first answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Fails,
    IsNotReady,
    Answers,
}

/// Gives an answer, and then something else.
#[derive(Clone)]
struct Once {
    answer: ChatResponse,
    then: Then,
    calls: Arc<AtomicUsize>,
}

impl Once {
    fn new(answer: ChatResponse, then: Then) -> Self {
        let calls = Arc::default();
        Self {
            answer,
            then,
            calls,
        }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Service<ChatRequest> for Once {
    type Response = ChatResponse;
    type Error = BoxError;
    type Future = std::future::Ready<Result<ChatResponse, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(if self.then == Then::IsNotReady && self.calls() > 0 {
            Err("closed".into())
        } else {
            Ok(())
        })
    }

    fn call(&mut self, request: ChatRequest) -> Self::Future {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        ready(match self.then {
            _ if number == 0 => Ok(self.answer.clone()),
            Then::Answers => {
                let message = ChatMessage::assistant("All of it.");
                Ok(ChatResponse::new(request.model, message, "stop").usage(1_000, 10))
            }
            _ => Err("no connection".into()),
        })
    }
}

fn fitter() -> Fitter {
    let fitter = small().summarizer(Scribe::default());
    fitter.build().expect("settings that work")
}

fn answer(stop: &str, prompt: u64, completion: u64) -> ChatResponse {
    let message = ChatMessage::assistant("The first");
    ChatResponse::new("a-model", message, stop).usage(prompt, completion)
}

#[tokio::test]
async fn the_first_answer_stands_when_the_second_attempt_fails() {
    for (answer, short) in [
        (answer("model_context_window_exceeded", 2_500, 40), false),
        (answer("model_context_window_exceeded", 3_990, 0), false),
        (answer("length", 3_990, 0), false),
        (answer("stop", 4_001, 3), false),
        (answer("length", 2_500, 40), true),
    ] {
        let classifier = UsageOverflow::new(ChatUsageReader).trust_short_stops(short);
        for shape in Shape::RECOVERING {
            for turns in [12, 40] {
                for then in [Then::Fails, Then::IsNotReady, Then::Answers] {
                    let service = Once::new(answer.clone(), then);
                    let inner = Erased::new(ReadinessProbe::new(service.clone()));
                    let stack = recovering(shape, inner, &fitter(), classifier);
                    let request = chat(turns, 100).max_tokens(100);
                    let given = send(&stack, request).await.expect("an answer");
                    let anew = then == Then::Answers;
                    assert_eq!(given == answer, !anew, "{shape:?} {then:?}");
                    let calls = if then == Then::IsNotReady { 1 } else { 2 };
                    assert_eq!(service.calls(), calls);
                }
            }
        }
    }
}

#[tokio::test]
async fn the_first_answer_stands_when_the_request_can_not_be_made_smaller() {
    for answer in [
        answer("model_context_window_exceeded", 2_500, 40),
        answer("length", 3_990, 0),
        answer("stop", 4_001, 3),
    ] {
        for shape in Shape::RECOVERING {
            let service = Once::new(answer.clone(), Then::Answers);
            let inner = Erased::new(ReadinessProbe::new(service.clone()));
            let classifier = UsageOverflow::new(ChatUsageReader);
            let stack = recovering(shape, inner, &fitter(), classifier);
            let given = send(&stack, questions(1, 2_500)).await;
            assert_eq!(given.expect("an answer"), answer);
            assert_eq!(service.calls(), 1);
        }
    }
}

#[tokio::test]
async fn a_short_stop_is_an_overflow_only_where_it_is_trusted() {
    for (prompt, completion, asked, short) in [
        (2_500, 40, Some(100), true),
        (2_500, 99, Some(100), true),
        (10, 1, Some(100), true),
        (2_500, 100, Some(100), false),
        (2_500, 40, None, false),
        (10, 0, Some(100), false),
    ] {
        for trust in [None, Some(false), Some(true)] {
            for shape in Shape::RECOVERING {
                let mut classifier = UsageOverflow::new(ChatUsageReader);
                if let Some(trust) = trust {
                    classifier = classifier.trust_short_stops(trust);
                }
                let answer = answer("length", prompt, completion);
                let service = Once::new(answer.clone(), Then::Answers);
                let inner = Erased::new(ReadinessProbe::new(service.clone()));
                let stack = recovering(shape, inner, &fitter(), classifier);
                let mut request = chat(12, 100);
                request.max_tokens = asked;
                let given = send(&stack, request).await.expect("an answer");
                let again = short && trust == Some(true);
                assert_eq!(service.calls(), if again { 2 } else { 1 });
                assert_eq!(given == answer, !again);
            }
        }
    }
}

#[tokio::test]
async fn an_answer_that_the_window_cut_off_is_recovered() {
    // As llama.cpp answers: there is no error, and the total is the window.
    for (prompt, completion, asked, cut_off) in [
        (3_000, 1_000, Some(1_500), true),
        (3_000, 1_000, None, true),
        (3_000, 1_000, Some(1_000), false),
        (3_000, 999, Some(1_500), false),
        (1_000, 3_000, None, false),
    ] {
        for shape in Shape::RECOVERING {
            let answer = answer("length", prompt, completion);
            let service = Once::new(answer.clone(), Then::Answers);
            let inner = Erased::new(ReadinessProbe::new(service.clone()));
            let classifier = UsageOverflow::new(ChatUsageReader);
            let stack = recovering(shape, inner, &fitter(), classifier);
            let mut request = chat(12, 100);
            request.max_tokens = asked;
            let given = send(&stack, request).await.expect("an answer");
            let what = format!("{shape:?} {prompt} + {completion} of {asked:?}");
            assert_eq!(service.calls(), if cut_off { 2 } else { 1 }, "{what}");
            assert_eq!(given == answer, !cut_off, "{what}");
        }
    }
}

#[tokio::test]
async fn a_prompt_that_was_read_in_part_is_reported_and_sent_again_only_where_that_is_trusted() {
    // The request is estimated at about 2 600 tokens.
    for (counted, in_part) in [(500, true), (800, false), (0, false)] {
        for trust in [false, true] {
            for shape in Shape::RECOVERING {
                let answer = answer("stop", counted, 40);
                let service = Once::new(answer.clone(), Then::Answers);
                let inner = Erased::new(ReadinessProbe::new(service.clone()));
                let log = Log::default();
                let fitter = small().summarizer(Scribe::default()).observer(log.clone());
                let fitter = fitter.build().expect("settings that work");
                let classifier = UsageOverflow::new(ChatUsageReader).trust_truncation(trust);
                let stack = recovering(shape, inner, &fitter, classifier);
                let given = send(&stack, chat(12, 100)).await.expect("an answer");

                let (again, said) = (in_part && trust, in_part && !trust);
                let what = format!("{shape:?}, {counted} counted, trusted {trust}");
                assert_eq!(service.calls(), if again { 2 } else { 1 }, "{what}");
                assert_eq!(given == answer, !again, "{what}");
                assert_eq!(log.entries().contains(&Entry::Truncated), said, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn what_was_counted_before_says_more_closely_that_a_prompt_was_read_in_part() {
    for (counted, in_part) in [(1_290, true), (1_310, false)] {
        let log = Log::default();
        let builder = small().calibrator(Calibrator::default());
        let fitter = builder.observer(log.clone()).build();
        let fitter = fitter.expect("settings that work");
        let mut request = chat(12, 100);
        let before = Usage::new(2_600, 40);
        fitter.learn(&request, &before).expect("readable");
        request.messages.push(ChatMessage::assistant("Yes."));
        request.messages.push(ChatMessage::user("Why?"));

        let service = Once::new(answer("stop", counted, 40), Then::Answers);
        let inner = Erased::new(ReadinessProbe::new(service));
        let classifier = UsageOverflow::new(ChatUsageReader);
        let stack = recovering(Shape::Joint, inner, &fitter, classifier);
        send(&stack, request).await.expect("an answer");
        assert_eq!(
            log.entries().contains(&Entry::Truncated),
            in_part,
            "{counted}"
        );
    }
}
