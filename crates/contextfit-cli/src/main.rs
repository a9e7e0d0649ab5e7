//! The command `contextfit`: shows on a recorded conversation what the layers do to it.

mod args;
mod exit;
mod failure;
mod fitting;
mod input;
mod number;
mod replay;
mod sparkline;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use self::args::{Args, Command};
use self::exit::Ending;

fn main() -> ExitCode {
    let Command::Replay(args) = Args::parse().command;
    match replay::run(&args) {
        Ok(totals) => ExitCode::from(Ending::of(&totals)),
        Err(failure) => {
            // Nobody is left to tell if this fails.
            let _ = writeln!(std::io::stderr(), "contextfit: {failure}");
            ExitCode::from(failure)
        }
    }
}
