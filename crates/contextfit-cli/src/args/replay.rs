use std::fmt;

use super::{SetupArgs, numbers};

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
    #[command(flatten)]
    pub(crate) setup: SetupArgs,

    /// Let the provider count K times what the client estimates, instead of exactly; K is
    /// between 0.001 and 1000
    #[arg(long, value_name = "K", value_parser = numbers::factor, allow_negative_numbers = true)]
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
