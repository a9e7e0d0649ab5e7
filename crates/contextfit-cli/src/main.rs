//! The command `contextfit`: shows on a recorded conversation what fills the context, and what
//! the layers do to it; and what the errors of providers say.

mod args;
mod classify;
mod count;
mod counter;
mod exit;
mod failure;
mod fitting;
mod input;
mod inspect;
mod number;
mod one_line;
mod replay;
mod role;
mod sparkline;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use self::args::{Args, Command};
use self::exit::Ending;

fn main() -> ExitCode {
    let ending = match Args::parse().command {
        Command::Classify(args) => classify::run(&args),
        Command::Count(args) => count::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Replay(args) => replay::run(&args).map(|totals| Ending::of(&totals)),
    };
    match ending {
        Ok(ending) => ExitCode::from(ending),
        Err(failure) => {
            // Nobody is left to tell if this fails.
            let _ = writeln!(std::io::stderr(), "contextfit: {failure}");
            ExitCode::from(failure)
        }
    }
}
