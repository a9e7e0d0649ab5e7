use contextfit_core::chat::{ChatMessage, ChatRequest};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;

use super::{huge_texts, texts};

/// Conversations that a provider accepts: a system message or none, then turns of a user
/// message, rounds of parallel calls with all their results in any order, and an answer.
///
/// Call ids are unique, or used again in later turns or rounds, as some servers do.
pub fn conversations() -> impl Strategy<Value = ChatRequest> {
    let ids = prop_oneof![
        Just(Ids::Unique),
        Just(Ids::EveryTurn),
        Just(Ids::EveryRound)
    ];
    (of(texts()), vec(turns(), 1..5), ids).prop_map(|(system, turns, ids)| {
        let mut messages: Vec<ChatMessage> = system.map(ChatMessage::system).into_iter().collect();
        let mut first_id = 0;
        for turn in turns {
            if ids == Ids::EveryTurn {
                first_id = 0;
            }
            messages.push(ChatMessage::user(turn.user));
            for round in turn.rounds {
                if ids == Ids::EveryRound {
                    first_id = 0;
                }
                first_id = write_round(&mut messages, round, first_id);
            }
            messages.extend(turn.answer.map(ChatMessage::assistant));
        }
        ChatRequest::new("a-model", messages)
    })
}

/// Where call ids start over.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ids {
    Unique,
    EveryTurn,
    EveryRound,
}

#[derive(Clone, Debug)]
struct Turn {
    user: String,
    rounds: Vec<Round>,
    answer: Option<String>,
}

/// What the model says and calls, and the results by number of the call, as they come in.
#[derive(Clone, Debug)]
struct Round {
    says: Option<String>,
    results: Vec<(usize, String)>,
}

fn turns() -> impl Strategy<Value = Turn> {
    let user = prop_oneof![15 => texts(), 1 => huge_texts()];
    (user, vec(rounds(), 0..4), weighted(0.8, texts())).prop_map(|(user, rounds, answer)| Turn {
        user,
        rounds,
        answer,
    })
}

fn rounds() -> impl Strategy<Value = Round> {
    let result = prop_oneof![12 => texts(), 2 => huge_texts(), 1 => Just(String::new())];
    let results = vec(result, 1..5)
        .prop_map(|results| results.into_iter().enumerate().collect::<Vec<_>>())
        .prop_shuffle();
    (of(texts()), results).prop_map(|(says, results)| Round { says, results })
}

/// Writes the calls and their results, and says which id is next.
fn write_round(messages: &mut Vec<ChatMessage>, round: Round, first_id: usize) -> usize {
    let id = |call: usize| format!("call_{}", first_id + call);
    let count = round.results.len();
    let mut asks = ChatMessage::assistant("");
    asks.content = round.says.map(Into::into);
    for call in 0..count {
        asks = asks.call(id(call), "read", format!(r#"{{"file":{call}}}"#));
    }
    messages.push(asks);
    let results = round.results.into_iter();
    messages.extend(results.map(|(call, text)| ChatMessage::tool(id(call), text)));
    first_id + count
}
