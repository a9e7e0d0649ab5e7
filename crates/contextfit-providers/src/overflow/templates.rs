use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::compiled::Compiled;
use super::excerpt::Excerpt;
use super::plain::plain;
use super::template::Grade;
use super::{Class, Classified, OverflowTemplatesBuilder, Template};

/// Bytes around what was looked for in which a template is asked: more than any match has.
const AROUND: usize = 640;
/// Too many requests. A provider says so of tokens, too.
const TOO_MANY_REQUESTS: u16 = 429;
/// Who asks and what for is wrong, or when: nothing that is said vaguely is about a prompt then.
const NOT_ABOUT_THE_PROMPT: [u16; 5] = [401, 402, 404, 409, TOO_MANY_REQUESTS];
/// The statuses with which a broad text says that a request is too long.
const ABOUT_THE_REQUEST: [u16; 2] = [400, 413];

/// What the texts of errors are compared with, to see what they say.
///
/// The [module docs](super) say in which order. [`known`](Self::known) is what providers are known
/// to say; [`builder`](Self::builder) adds to it. Clones share one copy.
///
/// ```
/// use contextfit_providers::overflow::{Class, OverflowTemplates};
///
/// let templates = OverflowTemplates::known();
/// let found = templates.classify("prompt is too long: 219898 tokens > 200000 maximum", None);
/// assert_eq!(found.class, Class::InputTooLong);
/// assert_eq!((found.input, found.limit), (Some(219_898), Some(200_000)));
///
/// let found = templates.classify("Too many tokens, please wait before trying again.", Some(400));
/// assert_eq!(found.class, Class::RateOrQuota);
///
/// // Not every text is as clear as that. This one takes its status to say something.
/// let broad = "see the docs on the context window";
/// assert!(templates.classify(broad, Some(400)).class.is_overflow());
/// assert!(!templates.classify(broad, Some(500)).class.is_overflow());
/// ```
#[derive(Clone)]
pub struct OverflowTemplates {
    all: Arc<All>,
}

pub(super) struct All {
    /// In the order in which they are asked.
    templates: Vec<Compiled>,
    /// Finds the texts that templates require.
    prefilter: AhoCorasick,
    /// The sets of which a text is one, by their numbers.
    sets_of: Vec<Vec<usize>>,
    /// The numbers of the sets that a template requires.
    required: Vec<Range<usize>>,
    /// The only statuses that count, if not all do.
    statuses: Option<BTreeSet<u16>>,
}

static KNOWN: LazyLock<OverflowTemplates> = LazyLock::new(|| {
    let known = OverflowTemplatesBuilder::default().build();
    known.expect("what is known was compiled by tests")
});

impl Default for OverflowTemplates {
    fn default() -> Self {
        Self::known()
    }
}

impl fmt::Debug for OverflowTemplates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverflowTemplates")
            .field("templates", &self.all.templates.len())
            .field("statuses", &self.all.statuses)
            .finish_non_exhaustive()
    }
}

impl OverflowTemplates {
    /// What providers are known to say.
    #[must_use]
    pub fn known() -> Self {
        KNOWN.clone()
    }

    /// Adds to what providers are known to say.
    #[must_use]
    pub fn builder() -> OverflowTemplatesBuilder {
        OverflowTemplatesBuilder::default()
    }

    pub(super) fn new(
        templates: Vec<Compiled>,
        statuses: Option<BTreeSet<u16>>,
    ) -> Result<Self, aho_corasick::BuildError> {
        let mut sets_of = BTreeMap::<Vec<u8>, Vec<usize>>::new();
        let mut required = Vec::with_capacity(templates.len());
        let mut sets = 0;
        for template in &templates {
            let first = sets;
            for texts in template.required() {
                for text in texts {
                    sets_of.entry(text).or_default().push(sets);
                }
                sets += 1;
            }
            required.push(first..sets);
        }
        let prefilter = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(sets_of.keys())?;
        let all = All {
            templates,
            prefilter,
            sets_of: sets_of.into_values().collect(),
            required,
            statuses,
        };
        Ok(Self { all: Arc::new(all) })
    }

    /// What a text says. `status` is the HTTP status it came with, if that is known.
    ///
    /// Of a text of more than 128 KiB, 64 KiB are read at either end.
    #[must_use]
    pub fn classify(&self, text: &str, status: Option<u16>) -> Classified {
        let (head, tail) = Excerpt::ends(text);
        self.classify_parts([head].into_iter().chain(tail), status)
    }

