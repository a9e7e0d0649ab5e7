//! `contextfit classify`: what the errors of providers say, one a line.

mod json;
mod kind;
mod line;
mod table;

use std::io::{self, BufRead, BufWriter, Write};

use contextfit::overflow::OverflowTemplates;

use self::line::Line;
use crate::args::ClassifyArgs;
use crate::exit::Ending;
use crate::failure::Failure;
use crate::input::Lines;

/// Classifies and shows one line after the other.
pub(crate) fn run(args: &ClassifyArgs) -> Result<Ending, Failure> {
    let mut lines = Lines::open(&args.file)?;
    let mut out = BufWriter::new(io::stdout().lock());
    match classify(&mut lines, args.json, &mut out) {
        // Who listened has heard enough, as `head` does.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        shown => shown?,
    }
    Ok(Ending::Good)
}

fn classify(
    lines: &mut Lines<impl BufRead>,
    json: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let templates = OverflowTemplates::known();
    if !json {
        table::head(out)?;
    }
    while let Some((number, line)) = lines.next()? {
        let line = Line::read(line);
        if let Some(oddity) = &line.oddity {
            // Nobody is left to tell if this fails.
            let _ = writeln!(
                io::stderr(),
                "contextfit: {}:{number}: {oddity}",
                lines.name()
            );
        }
        let found = templates.classify(&line.body, line.status);
        if json {
            json::write(out, &found)?;
        } else {
            table::write(out, number, &found, &line.body)?;
        }
    }
    Ok(out.flush()?)
}
