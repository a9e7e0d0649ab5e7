use std::collections::BTreeSet;

use regex::{RegexSet, RegexSetBuilder};

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
    let added = added.iter().map(String::as_str);
    let patterns = known.iter().copied().chain(added).map(pattern);
    Ok(RegexSetBuilder::new(patterns)
        .case_insensitive(true)
        .build()?)
}

/// A phrase can't be looked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the phrases of an overflow can't be compiled; a phrase is a regular expression")]
pub struct PhraseError {
    /// Why, with the phrase.
    #[from]
    source: regex::Error,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_that_is_no_regular_expression_is_refused() {
        let broken = || "prompt (is too long".to_owned();
        let builders = [
            OverflowPhrases::builder().phrase(broken()),
            OverflowPhrases::builder().broad_phrase(broken()),
            OverflowPhrases::builder().exclusion(broken()),
        ];
        for builder in builders {
            let error = builder.build().unwrap_err();
            assert!(
                error.source.to_string().contains("unclosed group"),
                "{error}"
            );
        }
    }
}
