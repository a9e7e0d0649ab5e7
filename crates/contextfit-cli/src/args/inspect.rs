use std::path::PathBuf;

use super::SetupArgs;

/// The exit codes, for the help.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  the conversation fits, or a fit would bring it under its limit
  1  the output couldn't be written
  2  the input or the command line is wrong
  3  whatever is cut, it doesn't fit: it would be refused, or sent over its limit; the
     numbers are on standard error";

const SHOWN: &str = "\
What is shown:
  All numbers are the client's estimate, in tokens. Messages are numbered from 0, as in
  the request's `messages`.

  turn     a message of the user with everything up to the next one
  group    messages that stay or go together: calls and their results
  fate     kept, clipped to so many tokens, summarized, or dropped without a summary
  now      the tokens of the whole prompt as it is
  after    the most tokens of it as it would be sent
  cut      the line behind the newest message that would be cut

  On a terminal and on the page, a long run of messages with one fate is folded: it shows
  its ends and its largest messages. --all shows every one.

  Every output has the beginning of each message, at most 80 characters, so that one can
  tell which it is; --no-text leaves that out of all of them, so that nothing of what was
  said is passed on with the picture. The names of the file and of the model stay.

  On a terminal, NO_COLOR=1 turns colours off, and CLICOLOR_FORCE=1 keeps them in a pipe.

The JSON:
  file, model, preset, window
  budget          reserve, fixed, limit, target; null if nothing is left for the messages
  outcome         left_alone, fits, changed, stuck or refused
  reason          why it is changed: over_limit or trigger
  problem         why it doesn't fit, whatever is cut
  tokens_before, tokens_after; tokens_beside, those of schemas beside the messages
  kinds, kinds_after
                  tokens by kind: text, tool_call, tool_result, overhead, summary, …
  cut             before, the first message behind the cut; messages and tokens that go
  summary         messages, calls, max_tokens
  groups, turns   number, first and last message, tokens
  messages        index, role, tokens, tokens_after, kinds, group, turn, fate, clipped_to,
                  why, excerpt";

/// Shows what fills the context, and what a fit would do to it.
///
/// The whole conversation is taken as one request, as if it were to be sent next. No summary
/// is asked for and nothing is sent: it is a dry run.
///
/// It draws a map of the context: each message a block, as wide as its tokens, with its turn
/// and its group, what would become of it, why, and where the cut would fall.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES, after_long_help = format!("{SHOWN}\n\n{EXIT_CODES}"))]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) setup: SetupArgs,

    /// Show every message, however many there are
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,

    /// Leave out the beginnings of the messages
    #[arg(long)]
    pub(crate) no_text: bool,

    /// Print JSON: one object
    #[arg(long, conflicts_with = "html")]
    pub(crate) json: bool,

    /// Write a page for a browser, complete in itself, to PATH or to standard output
    #[arg(
        long,
        value_name = "PATH",
        num_args = 0..=1,
        // `inspect --html a.json b.json` must not write over a.json.
        require_equals = true,
        default_missing_value = "-"
    )]
    pub(crate) html: Option<PathBuf>,
}
