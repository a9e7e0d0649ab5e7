use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// More literals than these say too little.
const MOST: usize = 64;
/// Shorter literals than this are everywhere.
const SHORTEST: usize = 4;

type Texts = BTreeSet<Vec<u8>>;

/// Texts one of which is in whatever a pattern matches. `None` if there are none that are worth
/// looking for, or it is no pattern.
pub(super) fn required(pattern: &str) -> Option<Texts> {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
    let hir = parser.parse(pattern).ok()?;
    let found = Found::of(&hir);
    let all = found.exact.into_iter().chain(found.inside);
    all.max_by_key(worth)
        .filter(|texts| worth(texts) >= SHORTEST)
}

/// A set is worth its shortest text.
fn worth(texts: &Texts) -> usize {
    texts.iter().map(Vec::len).min().unwrap_or(0)
}

/// What is known of the matches of a part of a pattern.
struct Found {
    /// All of them, if they are few.
    exact: Option<Texts>,
    /// Texts one of which is in each of them.
    inside: Option<Texts>,
}

impl Found {
    const UNKNOWN: Self = Self {
        exact: None,
        inside: None,
    };

    fn exact(texts: Texts) -> Self {
        Self {
            exact: Some(texts),
            inside: None,
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
                    inside: Self::of(&repetition.sub).any(),
                    exact: None,
                },
            },
            HirKind::Concat(parts) => Self::one_after_another(parts),
            HirKind::Alternation(parts) => Self::one_of(parts),
            HirKind::Class(_) => Self::UNKNOWN,
        }
    }

    fn any(self) -> Option<Texts> {
        let all = self.exact.into_iter().chain(self.inside);
        all.max_by_key(worth)
    }

    fn maybe(found: Self) -> Self {
        found.exact.map_or(Self::UNKNOWN, |mut texts| {
            texts.insert(vec![]);
            Self::exact(texts)
        })
    }

    fn one_after_another(parts: &[Hir]) -> Self {
        let mut best: Option<Texts> = None;
        let mut better = |texts: Texts| {
            if best.as_ref().is_none_or(|best| worth(&texts) > worth(best)) {
                best = Some(texts);
            }
        };
        let mut run = Texts::from([vec![]]);
        let mut is_exact = true;
        for part in parts {
            let found = Self::of(part);
            if let Some(inside) = found.inside {
                better(inside);
            }
            let joined = found.exact.as_ref().and_then(|texts| join(&run, texts));
            if let Some(joined) = joined {
                run = joined;
                continue;
            }
            is_exact = false;
            let next = found.exact.unwrap_or_else(|| Texts::from([vec![]]));
            better(std::mem::replace(&mut run, next));
        }
        if is_exact {
            return Self {
                exact: Some(run),
                inside: best,
            };
        }
        better(run);
        Self {
            exact: None,
            inside: best,
        }
    }

    fn one_of(parts: &[Hir]) -> Self {
        let found: Vec<_> = parts.iter().map(Self::of).collect();
        let few = |all: Option<Vec<Texts>>| {
            let all: Texts = all?.into_iter().flatten().collect();
            (all.len() <= MOST).then_some(all)
        };
        let exact = found.iter().map(|found| found.exact.clone()).collect();
        Self {
            exact: few(exact),
            inside: few(found.into_iter().map(Self::any).collect()),
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

    fn texts(pattern: &str) -> Vec<String> {
        let texts = required(pattern).unwrap_or_default();
        let texts = texts.into_iter();
        texts.map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn the_longest_text_that_can_not_be_missing_is_found() {
        for (pattern, expected) in [
            ("prompt is long", &["prompt is long"][..]),
            (r"prompt (\d+) is too long", &[" is too long"]),
            (
                "prompts? (?:is|are) long",
                &[
                    "prompt are long",
                    "prompt is long",
                    "prompts are long",
                    "prompts is long",
                ],
            ),
            (r"(?:(?:long|large) )+\d prompt", &[" prompt"]),
            (r"(?:context \d|window)x?", &["context ", "window"]),
            (r"(?<limit>\d+) tokens\b", &[" tokens"]),
            // What may be missing isn't looked for.
            (r"(?:prompt is )?\d(?:too long)*", &[]),
            (r"\d+", &[]),
            ("of|is", &[]),
            ("(", &[]),
        ] {
            assert_eq!(texts(pattern), expected, "{pattern}");
        }
    }
}
