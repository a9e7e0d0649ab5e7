//! What a map says in sentences.

use contextfit::{Outcome, Reason};

use super::map::Map;
use crate::number::{counted, grouped};
use crate::one_line::name;

impl Map<'_> {
    /// The file.
    pub(crate) fn file(&self) -> String {
        name(self.file)
    }

    /// The model, and how the conversation would be fitted.
    pub(crate) fn how(&self) -> String {
        let model = match &self.explanation.model {
            Some(model) => name(model),
            None => "no model named".to_owned(),
        };
        let setup = self.setup;
        format!("{model}, {}, {}", setup.preset, setup.summarizer)
    }

    /// How much it is of what.
    pub(crate) fn size(&self) -> String {
        // What comes before the first message of the user is in no turn.
        let turns = self.turns.iter().filter(|turn| turn.number > 0).count();
        format!(
            "{} in {} and {}",
            counted(self.blocks.len(), "message"),
            counted(self.groups.len(), "group"),
            counted(turns, "turn"),
        )
    }

    /// The window and what it is shared by.
    pub(crate) fn budget(&self) -> String {
        let window = grouped(self.setup.window);
        let Some(budget) = self.explanation.budget else {
            return format!("window {window}, of which nothing is left for the messages");
        };
        format!(
            "window {window} = reserve {} + fixed part {} + limit {}, of which a compaction keeps {}",
            grouped(budget.reserve),
            grouped(budget.fixed),
            grouped(budget.limit),
            grouped(budget.target),
        )
    }

    /// What becomes of the request.
    pub(crate) fn outcome(&self) -> String {
        let (before, after) = (
            grouped(self.explanation.tokens_before),
            grouped(self.explanation.tokens_after),
        );
        match self.explanation.outcome {
            Outcome::LeftAlone => format!("left alone: its {before} tokens are sent as they are"),
            Outcome::Fits => format!("fits: its {before} tokens are sent as they are"),
            Outcome::Stuck => {
                format!(
                    "over its limit, and nothing helps: its {before} tokens are sent as they are"
                )
            }
            Outcome::Refused(_) => format!("refused: its {before} tokens are not sent"),
            Outcome::Changed(_) if self.untouched() => {
                "fits, but not beside the output it asks for: that is lowered".to_owned()
            }
            Outcome::Changed(_) if self.is_over() => format!(
                "over its limit whatever goes: {before} → at most {after} tokens, which are sent"
            ),
            Outcome::Changed(reason) => {
                let due = match reason {
                    Reason::OverLimit => "over its limit, so it is compacted",
                    _ => "a compaction is due",
                };
                format!("{due}: {before} → at most {after} tokens")
            }
            _ => String::new(),
        }
    }

    /// The summary that would be asked for.
    pub(crate) fn summary(&self) -> Option<String> {
        let summary = self.explanation.summary?;
        Some(format!(
            "a summary of {} is asked for, in {}: at most {}",
            counted(summary.messages, "message"),
            counted(summary.calls, "call"),
            counted(summary.max_tokens, "token"),
        ))
    }

    /// What stands where the messages were that are cut.
    pub(crate) fn cut_line(&self) -> Option<String> {
        let cut = self.cut?;
        let instead = match self.explanation.summary {
            Some(_) => "a summary",
            None => "a notice",
        };
        Some(format!(
            "the cut: {} with {} above it become {instead}",
            counted(cut.messages, "message"),
            counted(cut.tokens, "token"),
        ))
    }

    /// Why it doesn't fit, with the numbers; `None` if it does.
    pub(crate) fn problem(&self) -> Option<String> {
        if let Outcome::Refused(error) = &self.explanation.outcome {
            return Some(error.to_string());
        }
        if !self.is_over() {
            return None;
        }
        let left = match self.explanation.outcome {
            Outcome::Changed(_) => {
                let left = grouped(self.explanation.tokens_after);
                format!("compaction leaves {left} at most")
            }
            _ => "nothing that may be cut or clipped is enough".to_owned(),
        };
        Some(format!(
            "the prompt has {} tokens and may have {}; {left}",
            grouped(self.explanation.tokens_before),
            grouped(self.most_prompt().unwrap_or(self.setup.window)),
        ))
    }

    /// Whether the request stays over its limit, whatever is done.
    pub(crate) fn is_over(&self) -> bool {
        match self.explanation.outcome {
            Outcome::Refused(_) | Outcome::Stuck => true,
            Outcome::Changed(_) => self
                .most_prompt()
                .is_some_and(|most| self.explanation.tokens_after > most),
            _ => false,
        }
    }

    /// Whether no message is cut or clipped.
    fn untouched(&self) -> bool {
        self.cut.is_none() && self.explanation.tokens_after == self.explanation.tokens_before
    }
}

#[cfg(test)]
mod tests {
    use crate::inspect::sample::{OPTIONS, session, with_map};
    use contextfit::chat::ChatMessage;

    #[test]
    fn a_map_says_what_becomes_of_the_request() {
        for (options, start) in [
            (&[][..], "fits: its "),
            (
                &["--window", "3000"],
                "over its limit, so it is compacted: ",
            ),
            (&["--window", "120"], "over its limit whatever goes: "),
            (&["--window", "12"], "refused: its "),
        ] {
            with_map(session(30), options, |map| {
                assert!(map.outcome().starts_with(start), "{}", map.outcome());
            });
        }
        let messages = vec![ChatMessage::user("a word ".repeat(200))];
        with_map(messages, &["--window", "100"], |map| {
            let outcome = map.outcome();
            assert!(
                outcome.starts_with("over its limit, and nothing helps: "),
                "{outcome}"
            );
        });
    }

    #[test]
    fn a_problem_is_told_with_its_numbers_where_there_is_one() {
        for options in OPTIONS {
            with_map(session(30), options, |map| {
                assert_eq!(map.problem().is_some(), map.is_over());
            });
        }
        with_map(session(30), &["--window", "120"], |map| {
            let problem = map.problem().unwrap();
            assert!(
                problem.contains(" and may have 90; compaction leaves "),
                "{problem}"
            );
        });
    }

    #[test]
    fn what_stands_for_the_cut_is_a_summary_or_a_notice() {
        with_map(session(30), &["--window", "3000"], |map| {
            assert!(map.cut_line().unwrap().ends_with("become a summary"));
            assert!(map.summary().unwrap().contains(" in 1 call: at most "));
        });
        let options = ["--window", "3000", "--summarizer", "none"];
        with_map(session(30), &options, |map| {
            assert!(map.cut_line().unwrap().ends_with("become a notice"));
            assert_eq!(map.summary(), None);
        });
        with_map(session(30), &[], |map| assert_eq!(map.cut_line(), None));
    }

    #[test]
    fn the_first_turn_is_that_of_the_first_user() {
        with_map(session(1), &[], |map| {
            assert_eq!(map.size(), "4 messages in 3 groups and 1 turn");
        });
    }
}