    /// The same of the texts that one error has.
    pub(super) fn classify_all(&self, texts: &[Excerpt], status: Option<u16>) -> Classified {
        self.classify_parts(texts.iter().flat_map(Excerpt::parts), status)
    }

    fn classify_parts<'a>(
        &self,
        parts: impl Iterator<Item = &'a str>,
        status: Option<u16>,
    ) -> Classified {
        let texts: Vec<_> = parts.map(|part| Searched::new(&self.all, part)).collect();
        let found = Asked {
            all: &self.all,
            texts: &texts,
        }
        .decide(status);
        let is_allowed = self
            .all
            .statuses
            .as_ref()
            .is_none_or(|statuses| status.is_some_and(|status| statuses.contains(&status)));
        if found.class.is_overflow() && !is_allowed {
            return Classified::default();
        }
        found
    }
}

/// A plain text, and where it has what templates require.
struct Searched {
    text: Vec<u8>,
    /// By the number of a set: from the first of its texts to the last.
    places: Vec<Option<Range<usize>>>,
}

impl Searched {
    fn new(all: &All, text: &str) -> Self {
        let text = plain(text);
        let sets = all.required.last().map_or(0, |sets| sets.end);
        let mut places = vec![None::<Range<usize>>; sets];
        for found in all.prefilter.find_overlapping_iter(&text) {
            for &set in &all.sets_of[found.pattern().as_usize()] {
                let place = places[set].get_or_insert(found.range());
                place.start = place.start.min(found.start());
                place.end = place.end.max(found.end());
            }
        }
        Self { text, places }
    }

    /// The part of the text that a template may match which requires these sets: around all of
    /// them. `None` if one of them is missing.
    fn part(&self, required: Range<usize>) -> Option<Range<usize>> {
        let mut part = 0..self.text.len();
        for place in self.places.get(required)? {
            let place = place.as_ref()?;
            part.start = part.start.max(place.start.saturating_sub(AROUND));
            part.end = part.end.min(place.end.saturating_add(AROUND));
        }
        (part.start < part.end).then_some(part)
    }
}

/// The texts of an error, asked template by template.
struct Asked<'a> {
    all: &'a All,
    texts: &'a [Searched],
}

impl Asked<'_> {
    /// What those say that match, of the templates that are wanted, in their order.
    fn answers(&self, wanted: impl Fn(&Template) -> bool) -> impl Iterator<Item = Classified> {
        let templates = self.all.templates.iter().enumerate();
        templates
            .filter(move |(_, compiled)| wanted(&compiled.template))
            .flat_map(move |(index, compiled)| {
                self.texts.iter().filter_map(move |searched| {
                    let part = searched.part(self.all.required[index].clone())?;
                    compiled.read(&searched.text, part)
                })
            })
    }

    /// The first overflow of a grade that its numbers prove; or else the one that has most of them.
    fn best(&self, grade: Grade) -> Option<Classified> {
        let mut best: Option<Classified> = None;
        let is_wanted = |it: &Template| it.grade == grade && it.class.is_overflow();
        for found in self.answers(is_wanted) {
            if best
                .as_ref()
                .is_none_or(|best| found.worth() > best.worth())
            {
                let is_proof = found.is_proof();
                best = Some(found);
                if is_proof {
                    break;
                }
            }
        }
        best
    }

    fn first(&self, wanted: impl Fn(&Template) -> bool) -> Option<Classified> {
        self.answers(wanted).next()
    }

    fn decide(&self, status: Option<u16>) -> Classified {
        let is = |statuses: &[u16]| status.is_some_and(|status| statuses.contains(&status));
        let excluded = |it: &Template| it.grade == Grade::Code && !it.class.is_overflow();
        if let Some(other) = self.first(excluded) {
            return other;
        }
        let code = self.best(Grade::Code);
        let words = self.best(Grade::Words);
        if code.is_some() || words.as_ref().is_some_and(Classified::is_proof) {
            // A code has few numbers of its own. Whatever has more of them speaks for it.
            let known = richer(words, code);
            let is_proof = known.as_ref().is_some_and(Classified::is_proof);
            let kind = (!is_proof).then(|| self.best(Grade::Kind)).flatten();
            return richer(known, kind).unwrap_or_default();
        }
        if let Some(other) = self.first(|it| !it.class.is_overflow()) {
            return other;
        }
        let vague = !is(&NOT_ABOUT_THE_PROMPT);
        let in_other_words = |grade| if vague { self.best(grade) } else { None };
        let known = richer(words, in_other_words(Grade::Kind));
        let known = match known {
            Some(known) if known.worth() > 0 => Some(known),
            known => richer(known, in_other_words(Grade::Ambiguous)),
        };
        let broad = || {
            let is_about_it = is(&ABOUT_THE_REQUEST);
            is_about_it.then(|| self.best(Grade::Broad)).flatten()
        };
        known.or_else(broad).unwrap_or_default()
    }
}

