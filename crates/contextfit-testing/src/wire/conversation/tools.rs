use serde_json::{Value, json};

use super::talk::{Outcome, Talk};

/// The names of the tools that a talk may call.
pub(super) const TOOLS: [&str; 3] = ["read", "run_command", "web-search"];

/// What a tool takes, as a JSON schema.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file, \"quoted\" or not."},
            "messages": {"type": ["integer", "null"], "default": null, "enum": [0, 1, 1.5, null]},
        },
        "required": ["path"],
    })
}

/// The arguments of a call.
pub(super) fn arguments(argument: &str) -> Value {
    json!({"path": argument, "lines": [1, null, 2.5], "role": {"content": "user"}})
}

/// Whether anything is called in a talk.
pub(super) fn are_used(talk: &Talk) -> bool {
    talk.turns.iter().any(|turn| !turn.rounds.is_empty())
}

/// An outcome where only a string can stand.
pub(super) fn as_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Text(text) | Outcome::Image(text) => text.clone(),
        Outcome::Texts(texts) => texts.join("\n"),
        Outcome::Json(text) => json!({"result": text}).to_string(),
        Outcome::Error(text) => format!("Error: {text}"),
        Outcome::Nothing => String::new(),
    }
}

/// Ids of calls, which come again in later turns or rounds where they may.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids {
    pub(super) prefix: &'static str,
    pub(super) again: Again,
    pub(super) next: usize,
}

/// Where ids start over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Again {
    Never,
    EveryTurn,
    EveryRound,
}

impl Ids {
    pub(super) fn new(prefix: &'static str, again: Again) -> Self {
        let next = 0;
        Self {
            prefix,
            again,
            next,
        }
    }

    pub(super) fn turn(&mut self) {
        if self.again == Again::EveryTurn {
            self.next = 0;
        }
    }

    /// The first number of a round of `calls` calls.
    pub(super) fn round(&mut self, calls: usize) -> usize {
        if self.again == Again::EveryRound {
            self.next = 0;
        }
        let first = self.next;
        self.next += calls;
        first
    }

    pub(super) fn id(&self, number: usize) -> String {
        format!("{}{number}", self.prefix)
    }
}
