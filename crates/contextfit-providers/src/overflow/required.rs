use std::cmp::Reverse;
use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// More texts than these say too little.
const MOST: usize = 64;
/// Bytes of a text that are looked for: more make the automaton large, and find no less.
const LONGEST: usize = 8;
/// What weighs less than this is everywhere.
const LEAST_WEIGHT: usize = 3;
/// Sets of texts that are looked for, of one pattern.
const SETS: usize = 3;

/// Texts one of which there has to be.
type Texts = BTreeSet<Vec<u8>>;

/// Sets of texts: whatever a pattern matches has one of each. There are none if nothing is worth
/// looking for, or it is no pattern.
pub(super) fn required(pattern: &str) -> Vec<Texts> {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
    let Ok(hir) = parser.parse(pattern) else {
        return Vec::new();
    };
    let found = Found::of(&hir);
    let exact = found.exact.map(|texts| least(&texts));
    let mut sets: Vec<_> = exact.into_iter().chain(found.inside).collect();
    sets.retain(|texts| weight(texts) >= LEAST_WEIGHT);
    for texts in &mut sets {
        let starts = texts
            .iter()
            .map(|text| text[..text.len().min(LONGEST)].to_vec());
        *texts = least(&starts.collect());
    }
    sets.sort_by_key(|texts| Reverse(weight(texts)));
    sets.dedup();
    sets.truncate(SETS);
    sets
}

/// A set weighs what its lightest text does.
fn weight(texts: &Texts) -> usize {
    let weights = texts.iter().map(|text| {
        let text = text.trim_ascii();
        // What isn't in tags is rare.
        text.len()
            + if text.contains(&b'>') {
                LEAST_WEIGHT
            } else {
                0
            }
    });
    weights.min().unwrap_or(0)
}

/// The texts of a set that have no other of it inside.
fn least(texts: &Texts) -> Texts {
    let is_inside = |inner: &[u8], text: &[u8]| {
        inner.len() < text.len() && text.windows(inner.len().max(1)).any(|part| part == inner)
    };
    let is_least = |text: &&Vec<u8>| !texts.iter().any(|inner| is_inside(inner, text));
    texts.iter().filter(is_least).cloned().collect()
}

/// What is known of the matches of a part of a pattern.
struct Found {
    /// All of them, if they are few.
    exact: Option<Texts>,
    /// Sets of which each of them has a text.
    inside: Vec<Texts>,
}

impl Found {
    const UNKNOWN: Self = Self {
        exact: None,
        inside: Vec::new(),
    };

    fn exact(texts: Texts) -> Self {
        Self {
            exact: Some(texts),
            inside: Vec::new(),
        }
    }

    fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::exact(Texts::from([vec![]])),
            HirKind::Literal(literal) => Self::exact(Texts::from([literal.0.to_vec()])),
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Repetition(repetition) => match (repetition.min, repetition.max) {
                (1, Some(1)) => Self::of(&repetition.sub),
                (0, Some(1)) => Self::maybe(Self::of(&repetition.sub)),
                (0, _) => Self::UNKNOWN,
                _ => Self {
                    inside: Self::of(&repetition.sub).best().into_iter().collect(),
                    exact: None,
                },
            },
            HirKind::Concat(parts) => Self::one_after_another(parts),
            HirKind::Alternation(parts) => Self::one_of(parts),
            HirKind::Class(_) => Self::UNKNOWN,
        }
    }

    /// The set that weighs most.
    fn best(self) -> Option<Texts> {
        let exact = self.exact.map(|texts| least(&texts));
        let sets = exact.into_iter().chain(self.inside);
        sets.max_by_key(|texts| (weight(texts), Reverse(texts.len())))
    }

    fn maybe(found: Self) -> Self {
        found.exact.map_or(Self::UNKNOWN, |mut texts| {
            texts.insert(vec![]);
            Self::exact(texts)
        })
    }

    fn one_after_another(parts: &[Hir]) -> Self {
        let mut inside = Vec::new();
        let mut run = Texts::from([vec![]]);
        let mut is_exact = true;
        for part in parts {
            let found = Self::of(part);
            inside.extend(found.inside);
            let joined = found.exact.as_ref().and_then(|texts| join(&run, texts));
            if let Some(joined) = joined {
                run = joined;
                continue;
            }
            is_exact = false;
            let next = found.exact.unwrap_or_else(|| Texts::from([vec![]]));
            inside.push(least(&std::mem::replace(&mut run, next)));
        }
        if is_exact {
            return Self {
                exact: Some(run),
                inside,
            };
        }
        inside.push(least(&run));
        Self {
            exact: None,
            inside,
        }
    }

    fn one_of(parts: &[Hir]) -> Self {
        let found: Vec<_> = parts.iter().map(Self::of).collect();
        let all = |texts: Option<Vec<Texts>>| -> Option<Texts> {
            Some(texts?.into_iter().flatten().collect())
        };
        let exact = all(found.iter().map(|found| found.exact.clone()).collect());
        if let Some(exact) = exact.filter(|texts| texts.len() <= MOST) {
            return Self::exact(exact);
        }
        let inside = all(found.into_iter().map(Self::best).collect());
        let inside = inside.map(|texts| least(&texts));
        Self {
            exact: None,
            inside: inside
                .filter(|texts| texts.len() <= MOST)
                .into_iter()
                .collect(),
        }
    }
}

/// Each of these before each of those, if that isn't too many.
fn join(first: &Texts, then: &Texts) -> Option<Texts> {
    if first.len().saturating_mul(then.len()) > MOST {
        return None;
    }
    let pairs = first.iter().flat_map(|first| {
        then.iter()
            .map(move |then| [first.as_slice(), then.as_slice()].concat())
    });
    Some(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(pattern: &str) -> Vec<Vec<String>> {
        let text = |text| String::from_utf8(text).unwrap();
        let sets = required(pattern).into_iter();
        sets.map(|texts| texts.into_iter().map(text).collect())
            .collect()
    }

    #[test]
    fn what_can_not_be_missing_is_found() {
        for (pattern, expected) in [
            ("prompt is long", &[&["prompt i"] as &[_]] as &[&[_]]),
            ("the prompt is too long", &[&["the prom"]]),
            (r"prompt (\d+) is too long", &[&["prompt "], &[" is too "]]),
            (
                "prompts? (?:is|are) long",
                &[&["prompt a", "prompt i", "prompts "]],
            ),
            // What another text is in says no more than that.
            (r"(?:exceed|exceeds|surpass)\d", &[&["exceed", "surpass"]]),
            (
                r"(?:(?:long|large) )+\d prompt",
                &[&[" prompt"], &["large ", "long "]],
            ),
            (r"(?:context \d|window)x?", &[&["context ", "window"]]),
            (r"(?<limit>\d+) > \d", &[&[" > "]]),
            // What may be missing isn't looked for, nor what is everywhere.
            (r"(?:prompt is )?\d(?:too long)*", &[]),
            (r"\d+", &[]),
            ("of|is", &[]),
            ("(", &[]),
        ] {
            assert_eq!(sets(pattern), expected, "{pattern}");
        }
    }
}
