use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use regex::RegexSet;

use super::OverflowPhrasesBuilder;
use super::excerpt::Excerpt;
use super::known::BROAD_STATUSES;

/// Too many requests: a rate limit, whatever the text says.
const TOO_MANY_REQUESTS: u16 = 429;

/// What is looked for in the text of an error, to see whether it is an overflow.
///
/// The [module docs](super) say in which order. [`default`](Self::default) is what providers are
/// known to say; [`builder`](Self::builder) adds to it. Clones share one copy.
///
/// ```
/// use contextfit_providers::overflow::OverflowPhrases;
///
/// let phrases = OverflowPhrases::default();
/// assert!(phrases.are_in("prompt is too long: 219898 tokens > 200000 maximum", None));
/// // Not every text is as clear as that. This one takes its status to say something.
/// assert!(phrases.are_in("see the docs on the context window", Some(400)));
/// assert!(!phrases.are_in("see the docs on the context window", Some(500)));
/// assert!(!phrases.are_in("Too many tokens, please wait before trying again.", Some(400)));
/// ```
#[derive(Clone, Debug)]
pub struct OverflowPhrases {
    sets: Arc<Sets>,
}

#[derive(Debug)]
pub(super) struct Sets {
    pub(super) exclusions: RegexSet,
    pub(super) phrases: RegexSet,
    pub(super) broad_phrases: RegexSet,
    /// The only statuses that count, if not all do.
    pub(super) statuses: Option<BTreeSet<u16>>,
}

static KNOWN: LazyLock<OverflowPhrases> = LazyLock::new(|| {
    let known = OverflowPhrasesBuilder::default().build();
    known.expect("what is known was compiled by tests")
});

impl Default for OverflowPhrases {
    fn default() -> Self {
        KNOWN.clone()
    }
}

impl OverflowPhrases {
    /// Adds to what providers are known to say.
    #[must_use]
    pub fn builder() -> OverflowPhrasesBuilder {
        OverflowPhrasesBuilder::default()
    }

    /// Whether a text says that a request is too long. `status` is the HTTP status it came with,
    /// if that is known.
    ///
    /// Of a text of more than 128 KiB, 64 KiB are read at either end.
    #[must_use]
    pub fn are_in(&self, text: &str, status: Option<u16>) -> bool {
        self.are_in_any(&[Excerpt::of(text)], status)
    }

    /// The same of the texts that one error has.
    pub(super) fn are_in_any(&self, texts: &[Excerpt], status: Option<u16>) -> bool {
        let Sets {
            exclusions,
            phrases,
            broad_phrases,
            statuses,
        } = &*self.sets;
        let has = |set: &RegexSet| {
            let mut parts = texts.iter().flat_map(Excerpt::parts);
            parts.any(|part| set.is_match(part))
        };
        let is_allowed = statuses
            .as_ref()
            .is_none_or(|statuses| status.is_some_and(|status| statuses.contains(&status)));
        let is_broad = status.is_some_and(|status| BROAD_STATUSES.contains(&status));
        is_allowed
            && status != Some(TOO_MANY_REQUESTS)
            && !has(exclusions)
            && (has(phrases) || is_broad && has(broad_phrases))
    }
}

impl From<Sets> for OverflowPhrases {
    fn from(sets: Sets) -> Self {
        Self {
            sets: Arc::new(sets),
        }
    }
}

/// Whether a text says that a request is too long, by what providers are known to say. `status` is
/// the HTTP status it came with, if that is known.
///
/// ```
/// use contextfit_providers::overflow::is_overflow_text;
///
/// let body = r#"{"error":{"message":"Your input exceeds the context window of this model."}}"#;
/// assert!(is_overflow_text(body, None));
/// assert!(!is_overflow_text("Rate limit reached for tokens per min", Some(429)));
/// ```
#[must_use]
pub fn is_overflow_text(text: &str, status: Option<u16>) -> bool {
    KNOWN.are_in(text, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yours_are_looked_for_beside_the_known_ones() {
        let phrases = OverflowPhrases::builder()
            .phrase("tapir")
            .broad_phrase("okapi")
            .exclusion("gnu")
            .build()
            .unwrap();
        for known in ["tapir", "prompt is too long"] {
            assert!(phrases.are_in(known, None), "{known}");
            assert!(!phrases.are_in(&format!("{known} gnu"), None), "{known}");
            assert!(
                !phrases.are_in(&format!("{known} throttling"), None),
                "{known}"
            );
        }
        for known in ["okapi", "context window"] {
            assert!(phrases.are_in(known, Some(413)), "{known}");
            assert!(!phrases.are_in(known, Some(422)), "{known}");
            assert!(
                !phrases.are_in(&format!("{known} gnu"), Some(413)),
                "{known}"
            );
        }
        assert!(!is_overflow_text("tapir okapi", Some(400)));
    }

    #[test]
    fn too_many_requests_are_no_overflow_whatever_the_text() {
        assert!(is_overflow_text("prompt is too long", Some(500)));
        assert!(!is_overflow_text("prompt is too long", Some(429)));
    }

    #[test]
    fn only_the_statuses_that_are_set_count() {
        let phrases = OverflowPhrases::builder().only_statuses([422, 429]);
        let phrases = phrases.build().unwrap();
        let found = |status| phrases.are_in("prompt is too long", status);
        assert!(found(Some(422)));
        assert!(!found(Some(400)));
        assert!(!found(Some(429)), "a rate limit all the same");
        assert!(!found(None));
    }

    #[test]
    fn a_long_text_is_read_at_both_ends() {
        let filler = "x".repeat(65_500);
        let (phrase, exclusion) = ("prompt is too long", "rate limit");
        assert!(is_overflow_text(
            &format!("{phrase}{filler}{filler}{filler}"),
            None
        ));
        assert!(is_overflow_text(
            &format!("{filler}{filler}{filler}{phrase}"),
            None
        ));
        assert!(!is_overflow_text(
            &format!("{phrase}{filler}{filler}{exclusion}"),
            None
        ));
        assert!(!is_overflow_text(
            &format!("{exclusion}{filler}{filler}{phrase}"),
            None
        ));
        assert!(!is_overflow_text(
            &format!("{filler}{filler}{phrase}{filler}{filler}"),
            None
        ));
    }
}
