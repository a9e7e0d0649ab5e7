//! What can be said on the command line.

pub(crate) mod classify;
pub(crate) mod count;
pub(crate) mod inspect;
mod numbers;
pub(crate) mod replay;
mod setup;

pub(crate) use self::classify::ClassifyArgs;
pub(crate) use self::count::CountArgs;
pub(crate) use self::inspect::InspectArgs;
pub(crate) use self::replay::{Memory, ReplayArgs};
pub(crate) use self::setup::{Preset, SetupArgs};

use clap::{Parser, Subcommand};

/// Keeps every LLM request inside the model's context window.
#[derive(Debug, Parser)]
#[command(name = "contextfit", version, about)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Classify(ClassifyArgs),
    Count(CountArgs),
    Inspect(InspectArgs),
    Replay(ReplayArgs),
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::setup::SummarizerName;
    use super::*;
    use clap::CommandFactory;

    fn parse(command: &str, args: &[&str]) -> Result<Command, clap::Error> {
        let start = ["contextfit", command, "a.json"];
        Args::try_parse_from(start.iter().chain(args)).map(|args| args.command)
    }

    fn replay(args: &[&str]) -> Result<ReplayArgs, clap::Error> {
        parse("replay", args).map(|command| match command {
            Command::Replay(args) => args,
            _ => unreachable!("another command was named"),
        })
    }

    fn inspect(args: &[&str]) -> Result<InspectArgs, clap::Error> {
        parse("inspect", args).map(|command| match command {
            Command::Inspect(args) => args,
            _ => unreachable!("another command was named"),
        })
    }

    #[test]
    fn the_command_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_defaults_are_those_of_the_help() {
        for setup in [replay(&[]).unwrap().setup, inspect(&[]).unwrap().setup] {
            assert_eq!((setup.window, setup.reserve), (128_000, None));
            assert_eq!(setup.preset, Preset::TopicAndHalf);
            assert_eq!(setup.summarizer, SummarizerName::Extractive);
        }
        let args = replay(&[]).unwrap();
        assert_eq!(args.memory(), Memory::Stateful);
        assert_eq!(args.count_factor, None);
    }

    #[test]
    fn an_agent_has_one_kind_of_memory() {
        assert_eq!(replay(&["--stateful"]).unwrap().memory(), Memory::Stateful);
        assert_eq!(
            replay(&["--stateless"]).unwrap().memory(),
            Memory::Stateless
        );
        assert!(replay(&["--stateful", "--stateless"]).is_err());
    }

    #[test]
    fn a_page_goes_to_standard_output_or_to_a_path_that_is_no_input() {
        let html = |args: &[&str]| inspect(args).unwrap().html;
        assert_eq!(html(&[]), None);
        assert_eq!(html(&["--html"]).as_deref(), Some(Path::new("-")));
        assert_eq!(
            html(&["--html=b.html"]).as_deref(),
            Some(Path::new("b.html"))
        );
        // The file is `a.json`: what follows the option is one file too many.
        assert!(inspect(&["--html", "b.json"]).is_err());
        assert!(inspect(&["--html", "--json"]).is_err());
    }

    #[test]
    fn numbers_that_mean_nothing_are_refused() {
        let says = |option: &str, value: &str, part: &str| {
            let error = replay(&[option, value]).unwrap_err().to_string();
            assert!(error.contains(part), "{option} {value}: {error}");
        };
        for factor in ["0", "-1", "-1e3", "1e-9", "1000.1", "nan", "inf", "two", ""] {
            says("--count-factor", factor, "between 0.001 and 1000");
        }
        for option in ["--window", "--reserve"] {
            for number in ["-5", "1.5", "many", "18446744073709551616"] {
                says(option, number, "must be a whole number of tokens");
            }
        }
        says("--window", "0", "must be at least 1");
        assert!(replay(&["--preset", "other"]).is_err());
        for (text, factor) in [("0.001", 0.001), ("1.5", 1.5), ("1000", 1_000.0)] {
            let args = replay(&["--count-factor", text]).unwrap();
            assert_eq!(args.count_factor, Some(factor));
        }
    }
}
