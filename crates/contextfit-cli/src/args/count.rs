use std::path::PathBuf;

/// The exit codes, for the help.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  everything was counted
  1  the output couldn't be written
  2  the input or the command line is wrong";

const SHOWN: &str = "\
What is counted:
  A file that is a chat request or JSONL of messages is counted as a prompt: its messages
  with their framing, its tool schemas and the schema of its response. Any other text is
  counted as it is.

  char                characters / 4
  weighted-FAMILY     an automaton with weights fitted to a tokenizer: o200k, cl100k,
                      llama3, qwen, gemma, deepseek, mistral, claude; and widest, for
                      tokenizers that nobody knows: about as much as the most of them
  tiktoken-ENCODING   OpenAI's tokenizer, exactly: o200k, cl100k

  Without --model and --estimator all of them are shown side by side, each with a framing of
  4 tokens a message. --model takes the one that the catalogue of models names, with the
  framing of its provider, so that it counts more or less of a conversation. The model that a
  request names itself isn't looked at.

What is shown:
  Where there is an exact count of the same vocabulary, each estimate has beside it how far
  it is off, in percent of that (char by o200k). Then each message with its tokens, and a bar
  by what the head of its column says. `beside` is what stands beside the messages: tool
  schemas, the schema of the response, what a request costs once.

The JSON, one object a line for each file:
  file
  totals              tokens by estimator
  beside              what of them is beside the messages
  messages            index, role, tokens by estimator; empty for a plain text";

/// Counts tokens, per message and in total, by one estimator or all side by side.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES, after_long_help = format!("{SHOWN}\n\n{EXIT_CODES}"))]
pub(crate) struct CountArgs {
    /// Chat requests, JSONL of messages, or plain texts; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Count as for this model, such as gpt-4o or claude-sonnet-4-5
    #[arg(long, value_name = "M", conflicts_with = "estimator")]
    pub(crate) model: Option<String>,

    /// Count by this estimator alone
    #[arg(long, value_name = "E")]
    pub(crate) estimator: Option<String>,

    /// With --model or --estimator: count exactly too, by the tokenizer of the same vocabulary
    #[arg(long)]
    pub(crate) exact: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
