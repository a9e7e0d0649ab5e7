//! A map as a page, complete in itself.

mod view;

use std::collections::BTreeSet;
use std::io;

use askama::Template;

use self::view::{Budget, Figure, KindRow, Line, StripBlock};
use super::fold::lines;
use super::map::Map;

/// The page, as HTML. It needs no script and nothing from elsewhere. What it says of the
/// conversation is escaped by the template.
pub(crate) fn page(map: &Map<'_>, all: bool) -> io::Result<String> {
    Page::of(map, all).render().map_err(io::Error::other)
}

/// What `page.html` fills in.
#[derive(Template)]
#[template(path = "page.html")]
struct Page {
    version: &'static str,
    file: String,
    size: String,
    how: String,
    outcome: String,
    over: bool,
    summary: Option<String>,
    problem: Option<String>,
    prompts: Figure,
    budget: Vec<Budget>,
    changes: bool,
    kinds: Vec<KindRow>,
    strip: Vec<StripBlock>,
    fates: BTreeSet<&'static str>,
    cut: Option<String>,
    lines: Vec<Line>,
}

impl Page {
    fn of(map: &Map<'_>, all: bool) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            file: map.file(),
            size: map.size(),
            how: map.how(),
            outcome: map.outcome(),
            over: map.is_over(),
            summary: map.summary(),
            problem: map.problem(),
            prompts: Figure::of(map),
            budget: view::budget(map),
            changes: map.changes(),
            kinds: view::kinds(map),
            strip: view::strip(map),
            fates: view::fates(map),
            cut: map.cut_line(),
            lines: lines(map, all)
                .iter()
                .map(|line| Line::of(map, line))
                .collect(),
        }
    }
}
