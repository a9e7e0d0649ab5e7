//! `contextfit replay`: plays a recorded conversation and reports what the layers did.

mod agent;
mod fault;
mod fault_report;
mod json;
mod progress;
mod stack;
mod step;
mod summarizer;
mod table;
mod tally;
mod transcript;

use std::io::{self, Write};

use self::stack::Stack;
use self::step::Step;
pub(crate) use self::step::Totals;
use self::transcript::Transcript;
use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::input::Recording;

/// Reads, plays, and reports.
pub(crate) fn run(args: &ReplayArgs) -> Result<Totals, Failure> {
    let mut stack = Stack::new(args)?;
    let transcript = Transcript::try_from(Recording::read(&args.setup.file)?)?;
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
