use std::io::{self, Write};

use serde::Serialize;

use super::step::{Step, Totals};

/// Writes what became of a request, on a line of its own.
pub(crate) fn step(out: &mut impl Write, step: &Step) -> io::Result<()> {
    line(out, step)
}

/// Writes what became of all requests, as the last line.
pub(crate) fn totals(out: &mut impl Write, total: &Totals) -> io::Result<()> {
    #[derive(Serialize)]
    struct Last<'a> {
        total: &'a Totals,
    }
    line(out, &Last { total })?;
    out.flush()
}

fn line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string(value).map_err(io::Error::from)?;
    writeln!(out, "{json}")
}
