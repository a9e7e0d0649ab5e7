//! `contextfit inspect`: draws a map of the context, and of what a fit would do to it.

mod block;
mod excerpt;
mod fold;
mod headline;
mod html;
mod json;
mod kind;
mod map;
#[cfg(test)]
mod sample;
mod terminal;
mod words;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use contextfit::{ConfigError, Fitter};

use self::map::Map;
use crate::args::InspectArgs;
use crate::exit::Ending;
use crate::failure::Failure;
use crate::input::Recording;

/// Reads, explains, and draws.
pub(crate) fn run(args: &InspectArgs) -> Result<Ending, Failure> {
    let fitter = fitter(args)?;
    let recording = Recording::read(&args.setup.file)?;
    let explanation = fitter.explain(&recording.request)?;
    let map = Map::new(&recording, args, &explanation);
    match draw(&map, args) {
        // Who listened has heard enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        drawn => drawn?,
    }
    let Some(problem) = map.problem() else {
        return Ok(Ending::Good);
    };
    // The map is out; there is nobody to tell if this fails.
    let _ = writeln!(io::stderr(), "contextfit: it doesn't fit: {problem}");
    Ok(Ending::Refused)
}

fn fitter(args: &InspectArgs) -> Result<Fitter, ConfigError> {
    let fitter = args.setup.fitter();
    match args.setup.summarizer.summarizer() {
        Some(summarizer) => fitter.summarizer(summarizer).build(),
        None => fitter.build(),
    }
}

fn draw(map: &Map<'_>, args: &InspectArgs) -> io::Result<()> {
    if let Some(path) = &args.html {
        let page = html::page(map, args.all)?;
        write_to(path, &page)
    } else if args.json {
        let mut out = BufWriter::new(io::stdout().lock());
        json::write(&mut out, map)?;
        out.flush()
    } else {
        terminal::print(map, args.all)
    }
}

/// Writes a text to a file, or to standard output for `-`.
fn write_to(path: &Path, text: &str) -> io::Result<()> {
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        return out.flush();
    }
    File::create(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
