use std::collections::BTreeSet;

use regex::{Regex, RegexSet, RegexSetBuilder};

use super::OverflowPhrases;
use super::known::{BROAD_PHRASES, EXCLUSIONS, PHRASES};
use super::pattern::pattern;
use super::phrases::Sets;

/// Adds phrases of yours to what providers are known to say. Made by [`OverflowPhrases::builder`].
///
/// Each is a [regular expression](regex), found in any case and anywhere in a text. A blank in it
/// stands for any white space and an apostrophe for any form of one, because texts come wrapped
/// and escaped.
///
/// ```
/// use contextfit_providers::overflow::OverflowPhrases;
///
/// let phrases = OverflowPhrases::builder()
///     .phrase(r"our gateway: \d+ is more than \d+")
///     .exclusion("maintenance window")
///     .build()?;
/// assert!(phrases.are_in("Our gateway: 9000 is more than 8000!", None));
/// assert!(!phrases.are_in("context window? No, maintenance window.", Some(400)));
/// # Ok::<(), contextfit_providers::overflow::PhraseError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OverflowPhrasesBuilder {
    exclusions: Vec<String>,
    phrases: Vec<String>,
    broad_phrases: Vec<String>,
    statuses: Option<BTreeSet<u16>>,
}

impl OverflowPhrasesBuilder {
    /// Adds a phrase that only an overflow has, whatever the HTTP status.
    #[must_use]
    pub fn phrase(mut self, phrase: impl Into<String>) -> Self {
        self.phrases.push(phrase.into());
        self
    }

    /// Adds a phrase that says it together with HTTP status 400 or 413 only.
    #[must_use]
    pub fn broad_phrase(mut self, phrase: impl Into<String>) -> Self {
        self.broad_phrases.push(phrase.into());
        self
    }

    /// Adds a phrase that no overflow has: of a text with it, nothing else counts.
    #[must_use]
    pub fn exclusion(mut self, phrase: impl Into<String>) -> Self {
        self.exclusions.push(phrase.into());
        self
    }

    /// Sees an overflow in errors with these HTTP statuses only, and so in none whose status isn't
    /// known. All count unless set, but for 429, which is a rate limit.
    #[must_use]
    pub fn only_statuses(mut self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.statuses = Some(statuses.into_iter().collect());
        self
    }

    /// Compiles all phrases, once.
    ///
    /// # Errors
    ///
    /// One isn't a regular expression, or they are too large together.
    pub fn build(self) -> Result<OverflowPhrases, PhraseError> {
        Ok(OverflowPhrases::from(Sets {
            exclusions: compile(EXCLUSIONS, &self.exclusions)?,
            phrases: compile(PHRASES, &self.phrases)?,
            broad_phrases: compile(BROAD_PHRASES, &self.broad_phrases)?,
            statuses: self.statuses,
        }))
    }
}

fn compile(known: &[&str], added: &[String]) -> Result<RegexSet, PhraseError> {
    let phrases = known
        .iter()
        .copied()
        .chain(added.iter().map(String::as_str));
    RegexSetBuilder::new(phrases.map(pattern))
        .case_insensitive(true)
        .build()
        .map_err(|source| match source {
            regex::Error::CompiledTooBig(_) => PhraseError::TooLarge(source),
            _ => {
                let is_broken = |phrase: &&String| Regex::new(&pattern(phrase)).is_err();
                let phrase = added.iter().find(is_broken).cloned().unwrap_or_default();
                PhraseError::Invalid { phrase, source }
            }
        })
}

/// A phrase can't be looked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PhraseError {
    /// It isn't a regular expression.
    #[error("`{phrase}` is no regular expression: escape what is meant literally")]
    Invalid {
        /// The phrase.
        phrase: String,
        /// Why.
        source: regex::Error,
    },
    /// They are too large together.
    #[error("the phrases are too large together: use fewer, or shorter ones")]
    TooLarge(#[source] regex::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_that_is_no_regular_expression_is_refused_by_name() {
        let broken = "prompt (is too long";
        let builders = [
            OverflowPhrases::builder().phrase("fine").phrase(broken),
            OverflowPhrases::builder().broad_phrase(broken),
            OverflowPhrases::builder().exclusion(broken),
        ];
        for builder in builders {
            let error = builder.build().unwrap_err();
            assert!(error.to_string().contains(broken), "{error}");
        }
    }

    #[test]
    fn phrases_without_bounds_are_refused() {
        let builder = OverflowPhrases::builder().phrase(r"\w{1000}".repeat(10));
        assert!(matches!(builder.build(), Err(PhraseError::TooLarge(_))));
    }
}
