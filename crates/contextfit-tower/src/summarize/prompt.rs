use contextfit_core::estimate::Estimator;

use super::{SummaryJob, SummaryKind};
use crate::tokens::text_tokens;

/// What a model is told to do with a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prompt {
    /// Nothing was summarized before.
    First,
    /// A previous summary is carried on.
    Update,
    /// A previous summary is too long.
    Shorten,
    /// The beginning of a turn is summarized by itself.
    TurnStart,
}

impl Prompt {
    const ALL: [Self; 4] = [Self::First, Self::Update, Self::Shorten, Self::TurnStart];

    /// Tokens kept for what frames the messages and the previous summary: tags, a note on what is
    /// missing, the framing of the model's own messages.
    const FRAME: u64 = 256;

    pub(super) const fn of(job: &SummaryJob) -> Self {
        match job.kind {
            SummaryKind::TurnStart => Self::TurnStart,
            SummaryKind::History if job.previous.is_none() => Self::First,
            SummaryKind::History if job.messages == 0 => Self::Shorten,
            SummaryKind::History => Self::Update,
        }
    }

    /// The text of the instructions. The bound is in words, which models keep better than one in
    /// tokens.
    pub(super) fn instructions(self, max_tokens: u64) -> String {
        let max_words = (max_tokens.saturating_mul(3) / 5).max(1);
        self.template()
            .trim_end()
            .replace("{max_words}", &max_words.to_string())
    }

    const fn template(self) -> &'static str {
        match self {
            Self::First => concat!(
                include_str!("prompts/first.txt"),
                include_str!("prompts/sections.txt"),
                include_str!("prompts/form.txt"),
            ),
            Self::Update => concat!(
                include_str!("prompts/update.txt"),
                include_str!("prompts/sections.txt"),
                include_str!("prompts/form.txt"),
            ),
            Self::Shorten => concat!(
                include_str!("prompts/shorten.txt"),
                include_str!("prompts/form.txt"),
            ),
            Self::TurnStart => concat!(
                include_str!("prompts/turn_start.txt"),
                include_str!("prompts/form.txt"),
            ),
        }
    }

    /// The most tokens that a prompt has besides the messages and the previous summary.
    pub(super) fn most_tokens(estimator: &dyn Estimator, max_tokens: u64) -> u64 {
        let instructions = Self::ALL
            .iter()
            .map(|prompt| text_tokens(estimator, &prompt.instructions(max_tokens)))
            .max();
        text_tokens(estimator, SummaryJob::INSTRUCTIONS)
            .saturating_add(instructions.unwrap_or_default())
            .saturating_add(Self::FRAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a39_a_prompt_asks_for_each_section_once_and_in_order() {
        let history = [
            "## Goal",
            "## Constraints and preferences",
            "## Progress",
            "### Done",
            "### In progress",
            "### Blocked",
            "## Decisions",
            "## Next steps",
            "## Critical context",
        ];
        let turn_start = [
            "## What was asked",
            "## Progress so far",
            "## What the rest relies on",
        ];
        for (prompt, sections) in [
            (Prompt::First, &history[..]),
            (Prompt::Update, &history),
            (Prompt::TurnStart, &turn_start),
            (Prompt::Shorten, &[]),
        ] {
            let instructions = prompt.instructions(100);
            let headings = instructions.lines().filter(|line| line.starts_with('#'));
            assert_eq!(headings.collect::<Vec<_>>(), sections, "{prompt:?}");
        }
    }

    #[test]
    fn a39_every_prompt_asks_for_the_same_language_and_a_bound_in_words() {
        for prompt in Prompt::ALL {
            for (max_tokens, words) in [(0, 1), (100, 60), (1_024, 614), (u64::MAX, u64::MAX / 5)] {
                let instructions = prompt.instructions(max_tokens);
                let bound =
                    format!(" in the language of the conversation, in at most {words} words. ");
                assert!(instructions.contains(&bound), "{instructions}");
                assert!(!instructions.contains(['{', '}']));
                assert!(instructions.ends_with(" and nothing else."));
            }
        }
    }

    #[test]
    fn b11_positions_agreements_and_open_points_are_asked_for() {
        for prompt in [Prompt::First, Prompt::Update] {
            let instructions = prompt.instructions(100);
            for asked in ["who holds which position and why", "agree on", "still open"] {
                assert!(instructions.contains(asked), "{asked}");
            }
        }
    }

    #[test]
    fn what_was_done_outside_is_asked_for_wherever_messages_go() {
        for prompt in [Prompt::First, Prompt::Update, Prompt::TurnStart] {
            assert!(
                prompt
                    .instructions(100)
                    .contains("so that it isn't done again")
            );
        }
    }
}
