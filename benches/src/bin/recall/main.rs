//! Prints what share of a conversation's facts is left after compactions that no model has a part in.
//!
//! ```text
//! [CONTEXTFIT_TRANSCRIPTS=<folder>] cargo run --release -p contextfit-benches --bin recall
//! ```
//!
//! Measured are the conversation of `examples/data/`, made-up ones, and those of a folder that is
//! named: OpenAI chat requests, `NAME.json`, of at least 22 messages. What a fact is, and when it is
//! left, is said at [`FactKind`](contextfit_benches::recall::FactKind) and
//! [`Fact::is_in`](contextfit_benches::recall::Fact::is_in); how a conversation is compacted, at
//! [`play`]. The best of three is marked.

mod table;

use std::error::Error;
use std::path::PathBuf;

use contextfit_benches::recall::{Way, play, synthetic};
use contextfit_core::chat::{ChatMessage, ChatRequest};
use table::Table;

/// Tokens of a summary.
const BOUNDS: [u64; 2] = [1_024, 4_096];
/// Fewer messages can't be compacted ten times.
const LEAST_MESSAGES: usize = 22;

type Conversation = (String, Vec<ChatMessage>);

fn main() -> Result<(), Box<dyn Error>> {
    let mut conversations = vec![of_the_examples()?];
    let made_up = synthetic().into_iter();
    conversations.extend(made_up.map(|(name, messages)| (name.to_owned(), messages)));
    conversations.extend(of_the_folder()?);
    for bound in BOUNDS {
        let played = conversations
            .iter()
            .map(|(name, messages)| (&**name, Way::ALL.map(|way| play(messages, way, bound))));
        Table::new(bound, played.collect()).print();
    }
    Ok(())
}

fn of_the_examples() -> Result<Conversation, Box<dyn Error>> {
    const FILE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/data/release-agent.jsonl"
    );
    let lines = std::fs::read_to_string(FILE)?;
    let messages: Result<_, _> = lines.lines().map(serde_json::from_str).collect();
    Ok(("release-agent".to_owned(), messages?))
}

/// The transcripts in the folder that is named, none if none is.
fn of_the_folder() -> Result<Vec<Conversation>, Box<dyn Error>> {
    let Some(folder) = std::env::var_os("CONTEXTFIT_TRANSCRIPTS") else {
        return Ok(Vec::new());
    };
    let files = std::fs::read_dir(folder)?.map(|file| Ok(file?.path()));
    let mut files: Vec<PathBuf> = files.collect::<Result<_, std::io::Error>>()?;
    files.sort();
    let mut conversations = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // What the provider reported beside a transcript is none.
        let Some(name) = name
            .strip_suffix(".json")
            .filter(|name| !name.ends_with(".usage"))
        else {
            continue;
        };
        let request: ChatRequest = serde_json::from_slice(&std::fs::read(&file)?)?;
        if request.messages.len() >= LEAST_MESSAGES {
            conversations.push((name.to_owned(), request.messages));
        }
    }
    Ok(conversations)
}
