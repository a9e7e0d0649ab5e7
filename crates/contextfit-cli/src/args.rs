//! What can be said on the command line.

use std::fmt;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Keeps every LLM request inside the model's context window.
#[derive(Debug, Parser)]
#[command(name = "contextfit", version, about)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Replay(ReplayArgs),
}

/// The exit codes, for the help.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  every request was fitted and answered
  1  the output couldn't be written
  2  the input or the command line is wrong
  3  a request could not be fitted: it was refused, or is too long for the provider
     whatever is cut; the numbers are on standard error
  4  every request was fitted, but the provider found one malformed: calls without
     results, results without calls, or no message of the user";

const COUNTED: &str = "\
What is counted:
  requests            one for each message of the assistant
  without the layers  requests whose whole history, as it was recorded, is over the window
  whole history       its tokens if it were sent each time, by the provider's count
  tokens asked        each request as the agent asked it, by the provider's count
  tokens sent         all that the provider received, answered or not, by its own count; a
                      request that is resent after an overflow counts twice
  compactions         fits that changed a request; up to two for one that overflows
  overflows           how often the provider found a request too long
  recoveries          requests that overflowed and were answered in the end
  summarizer calls    and tokens, which are an exact count of what it read and wrote
  refusals            requests that ended in an error because they could not be fitted
  structure errors    requests that the provider found malformed; they are not refusals

  The whole history and what is over the window without the layers are not in the JSON.
  After a request that failed, the agent goes on with the history as it was.";

/// Replays a recorded conversation through the layers against a simulated provider.
///
/// It plays the conversation as an agent would: one request for each message of the
/// assistant, with the history up to it. Messages of the assistant before the first one of
/// the user, such as a greeting, were not asked for: they are history. What follows the last
/// message of the assistant was never sent, and isn't played.
///
/// The provider runs in this process. It counts with a real tokenizer, refuses what is over
/// its window or malformed, and answers everything else; the conversation goes on as it was
/// recorded.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES, after_long_help = format!("{COUNTED}\n\n{EXIT_CODES}"))]
pub(crate) struct ReplayArgs {
    /// An OpenAI chat request ({"model", "messages", "tools"?}) or JSONL of messages; - for
    /// standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Tokens of the model's window, input and output together
    #[arg(long, value_name = "N", default_value_t = 128_000,
        value_parser = window, allow_negative_numbers = true)]
    pub(crate) window: u64,

    /// Tokens kept free for the reply [default: min(16384, window/4)]
    #[arg(long, value_name = "N", value_parser = tokens, allow_negative_numbers = true)]
    pub(crate) reserve: Option<u64>,

    /// How to compact
    #[arg(long, value_enum, default_value_t)]
    pub(crate) preset: Preset,

    /// Who writes the summaries
    #[arg(long, value_enum, default_value_t)]
    pub(crate) summarizer: SummarizerName,

    /// Let the provider count K times what the client estimates, instead of exactly; K is
    /// between 0.001 and 1000
    #[arg(long, value_name = "K", value_parser = factor, allow_negative_numbers = true)]
    pub(crate) count_factor: Option<f64>,

    /// The agent keeps the fitted history and goes on from it [default]
    #[arg(long, conflicts_with = "stateless")]
    stateful: bool,

    /// The agent sends the full original history every time
    #[arg(long)]
    stateless: bool,

    /// Print JSON: an object for each request, then {"total": {…}}
    #[arg(long)]
    pub(crate) json: bool,
}

impl ReplayArgs {
    /// What the agent remembers.
    pub(crate) const fn memory(&self) -> Memory {
        if self.stateless {
            Memory::Stateless
        } else {
            Memory::Stateful
        }
    }
}

/// How to compact: a policy, and the settings that go with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// The task and what fits of the newest messages into half of the limit
    #[default]
    TopicAndHalf,
    /// A budget of recent messages, and nothing pinned
    RecentBudget,
}

/// Who writes the summaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SummarizerName {
    /// The beginning of what is cut, without any model
    #[default]
    Head,
    /// Nobody: a notice says how many messages are missing
    None,
}

/// What an agent remembers from one request to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// The history as it was fitted, as the provider last received it.
    Stateful,
    /// The original history, which is fitted anew every time.
    Stateless,
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stateful => "stateful",
            Self::Stateless => "stateless",
        })
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TopicAndHalf => "topic-and-half",
            Self::RecentBudget => "recent-budget",
        })
    }
}

impl fmt::Display for SummarizerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Head => "head summarizer",
            Self::None => "no summarizer",
        })
    }
}

/// A number of tokens.
fn tokens(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "must be a whole number of tokens".to_owned())
}

/// A window that something fits.
fn window(text: &str) -> Result<u64, String> {
    match tokens(text)? {
        0 => Err("must be at least 1".to_owned()),
        window => Ok(window),
    }
}

/// A factor that something can be counted with.
fn factor(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|factor| (0.001..=1_000.0).contains(factor))
        .ok_or_else(|| "must be a number between 0.001 and 1000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(args: &[&str]) -> Result<ReplayArgs, clap::Error> {
        let args = ["contextfit", "replay", "a.json"].iter().chain(args);
        Args::try_parse_from(args).map(|args| match args.command {
            Command::Replay(args) => args,
        })
    }

    #[test]
    fn the_command_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_defaults_are_those_of_the_help() {
        let args = parse(&[]).unwrap();
        assert_eq!((args.window, args.reserve), (128_000, None));
        assert_eq!(args.preset, Preset::TopicAndHalf);
        assert_eq!(args.summarizer, SummarizerName::Head);
        assert_eq!(args.memory(), Memory::Stateful);
        assert_eq!(args.count_factor, None);
    }

    #[test]
    fn an_agent_has_one_kind_of_memory() {
        assert_eq!(parse(&["--stateful"]).unwrap().memory(), Memory::Stateful);
        assert_eq!(parse(&["--stateless"]).unwrap().memory(), Memory::Stateless);
        assert!(parse(&["--stateful", "--stateless"]).is_err());
    }

    #[test]
    fn numbers_that_mean_nothing_are_refused() {
        let says = |option: &str, value: &str, part: &str| {
            let error = parse(&[option, value]).unwrap_err().to_string();
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
        assert!(parse(&["--preset", "other"]).is_err());
        for (text, factor) in [("0.001", 0.001), ("1.5", 1.5), ("1000", 1_000.0)] {
            let args = parse(&["--count-factor", text]).unwrap();
            assert_eq!(args.count_factor, Some(factor));
        }
    }
}
