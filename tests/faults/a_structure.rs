//! A. What is left after a cut is a conversation that a provider accepts.

use contextfit_core::budget::BudgetError;
use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::table::Pins;
use contextfit_testing::provider::check_structure;
use contextfit_tests::{
    Erased, Log, Scribe, Shape, agent, bottom, chat, content, estimate, policies, provider,
    questions, send, text,
};
use contextfit_tower::{FitError, Fitter};
use tower::ServiceExt;

/// The work of agents that name their calls in different ways, of one turn and of several.
fn agents() -> Vec<ChatRequest> {
    let reused_each_turn = |_, round, call| format!("call_{round}_{call}");
    let reused_each_round = |_, _, call| format!("call_{call}");
    let unique = |turn, round, call| format!("call_{turn}_{round}_{call}");
    let mut in_order = agent(2, 3, 60, unique);
    for round in in_order
        .messages
        .chunk_by_mut(|one, next| one.role == ChatRole::Tool && next.role == ChatRole::Tool)
    {
        round.reverse();
    }
    vec![
        agent(2, 3, 60, unique),
        agent(2, 3, 60, reused_each_turn),
        agent(2, 3, 60, reused_each_round),
        agent(1, 8, 60, unique),
        in_order,
    ]
}

/// Windows for a request, without a reserve: just too small, and much too small.
fn windows(request: &ChatRequest) -> [u64; 2] {
    [estimate(request) - 1, estimate(request) / 2]
}

#[tokio::test]
async fn a1_no_cut_separates_a_call_from_its_results() {
    let mut cuts = 0;
    for request in agents() {
        assert_eq!(check_structure(&request), Ok(()));
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                for (shape, pins, overflows) in [
                    (Shape::Fit, Pins::BOTH, 0),
                    (Shape::Fit, Pins::NONE, 0),
                    // A recovery cuts too.
                    (Shape::Joint, Pins::NONE, 1),
                    (Shape::Retry, Pins::BOTH, 1),
                ] {
                    let (provider, log) =
                        (provider(100_000).overflow_calls(overflows), Log::default());
                    let fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .policy(policy.clone())
                        .pins(pins)
                        .summarizer(Scribe::new("They worked."))
                        .observer(log.clone())
                        .build()
                        .expect("settings that work");
                    let _ = send(&shape.around(bottom(&provider), &fitter), request.clone()).await;
                    for call in provider.received() {
                        assert_eq!(check_structure(&call.request), Ok(()));
                    }
                    cuts += log
                        .reports()
                        .iter()
                        .filter(|report| report.summarized > 0)
                        .count();
                }
            }
        }
    }
    assert!(cuts > 1_000, "{cuts} cuts are a test of something");
}

#[tokio::test]
async fn a3_a_user_speaks_first_whatever_is_cut() {
    let mut greeting = chat(8, 60);
    greeting.messages.insert(
        1,
        ChatMessage::assistant(text("What can I do for you?", 60)),
    );
    let mut no_system = chat(8, 60);
    no_system.messages.remove(0);
    let requests = agents()
        .into_iter()
        .chain([chat(8, 60), greeting, no_system]);
    for request in requests {
        let first_was = spoken(&request)[0].role;
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                // With a summary, and with a notice that there is none.
                for summarizer in [Some(Scribe::new("They worked.")), None] {
                    let (provider, log) = (provider(100_000), Log::default());
                    let mut fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .policy(policy.clone())
                        .pins(Pins::NONE)
                        .observer(log.clone());
                    if let Some(summarizer) = summarizer {
                        fitter = fitter.summarizer(summarizer);
                    }
                    let fitter = fitter.build().expect("settings that work");
                    let stack = Shape::Fit.around(bottom(&provider), &fitter);
                    send(&stack, request.clone()).await.expect("accepted");

                    let received = provider.last_received().expect("sent");
                    let spoken = spoken(&received.request);
                    assert!(spoken.iter().any(|message| message.role == ChatRole::User));
                    // Nobody but the user who spoke first before, or the summary in their place.
                    if spoken[0].role != ChatRole::User {
                        assert_eq!(first_was, spoken[0].role);
                        let kept = spoken_at(&request, 0);
                        assert!(
                            log.reports()
                                .iter()
                                .all(|report| !report.plan.cut().contains(kept))
                        );
                    }
                }
            }
        }
    }
}

/// All messages but those of the system.
fn spoken(request: &ChatRequest) -> Vec<&ChatMessage> {
    let is_spoken = |message: &&ChatMessage| !is_fixed(message);
    request.messages.iter().filter(is_spoken).collect()
}

fn spoken_at(request: &ChatRequest, number: usize) -> usize {
    let mut spoken = (0..request.messages.len()).filter(|&at| !is_fixed(&request.messages[at]));
    spoken.nth(number).expect("somebody spoke")
}

const fn is_fixed(message: &ChatMessage) -> bool {
    matches!(message.role, ChatRole::System | ChatRole::Developer)
}

