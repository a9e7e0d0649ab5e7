//! Prints how often each text of a corpus goes through each state of the weighted automaton, as
//! CSV with a line for each line of the corpus. `tools/estimator-fit/fit.py` runs it.

use std::error::Error;
use std::io::{BufRead, BufReader, BufWriter, Write};

use contextfit_core::estimate::Visits;
use serde::Deserialize;

#[derive(Deserialize)]
struct Chunk {
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("visits <file of JSON lines>")?;
    let file = std::fs::File::open(path)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", join(Visits::states()))?;
    for line in BufReader::new(file).lines() {
        let chunk: Chunk = serde_json::from_str(&line?)?;
        let visits = Visits::of(&chunk.text);
        writeln!(out, "{}", join(visits.counts().iter().map(u64::to_string)))?;
    }
    Ok(out.flush()?)
}

fn join(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",")
}
