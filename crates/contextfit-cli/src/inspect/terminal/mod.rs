//! A map on a terminal.

mod bar;
mod blocks;
mod kinds;
mod paint;
mod prompts;

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anstyle::Style;

use self::paint::painted;
use super::map::Map;

/// The columns of a map where the terminal doesn't say how many it has.
const COLUMNS: usize = 100;
/// Fewer than these hold no map.
const FEWEST: usize = 60;

/// Prints a map, as wide as the terminal.
pub(crate) fn print(map: &Map<'_>, all: bool) -> io::Result<()> {
    let columns = terminal_size::terminal_size()
        .map_or(COLUMNS, |(width, _)| usize::from(width.0).max(FEWEST));
    // Takes the colours out where nobody can see them, or wants to.
    let mut out = anstream::stdout().lock();
    out.write_all(draw(map, all, columns).as_bytes())?;
    out.flush()
}

/// The whole picture, so many columns wide.
fn draw(map: &Map<'_>, all: bool, columns: usize) -> String {
    let bold = Style::new().bold();
    let mut text = String::new();
    let mut line = |line: &str| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "  {line}");
    };
    line("");
    line(&format!("{}: {}", painted(&map.file(), bold), map.size()));
    line(&map.how());
    line(&map.budget());
    line("");
    line(&painted(&map.verdict(), bold));
    if let Some(summary) = map.summary() {
        line(&summary);
    }
    if let Some(problem) = map.problem() {
        line(&problem);
    }
    let lines = text.lines().map(str::trim_end);
    let mut text = lines.collect::<Vec<_>>().join("\n");
    for part in [
        prompts::draw(map, columns),
        kinds::draw(map),
        blocks::draw(map, all, columns),
    ] {
        text.push_str("\n\n");
        text.push_str(&part);
    }
    text.push('\n');
    text
}