/// The one with more numbers; of equals the first.
fn richer(first: Option<Classified>, second: Option<Classified>) -> Option<Classified> {
    match (first, second) {
        (Some(first), Some(second)) if second.worth() > first.worth() => Some(second),
        (first, second) => first.or(second),
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
    let class: Class = KNOWN.classify(text, status).class;
    class.is_overflow()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str, status: Option<u16>) -> Class {
        OverflowTemplates::known().classify(text, status).class
    }

    #[test]
    fn yours_are_looked_for_beside_the_known_ones() {
        let templates = OverflowTemplates::builder()
            .template(Template::new("tapir", Class::InputTooLong, "Tapir"))
            .template(Template::new("okapi", Class::InputTooLong, "okapi").broad())
            .exclusion("gnu")
            .code("animal_too_long")
            .build()
            .unwrap();
        let is_one = |text: &str, status| templates.classify(text, status).class.is_overflow();
        for known in ["tapir", "prompt is too long", "ANIMAL_TOO_LONG"] {
            assert!(is_one(known, None), "{known}");
            assert!(!is_one(&format!("{known} gnu"), None), "{known}");
        }
        // A code is never taken back by words.
        assert!(!is_one("tapir throttling", None));
        assert!(is_one("animal_too_long throttling", None));
        for known in ["okapi", "context window"] {
            assert!(is_one(known, Some(413)), "{known}");
            assert!(!is_one(known, Some(422)), "{known}");
            assert!(!is_one(&format!("{known} gnu"), Some(413)), "{known}");
        }
        assert!(!is_overflow_text("tapir okapi", Some(400)));
    }

    #[test]
    fn what_may_be_a_rate_limit_is_one_with_status_429() {
        for text in [
            "too many tokens",
            "token limit exceeded",
            "the context was exceeded",
        ] {
            assert!(!is_overflow_text(text, Some(429)), "{text}");
        }
        // A gateway that passes an error on gives it any status. Waiting wouldn't help.
        for text in [
            "prompt is too long: 9000 tokens > 8192 maximum",
            r#"{"code":"context_length_exceeded"}"#,
            "prompt is too long",
        ] {
            assert!(is_overflow_text(text, Some(429)), "{text}");
            assert!(is_overflow_text(text, Some(500)), "{text}");
        }
    }

    #[test]
    fn only_the_statuses_that_are_set_count() {
        let templates = OverflowTemplates::builder().only_statuses([422]);
        let templates = templates.build().unwrap();
        let found = |status| templates.classify("prompt is too long", status).class;
        assert!(found(Some(422)).is_overflow());
        assert_eq!(found(Some(400)), Class::Other);
        assert_eq!(found(None), Class::Other);
    }

    #[test]
    fn a_long_text_is_read_at_both_ends() {
        let filler = "x".repeat(65_500);
        let (phrase, exclusion) = ("prompt is too long", "throttling");
        let ends = format!("{phrase}{filler}{filler}{filler}");
        assert!(class(&ends, None).is_overflow());
        let ends = format!("{filler}{filler}{filler}{phrase}");
        assert!(class(&ends, None).is_overflow());
        let ends = format!("{phrase}{filler}{filler}{exclusion}");
        assert_eq!(class(&ends, None), Class::RateOrQuota);
        let ends = format!("{exclusion}{filler}{filler}{phrase}");
        assert!(!class(&ends, None).is_overflow());
        let middle = format!("{filler}{filler}{phrase}{filler}{filler}");
        assert_eq!(class(&middle, None), Class::Other);
    }
}
