//! A map on a terminal.

mod bar;
mod blocks;
mod headline;
mod kinds;
mod paint;
mod prompts;

use std::io::{self, Write};

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
    let parts = [
        headline::draw(map),
        prompts::draw(map, columns),
        kinds::draw(map),
        blocks::draw(map, all, columns),
    ];
    format!("\n{}\n", parts.join("\n\n"))
}
