use std::io::{self, Write};

use contextfit::overflow::Classified;

use super::kind::kind;
use crate::number::grouped;
use crate::one_line::one_line;

/// Characters of a text that are shown.
const SHOWN: usize = 60;

/// Writes the head of the columns.
pub(super) fn head(out: &mut impl Write) -> io::Result<()> {
    let names = ["line", "kind", "class", "requested", "limit", "template"];
    row(out, names, "text")
}

/// Writes what an error says as one line.
pub(super) fn write(
    out: &mut impl Write,
    number: usize,
    found: &Classified,
    body: &str,
) -> io::Result<()> {
    let tokens = |tokens: Option<u64>| tokens.map_or_else(|| "-".to_owned(), grouped);
    let cells = [
        &*number.to_string(),
        kind(found.class),
        found.class.name(),
        &tokens(found.requested_tokens()),
        &tokens(found.limit),
        found.template.as_deref().unwrap_or("-"),
    ];
    row(out, cells, &one_line(body, SHOWN))
}

fn row(out: &mut impl Write, cells: [&str; 6], text: &str) -> io::Result<()> {
    let [number, kind, class, requested, limit, template] = cells;
    let line = format!(
        "{number:>5}  {kind:12}  {class:25}  {requested:>11}  {limit:>11}  {template:34}  {text}"
    );
    writeln!(out, "{}", line.trim_end())
}
