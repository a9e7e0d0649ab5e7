//! `contextfit replay`: plays a recorded conversation and reports what the layers did.

mod agent;
mod fault;
mod fault_report;
mod input;
mod json;
mod number;
mod progress;
mod sparkline;
mod stack;
mod step;
mod summarizer;
mod table;
mod tally;

use std::io::{self, Write};

use contextfit::ConfigError;

use self::input::{InputError, Transcript};
use self::stack::Stack;
use self::step::Step;
pub(crate) use self::step::Totals;
use crate::args::ReplayArgs;

/// Why there was no replay.
///
/// A command line that can't be parsed never comes this far: clap ends it with 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The input can't be played.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The options don't work together.
    #[error(transparent)]
    Options(#[from] ConfigError),
    /// The report can't be written.
    #[error("the output can't be written: {0}")]
    Output(#[from] io::Error),
}

/// Reads, plays, and reports.
pub(crate) fn run(args: &ReplayArgs) -> Result<Totals, Failure> {
    let mut stack = Stack::new(args)?;
    let transcript = input::read(&args.file)?;
    let steps = if args.json {
        play_as_json(&transcript, args, &mut stack)
    } else {
        play_as_table(&transcript, args, &mut stack)
    };
    let steps = match steps {
        // Who listened has heard enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Totals::default()),
        steps => steps?,
    };
    // The report is out; there is nobody to tell if this fails.
    let _ = fault_report::write(&mut io::stderr().lock(), &steps);
    Ok(Totals::of(&steps))
}

fn play_as_json(
    transcript: &Transcript,
    args: &ReplayArgs,
    stack: &mut Stack,
) -> io::Result<Vec<Step>> {
    let mut out = io::stdout().lock();
    let steps = play(transcript, args, stack, |step| json::step(&mut out, step))?;
    json::totals(&mut out, &Totals::of(&steps))?;
    Ok(steps)
}

fn play_as_table(
    transcript: &Transcript,
    args: &ReplayArgs,
    stack: &mut Stack,
) -> io::Result<Vec<Step>> {
    let bar = progress::bar(transcript.replies.len());
    let steps = play(transcript, args, stack, |_| {
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let mut out = io::stdout().lock();
    out.write_all(table::report(transcript, args, &steps).as_bytes())?;
    out.flush()?;
    Ok(steps)
}

fn play(
    transcript: &Transcript,
    args: &ReplayArgs,
    stack: &mut Stack,
    on_step: impl FnMut(&Step) -> io::Result<()>,
) -> io::Result<Vec<Step>> {
    tokio::runtime::Builder::new_current_thread()
        .build()?
        .block_on(agent::play(transcript, args.memory(), stack, on_step))
}
