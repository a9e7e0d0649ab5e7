use std::borrow::Cow;

use contextfit_tower::{Overflow, Scope};

use super::Class;

/// What the text of an error was found to say.
///
/// Each number is there only if the text has it, in words that are known to give it: an error code
/// or "exceeded by 100 tokens" is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classified {
    /// What is wrong.
    pub class: Class,
    /// The name of the template that knew it; `None` if none did.
    pub template: Option<Cow<'static, str>>,
    /// Tokens of the prompt.
    pub input: Option<u64>,
    /// Tokens of output that were asked for.
    pub output: Option<u64>,
    /// Tokens of both together, where the text has a number of its own for that.
    pub requested: Option<u64>,
    /// The most tokens that are taken; of output for [`Class::OutputCap`].
    pub limit: Option<u64>,
    /// What that is a limit of.
    pub scope: Scope,
}

impl Classified {
    /// The total that the text reports, in tokens: of prompt and output where it shows both, else of
    /// what it shows.
    #[must_use]
    pub fn requested_tokens(&self) -> Option<u64> {
        let sum = || {
            let output = self.output.unwrap_or(0);
            self.input.map(|input| input.saturating_add(output))
        };
        match self.class {
            Class::OutputCap => self.output,
            _ => self.requested.or_else(sum),
        }
    }

    /// The overflow, with its numbers; `None` if it is something else.
    ///
    /// Where only a total is told, that stands for the prompt: [`overflow_of`](Self::overflow_of)
    /// knows better.
    #[must_use]
    pub fn overflow(&self) -> Option<Overflow> {
        self.overflow_of(None)
    }

    /// The same of a request that asked for so many tokens of output: where only a total is told,
    /// the rest of it is the prompt.
    #[must_use]
    pub fn overflow_of(&self, max_output: Option<u32>) -> Option<Overflow> {
        if !self.class.is_overflow() {
            return None;
        }
        let asked = self.output.or(match self.input {
            Some(_) => None,
            None => max_output.map(u64::from),
        });
        let rest = |total: u64| total.saturating_sub(asked.unwrap_or(0));
        let input = self.input.or_else(|| self.requested.map(rest));
        let mut overflow = Overflow::new();
        overflow.input = input.filter(|&input| input > 0);
        overflow.output = asked.filter(|_| overflow.input.is_some());
        overflow.limit = self.limit;
        overflow.scope = self.scope;
        Some(overflow)
    }

    /// Whether its numbers show what it says.
    pub(super) fn is_proof(&self) -> bool {
        let tokens = self.requested_tokens();
        tokens
            .zip(self.limit)
            .is_some_and(|(tokens, limit)| tokens >= limit)
    }

    /// How many of its numbers can be used.
    pub(super) fn worth(&self) -> u8 {
        u8::from(self.is_proof()) * 4
            + u8::from(self.limit.is_some()) * 2
            + u8::from(self.requested_tokens().is_some())
    }

    /// Fills in what follows from its numbers, and says which of the two overflows it is.
    pub(super) fn conclude(mut self) -> Self {
        if !self.class.is_overflow() {
            return self;
        }
        if let Some((requested, output)) = self.requested.zip(self.output) {
            // There may be more than one part of a prompt.
            let input = requested.checked_sub(output).filter(|&input| input > 0);
            self.input = input.or(self.input);
        }
        if let (Some(input), Some(limit)) = (self.input, self.limit) {
            let with_output = self.output.is_some_and(|output| output > 0);
            self.class = if with_output && input <= limit {
                Class::InputAndOutputTooLong
            } else {
                Class::InputTooLong
            };
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classified(input: u64, output: u64, requested: u64, limit: u64) -> Classified {
        let number = |number| Some(number).filter(|&number| number > 0);
        let classified = Classified {
            class: Class::InputTooLong,
            input: number(input),
            output: number(output),
            requested: number(requested),
            limit: number(limit),
            scope: Scope::Total,
            ..Classified::default()
        };
        classified.conclude()
    }

    #[test]
    fn a_prompt_that_fits_alone_is_too_long_with_its_output() {
        let both = Class::InputAndOutputTooLong;
        assert_eq!(classified(900, 200, 0, 1_000).class, both);
        assert_eq!(classified(1_000, 1, 0, 1_000).class, both);
        assert_eq!(classified(1_001, 1, 0, 1_000).class, Class::InputTooLong);
        assert_eq!(classified(1_001, 0, 0, 1_000).class, Class::InputTooLong);
    }

    #[test]
    fn the_prompt_is_what_the_output_leaves_of_the_total() {
        // Its messages had 600, its tools the rest.
        let classified = classified(600, 200, 1_100, 1_000);
        assert_eq!(classified.input, Some(900));
        assert_eq!(classified.requested_tokens(), Some(1_100));
    }

    #[test]
    fn a_total_alone_is_the_prompt_and_what_was_asked_for() {
        let total = classified(0, 0, 1_100, 1_000);
        let overflow = |input, limit| Overflow::new().input(input).limit(limit, Scope::Total);
        assert_eq!(total.overflow(), Some(overflow(1_100, 1_000)));
        assert_eq!(
            total.overflow_of(Some(200)),
            Some(overflow(900, 1_000).output(200))
        );
        // What was told isn't replaced by what is known.
        assert_eq!(
            classified(1_100, 0, 0, 1_000).overflow_of(Some(200)),
            Some(overflow(1_100, 1_000))
        );
    }

    #[test]
    fn what_is_none_has_no_overflow() {
        let cap = Classified {
            class: Class::OutputCap,
            output: Some(9_000),
            limit: Some(8_192),
            ..Classified::default()
        };
        assert_eq!(
            (cap.overflow(), cap.requested_tokens()),
            (None, Some(9_000))
        );
    }
}
