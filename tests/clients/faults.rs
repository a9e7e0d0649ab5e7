//! The faults of group A, for any client.

use contextfit_core::budget::BudgetError;
use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::cut::TopicAndRecent;
use contextfit_core::table::Pins;
use contextfit_testing::provider::check_structure;
use contextfit_tests::{agent, chat, policies, questions, text, unique};
use contextfit_tower::FitError;
use std::sync::Arc;

use crate::kind::{Kind, Setup, estimate, windows};

fn agents() -> [ChatRequest; 3] {
    [
        agent(2, 3, 60, unique),
        agent(2, 3, 60, |_, _, call| format!("call_{call}")),
        agent(1, 6, 60, unique),
    ]
}

/// Sends a chat in every way that cuts it, and shows what the provider received.
async fn in_every_way<K: Kind>(chat: &ChatRequest, see: impl Fn(&ChatRequest, &K::Request)) {
    for policy in policies(chat.messages.len()) {
        for window in windows::<K>(&K::request(chat)) {
            for (pins, overflows) in [(Pins::BOTH, 0), (Pins::NONE, 1)] {
                let setup = Setup {
                    pins,
                    overflows,
                    ..Setup::new(window, policy.clone())
                };
                let (_, received) = setup.send::<K>(K::request(chat)).await;
                for request in &received {
                    see(&K::chat(request), request);
                }
            }
        }
    }
}

pub(crate) async fn a1_no_cut_separates_a_call_from_its_results<K: Kind>() {
    for request in agents() {
        in_every_way::<K>(&request, |sent, _| {
            assert_eq!(check_structure(sent), Ok(()));
        })
        .await;
    }
}

pub(crate) async fn a2_what_fits_is_sent_as_it_is<K: Kind>(requests: Vec<K::Request>) {
    for request in requests {
        let given = K::json(&request);
        let setup = Setup::new(estimate::<K>(&request), Arc::new(TopicAndRecent));
        let (result, received) = setup.send::<K>(request).await;
        assert!(result.is_ok());
        let received: Vec<_> = received.iter().map(K::json).collect();
        assert_eq!(received, [given]);
        assert_eq!(setup.scribe.calls(), 0);
    }
}

pub(crate) async fn a3_a_user_speaks_first_whatever_is_cut<K: Kind>() {
    for request in agents().into_iter().chain([chat(8, 60)]) {
        in_every_way::<K>(&request, |sent, _| {
            let mut others = sent.messages.iter().filter(|one| !is_fixed(one));
            let first = others.next().expect("not only system messages");
            assert_eq!(first.role, ChatRole::User);
        })
        .await;
    }
}

pub(crate) async fn a4_what_the_model_wrote_is_sent_as_it_is_or_not_at_all<K: Kind>(
    request: &ChatRequest,
) {
    let of_model = |chat: &ChatRequest| -> Vec<ChatMessage> {
        let messages = chat.messages.iter();
        messages
            .filter(|one| one.role == ChatRole::Assistant)
            .cloned()
            .collect()
    };
    let given = of_model(&K::chat(&K::request(request)));
    in_every_way::<K>(request, |sent, _| {
        let mut given = given.iter();
        // In their order.
        for message in of_model(sent) {
            assert!(given.any(|one| *one == message), "{message:?}");
        }
    })
    .await;
}

pub(crate) async fn a5_system_messages_stay_verbatim_and_in_place<K: Kind>() {
    let mut request = chat(8, 60);
    for (place, rule) in [(5, "Rule 1:"), (12, "Rule 2:")] {
        request
            .messages
            .insert(place, ChatMessage::system(text(rule, 30)));
    }
    let fixed = |chat: &ChatRequest| -> Vec<ChatMessage> {
        chat.messages
            .iter()
            .filter(|one| is_fixed(one))
            .cloned()
            .collect()
    };
    let rules = fixed(&K::chat(&K::request(&request)));
    in_every_way::<K>(&request, |sent, _| assert_eq!(fixed(sent), rules)).await;
}

/// `add` puts so many tokens into what can't be cut.
pub(crate) async fn a5_a_fixed_part_that_can_never_fit_is_refused_with_its_size<K: Kind>(
    add: fn(&mut K::Request, usize),
) {
    for tokens in [2_000, 20_000] {
        let mut request = K::request(&questions(3, 20));
        let before = estimate::<K>(&request);
        add(&mut request, tokens);
        let fixed_part = estimate::<K>(&request) - before;
        assert!(fixed_part >= tokens as u64);
        let setup = Setup::new(fixed_part, Arc::new(TopicAndRecent));
        let (result, received) = setup.send::<K>(request).await;
        let Err(error) = result else {
            panic!("there is no room");
        };
        let Some(&FitError::NoRoom(BudgetError::FixedPartTooLarge { fixed, ceiling })) =
            error.downcast_ref()
        else {
            panic!("{error:?}");
        };
        assert_eq!((fixed, ceiling), (fixed_part, fixed_part));
        assert_eq!((received.len(), setup.scribe.calls()), (0, 0));
    }
}

fn is_fixed(message: &ChatMessage) -> bool {
    matches!(message.role, ChatRole::System | ChatRole::Developer)
}
