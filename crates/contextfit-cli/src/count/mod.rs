//! `contextfit count`: tokens per message and in total, by each estimator side by side.

mod counts;
mod json;
mod terminal;

use std::io::{self, BufWriter, Write};

use self::counts::Counts;
use crate::args::CountArgs;
use crate::counter::Counter;
use crate::exit::Ending;
use crate::failure::Failure;
use crate::input::Document;

/// Counts and shows one file after the other.
pub(crate) fn run(args: &CountArgs) -> Result<Ending, Failure> {
    let counters = Counter::chosen(args)?;
    for path in &args.files {
        let document = Document::read(path)?;
        let counts = Counts::of(&document, &counters);
        match show(&counts, &counters, args) {
            // Who listened has heard enough, as `head` does.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            shown => shown?,
        }
    }
    Ok(Ending::Good)
}

fn show(counts: &Counts, counters: &[Counter], args: &CountArgs) -> io::Result<()> {
    if args.json {
        let mut out = BufWriter::new(io::stdout().lock());
        json::write(&mut out, counts, counters)?;
        return out.flush();
    }
    terminal::print(counts, counters)
}
