use proptest::collection::{SizeRange, vec};
use proptest::option::{of, weighted};
use proptest::prelude::*;

use crate::strategies::{huge_texts, texts};

/// What is said and done in a conversation, in no provider's terms.
#[derive(Clone, Debug)]
pub(super) struct Talk {
    pub(super) system: Vec<String>,
    pub(super) turns: Vec<Turn>,
}

/// What the user says, what is called because of it, and what the model answers.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// What is said in the middle by whoever runs the conversation.
    pub(super) note: Option<String>,
    pub(super) said: Vec<Said>,
    /// What the user says right after that, in a message of its own.
    pub(super) again: Option<String>,
    pub(super) rounds: Vec<Round>,
    pub(super) answer: Option<Answer>,
}

#[derive(Clone, Debug)]
pub(super) enum Said {
    Text(String),
    Image,
    File,
    Audio,
}

/// What the model thinks and says before it calls, and the calls, in the order in which they are
/// answered.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) thought: Option<String>,
    pub(super) says: Option<String>,
    pub(super) calls: Vec<Call>,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Its number among the calls of the round.
    pub(super) number: usize,
    pub(super) tool: &'static str,
    pub(super) argument: String,
    pub(super) outcome: Outcome,
}

#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Text(String),
    Texts(Vec<String>),
    Json(String),
    Image(String),
    Error(String),
    Nothing,
}

#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) thought: Option<String>,
    pub(super) text: String,
}

impl Talk {
    /// The same without what makes two messages of one role stand in a row.
    pub(super) fn taking_turns(mut self) -> Self {
        let last = self.turns.len().saturating_sub(1);
        for (at, turn) in self.turns.iter_mut().enumerate() {
            turn.again = None;
            if at < last && turn.answer.is_none() {
                turn.answer = Some(Answer {
                    thought: None,
                    text: "Done.".to_owned(),
                });
            }
        }
        self
    }
}

/// Text that holds a character that is to be seen: providers refuse blank text.
pub(super) fn shown(text: &str) -> String {
    if text.trim().is_empty() {
        return format!("{text}.");
    }
    text.to_owned()
}

impl Call {
    /// The calls in the order of their numbers.
    pub(super) fn in_order(calls: &[Self]) -> Vec<&Self> {
        let mut ordered: Vec<&Self> = calls.iter().collect();
        ordered.sort_by_key(|call| call.number);
        ordered
    }
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => texts(),
        3 => "[a-z/\"\\\\\u{0}-\u{1f}\u{7f}\u{2028}\u{feff}\u{10ffff}😀]{1,30}",
        1 => Just(" \n".to_owned()),
    ]
}

pub(super) fn talks(turns: impl Into<SizeRange>) -> impl Strategy<Value = Talk> {
    (vec(words(), 0..3), vec(a_turn(), turns)).prop_map(|(system, mut turns)| {
        // Nothing is added to an empty conversation here: the size is the caller's.
        if let Some(first) = turns.first_mut() {
            first.note = None;
        }
        Talk { system, turns }
    })
}

fn a_turn() -> impl Strategy<Value = Turn> {
    (
        weighted(0.05, words()),
        (said(), vec(said(), 0..3)),
        weighted(0.1, words()),
        vec(a_round(), 0..3),
        weighted(0.8, (weighted(0.3, words()), words())),
    )
        .prop_map(|(note, (first, more), again, rounds, answer)| Turn {
            note,
            said: [vec![first], more].concat(),
            again,
            rounds,
            answer: answer.map(|(thought, text)| Answer { thought, text }),
        })
}

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        12 => words().prop_map(Said::Text),
        1 => huge_texts().prop_map(Said::Text),
        2 => Just(Said::Image),
        1 => Just(Said::File),
        1 => Just(Said::Audio),
    ]
}

fn a_round() -> impl Strategy<Value = Round> {
    let calls = vec(a_call(), 1..4).prop_map(|mut calls| {
        for (number, call) in calls.iter_mut().enumerate() {
            call.number = number;
        }
        calls
    });
    (weighted(0.4, words()), of(words()), calls.prop_shuffle()).prop_map(
        |(thought, says, calls)| Round {
            thought,
            says,
            calls,
        },
    )
}

fn a_call() -> impl Strategy<Value = Call> {
    let tool = prop_oneof![Just("read"), Just("run_command"), Just("web-search")];
    (tool, words(), outcomes()).prop_map(|(tool, argument, outcome)| Call {
        number: 0,
        tool,
        argument,
        outcome,
    })
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        8 => words().prop_map(Outcome::Text),
        1 => huge_texts().prop_map(Outcome::Text),
        2 => vec(words(), 1..3).prop_map(Outcome::Texts),
        2 => words().prop_map(Outcome::Json),
        1 => words().prop_map(Outcome::Image),
        1 => words().prop_map(Outcome::Error),
        1 => Just(Outcome::Nothing),
    ]
}