#[tokio::test]
async fn a5_system_messages_stay_verbatim_and_in_place_wherever_they_stand() {
    for places in [vec![0], vec![0, 1], vec![9], vec![0, 5, 12], vec![17]] {
        let mut request = chat(8, 60);
        request.messages.remove(0);
        for (number, &place) in places.iter().enumerate() {
            let mut message = ChatMessage::system(text(&format!("Rule {number}:"), 30));
            if number == 1 {
                message.role = ChatRole::Developer;
            }
            request.messages.insert(place, message);
        }
        let fixed: Vec<_> = request
            .messages
            .iter()
            .filter(|one| is_fixed(one))
            .map(content)
            .collect();
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                let (provider, scribe) = (provider(100_000), Scribe::new("They worked."));
                let fitter = Fitter::builder()
                    .window(window)
                    .reserve(0)
                    .policy(policy.clone())
                    .pins(Pins::NONE)
                    .summarizer(scribe.clone())
                    .build()
                    .expect("settings that work");
                let stack = Shape::Fit.around(bottom(&provider), &fitter);
                send(&stack, request.clone()).await.expect("accepted");

                let received = provider.last_received().expect("sent");
                let messages = &received.request.messages;
                let still: Vec<_> = messages
                    .iter()
                    .filter(|one| is_fixed(one))
                    .map(content)
                    .collect();
                assert_eq!(still, fixed);
                // What is kept stands in the order in which it stood.
                let place = |message| request.messages.iter().position(|one| one == message);
                let places: Vec<_> = messages.iter().filter_map(place).collect();
                assert!(places.is_sorted() && places.len() + 1 >= messages.len());
                // And nobody folds them into a summary.
                for job in scribe.jobs() {
                    assert!(fixed.iter().all(|text| !job.transcript.contains(*text)));
                }
            }
        }
    }
}

/// A short chat with a fixed part of its own: system messages, tools, a schema.
fn with_fixed_part(tokens: usize, kind: usize) -> ChatRequest {
    let mut request = chat(2, 20);
    match kind {
        0 => request.messages[0] = ChatMessage::system(text("Obey.", tokens)),
        1 => {
            request.messages[0] = ChatMessage::system(text("Obey.", tokens / 2));
            request.messages.insert(
                3,
                ChatMessage::system(text("And obey.", tokens.div_ceil(2))),
            );
        }
        _ => {
            let schema = format!(r#"{{"description":"{}"}}"#, "x".repeat(tokens * 4));
            let schema: Box<_> = serde_json::value::RawValue::from_string(schema).expect("JSON");
            if kind == 2 {
                request.tools = Some([schema].into());
            } else {
                request.response_format = Some(schema.into());
            }
        }
    }
    request
}

#[tokio::test]
async fn a5_a_fixed_part_that_can_never_fit_is_refused_with_its_size() {
    for window in [1_000, 4_000] {
        for kind in 0..4 {
            for tokens in [window, window + 1, 10 * window] {
                let request = with_fixed_part(tokens, kind);
                for shape in Shape::FITTING {
                    let (provider, scribe) = (provider(window as u64), Scribe::default());
                    let fitter = Fitter::builder()
                        .window(window as u64)
                        .summarizer(scribe.clone());
                    let fitter = fitter.build().expect("settings that work");
                    let stack = shape.around(bottom(&provider), &fitter);
                    let error = send(&stack, request.clone()).await.expect_err("no room");
                    let Some(&FitError::NoRoom(BudgetError::FixedPartTooLarge { fixed, ceiling })) =
                        error.downcast_ref()
                    else {
                        panic!("{error:?}");
                    };
                    assert_eq!(fixed, fitter.measure(&request).expect("readable").fixed);
                    assert_eq!(ceiling, window as u64);
                    let said = error.to_string();
                    assert!(
                        said.contains(&fixed.to_string()) && said.contains(&ceiling.to_string())
                    );
                    assert_eq!((provider.calls(), scribe.calls()), (0, 0), "{shape:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a3_merged_on_the_wire_no_one_speaks_twice_in_a_row() {
    for request in agents().into_iter().chain([chat(8, 60), questions(30, 60)]) {
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                let provider = provider(100_000);
                let fitter = Fitter::builder()
                    .window(window)
                    .reserve(0)
                    .policy(policy.clone());
                let fitter = fitter.build().expect("settings that work");
                let wire = bottom(&provider).map_request(ChatRequest::merge_neighbours);
                let stack = Shape::Fit.around(Erased::new(wire), &fitter);
                send(&stack, request.clone()).await.expect("accepted");

                let received = provider.last_received().expect("sent");
                for pair in received.request.messages.windows(2) {
                    let [one, next] = pair else {
                        unreachable!("windows of two")
                    };
                    let twice = one.role == next.role && one.role == ChatRole::User;
                    assert!(!twice, "at a window of {window}");
                }
            }
        }
    }
}
