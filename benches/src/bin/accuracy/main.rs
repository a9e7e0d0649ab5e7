//! Prints how far the weighted estimator is from real tokenizers, beside its goals.
//!
//! ```text
//! cargo run --release -p contextfit-benches --bin accuracy [-- <folder of the corpus> [<folder of transcripts>]]
//! ```
//!
//! The corpus isn't part of the repository: `tools/estimator-fit/` fetches it. Measured are texts of
//! documents that the weights weren't fitted on, each by itself and in conversations whose provider
//! reports what it counts; with a folder of transcripts and what was reported of them
//! (`NAME.json` and `NAME.usage.json`), those too. What would happen to a kind of text that was in no
//! document of the fit can't be measured without fitting again; these figures are the last fit's.

mod corpus;
mod feedback;
mod figures;
mod held_out;
mod report;

use std::error::Error;
use std::path::{Path, PathBuf};

use corpus::Corpus;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(
        || Path::new(ROOT).join("target/estimator-corpus"),
        PathBuf::from,
    );
    let corpus = Corpus::read(&folder)?;
    report::kinds(&corpus);
    report::other_kinds(&corpus);
    report::lowest(&corpus);
    report::headroom(&corpus);
    held_out::print(&Path::new(ROOT).join("tools/estimator-fit/report.json"))?;
    feedback::simulated(&corpus);
    match std::env::args().nth(2) {
        Some(transcripts) => feedback::recorded(Path::new(&transcripts)),
        None => Ok(()),
    }
}
