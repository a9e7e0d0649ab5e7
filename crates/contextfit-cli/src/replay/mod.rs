//! `contextfit replay`: plays a recorded conversation and reports what the layers did.

mod agent;
mod fault;
mod faults;
mod input;
mod json;
mod progress;
mod sparkline;
mod stack;
mod step;
mod summarizer;
mod table;
mod tally;

use std::io::{self, Write};
use std::process::ExitCode;

use contextfit::ConfigError;

use self::input::{InputError, Transcript};
use self::stack::Stack;
use self::step::{Step, Totals};
use crate::args::ReplayArgs;

/// How a replay ended that could be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every request was fitted and answered.
    Good,
    /// A request could not be fitted.
    Refused,
    /// Every request was fitted, but one was malformed.
    Malformed,
}

/// Why there was no replay.
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

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(match ending {
            Ending::Good => 0,
            Ending::Refused => 3,
            Ending::Malformed => 4,
        })
    }
}

impl From<Failure> for ExitCode {
    fn from(failure: Failure) -> Self {
        Self::from(match failure {
            Failure::Output(_) => 1,
            Failure::Input(_) | Failure::Options(_) => 2,
        })
    }
}

/// Reads, plays, and reports.
pub(crate) fn run(args: &ReplayArgs) -> Result<Ending, Failure> {
    let mut stack = Stack::new(args)?;
    let transcript = input::read(&args.file)?;
    let steps = if args.json {
        play_as_json(&transcript, args, &mut stack)
    } else {
        play_as_table(&transcript, args, &mut stack)
    };
    let steps = match steps {
        // Who listened has heard enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Ending::Good),
        steps => steps?,
    };
    // The report is out; there is nobody to tell if this fails.
    let _ = faults::write(&mut io::stderr().lock(), &steps);
    let totals = Totals::of(&steps);
    Ok(if totals.refusals > 0 {
        Ending::Refused
    } else if totals.structure_errors > 0 {
        Ending::Malformed
    } else {
        Ending::Good
    })
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
