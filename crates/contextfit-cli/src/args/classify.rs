use std::path::PathBuf;

/// The exit codes, for the help.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  every line was classified, whatever it is
  1  the output couldn't be written
  2  the input or the command line is wrong";

const SHOWN: &str = "\
What is read:
  One error a line: its text as it is, or a JSON object with that text as `body`, and with
  `http_status` where it is known. A JSON object without a `body` is a text itself. Of a
  text of more than 128 KiB, 64 KiB are read at either end. What is odd about a line is said
  on standard error, and it is classified all the same: empty, a `body` that is no text, a
  status that is none, bytes that aren't UTF-8.

What is shown:
  One line for each line: what kind it is, its class, the tokens that it says were requested,
  the limit that it tells, the template that knew it, and how the text begins.

The JSON, one object for each line:
  kind                overflow, output_limit or not_overflow
  class               input_too_long, input_and_output_too_long, output_cap, rate_or_quota,
                      byte_size, count_limit or other
  requested_tokens    of prompt and output where both are told, else of the prompt; or null
  limit_tokens        or null
  template            the name of what knew it, or null";

/// Says of the errors of providers whether a request was too long, and by how much.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES, after_long_help = format!("{SHOWN}\n\n{EXIT_CODES}"))]
pub(crate) struct ClassifyArgs {
    /// Errors, one a line; - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
