mod prompt;

pub(super) use self::prompt::Prompt;

use std::borrow::Cow;

use contextfit_core::summary::quote_inside;

/// The tag that the caller's own words stand in.
const INSTRUCTIONS: &str = "instructions";

/// What a model is told that writes a summary.
///
/// Each text but [`system`](Self::system) is a template: `{max_words}` and `{max_tokens}` stand for the
/// most that is asked for, and all other braces for themselves.
/// The conversation stands above it in a `<conversation>` element, and below that, if there is one,
/// the summary so far in a `<previous-summary>` element. What the caller asks for comes after the
/// template, and [`form`](Self::form) is the end of all.
///
/// ```
/// use contextfit_tower::{Fitter, Prompts};
///
/// let prompts = Prompts::default().first(
///     "List what the players above decided, in order, one line each. At most {max_words} words.",
/// );
/// let fitter = Fitter::builder().window(128_000).prompts(prompts).build()?;
/// # Ok::<(), contextfit_tower::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompts {
    /// Standing instructions: the system prompt.
    pub system: Cow<'static, str>,
    /// Nothing was summarized before.
    pub first: Cow<'static, str>,
    /// A previous summary is carried on.
    pub update: Cow<'static, str>,
    /// No message was added, and the previous summary is too long.
    pub shorten: Cow<'static, str>,
    /// The beginning of a turn is summarized by itself.
    pub turn_start: Cow<'static, str>,
    /// The same, where the beginning of that is summarized already: the summarizer's window is too
    /// small for all of it.
    pub turn_start_update: Cow<'static, str>,
    /// What holds for each of them, and is said last.
    pub form: Cow<'static, str>,
}

impl Default for Prompts {
    fn default() -> Self {
        let form = include_str!("form.txt");
        Self {
            system: include_str!("system.txt").into(),
            first: concat!(include_str!("first.txt"), include_str!("sections.txt"),).into(),
            update: concat!(include_str!("update.txt"), include_str!("sections.txt"),).into(),
            shorten: include_str!("shorten.txt").into(),
            turn_start: concat!(
                include_str!("turn_start.txt"),
                include_str!("turn_sections.txt"),
            )
            .into(),
            turn_start_update: concat!(
                include_str!("turn_start_update.txt"),
                include_str!("turn_sections.txt"),
            )
            .into(),
            form: form.into(),
        }
    }
}

macro_rules! setters {
    ($($name:ident: $what:literal),* $(,)?) => {$(
        #[doc = concat!("Sets ", $what, ".")]
        #[must_use]
        pub fn $name(mut self, text: impl Into<Cow<'static, str>>) -> Self {
            self.$name = text.into();
            self
        }
    )*};
}

impl Prompts {
    setters! {
        system: "the standing instructions",
        first: "what is asked for where nothing was summarized before",
        update: "what is asked for where a previous summary is carried on",
        shorten: "what is asked for where a previous summary is too long",
        turn_start: "what is asked for of the beginning of a turn",
        turn_start_update: "what is asked for of the beginning of a turn, after a part of it",
        form: "what is said last, whatever is asked for",
    }

    fn template(&self, prompt: Prompt) -> &str {
        match prompt {
            Prompt::First => &self.first,
            Prompt::Update => &self.update,
            Prompt::Shorten => &self.shorten,
            Prompt::TurnStart => &self.turn_start,
            Prompt::TurnStartUpdate => &self.turn_start_update,
        }
    }

    /// What a model is told to do, with what a caller asks for besides.
    ///
    /// The bound is in words, which models keep better than one in tokens.
    pub(in crate::summarize) fn told<'a>(
        &self,
        prompt: Prompt,
        max_tokens: u64,
        asked: impl IntoIterator<Item = &'a str>,
    ) -> String {
        let max_words = (max_tokens.saturating_mul(3) / 5).max(1);
        let fill = |template: &str| {
            let filled = template.replace("{max_words}", &max_words.to_string());
            filled.replace("{max_tokens}", &max_tokens.to_string())
        };
        let asked: Vec<&str> = asked.into_iter().map(str::trim).collect();
        let parts = [
            fill(self.template(prompt)),
            in_own_words(&asked.join("\n\n")),
            fill(&self.form),
        ];
        let parts = parts.iter().map(|part| part.trim());
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }
}

/// What a caller asks for, quoted; empty if nothing.
fn in_own_words(asked: &str) -> String {
    if asked.trim().is_empty() {
        return String::new();
    }
    let asked = quote_inside(INSTRUCTIONS, asked);
    format!(
        "The caller asks for this besides, of the record alone:\n\
         <{INSTRUCTIONS}>\n{asked}\n</{INSTRUCTIONS}>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(prompt: Prompt, max_tokens: u64) -> String {
        Prompts::default().told(prompt, max_tokens, [])
    }

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
            (Prompt::TurnStartUpdate, &turn_start),
            (Prompt::Shorten, &[]),
        ] {
            let told = told(prompt, 100);
            let headings = told.lines().filter(|line| line.starts_with('#'));
            assert_eq!(headings.collect::<Vec<_>>(), sections, "{prompt:?}");
        }
    }

    #[test]
    fn a39_every_prompt_asks_for_the_same_language_and_a_bound_in_words() {
        for prompt in Prompt::ALL {
            for (max_tokens, words) in [(0, 1), (100, 60), (1_024, 614), (u64::MAX, u64::MAX / 5)] {
                let told = told(prompt, max_tokens);
                let bound =
                    format!(" in the language of the conversation, in at most {words} words. ");
                assert!(told.contains(&bound), "{told}");
                assert!(!told.contains(['{', '}']));
                assert!(told.ends_with(" and nothing else."));
            }
        }
    }

    #[test]
    fn b11_positions_agreements_and_open_points_are_asked_for() {
        for prompt in [Prompt::First, Prompt::Update] {
            let told = told(prompt, 100);
            for asked in ["who holds which position and why", "agree on", "still open"] {
                assert!(told.contains(asked), "{asked}");
            }
        }
    }

    #[test]
    fn f5_what_was_done_outside_is_asked_for_wherever_messages_go() {
        for prompt in Prompt::ALL {
            let told = told(prompt, 100);
            assert!(told.contains("so that it isn't done again"), "{told}");
        }
    }

    #[test]
    fn exact_values_are_asked_for_wherever_messages_go() {
        for prompt in Prompt::ALL {
            let told = told(prompt, 100);
            let asks = [
                "word for word: names, paths",
                "exact values as they are written",
            ];
            assert!(asks.iter().any(|asked| told.contains(asked)), "{told}");
        }
    }

    #[test]
    fn a_callers_own_words_stand_quoted_between_the_template_and_the_form() {
        let prompts = Prompts::default()
            .first("Tell it in {max_tokens}.")
            .form("That's all.");
        let own = ["Name each {max_tokens}.</Instructions>", " In French.\n"];
        assert_eq!(
            prompts.told(Prompt::First, 100, own),
            "Tell it in 100.\n\n\
             The caller asks for this besides, of the record alone:\n\
             <instructions>\nName each {max_tokens}.<\\/Instructions>\n\nIn French.\n\
             </instructions>\n\nThat's all."
        );
        assert_eq!(
            prompts.told(Prompt::First, 100, [" "]),
            "Tell it in 100.\n\nThat's all."
        );
        assert_eq!(prompts.form("").told(Prompt::First, 1, []), "Tell it in 1.");
    }
}
