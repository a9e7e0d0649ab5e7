//! What a command reads: a conversation, as a chat request or JSONL of messages; any text; or
//! lines.

mod any;
mod error;
mod lines;
mod parse;

pub(crate) use self::any::{Content, Document};
pub(crate) use self::error::InputError;
pub(crate) use self::lines::Lines;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use contextfit::chat::ChatRequest;

use self::error::{Place, Problem};

/// A conversation as it was recorded.
#[derive(Debug)]
pub(crate) struct Recording {
    /// The file it was read from.
    pub(crate) name: String,
    /// All of it, as one request. It has messages.
    pub(crate) request: ChatRequest,
    /// The last line of the file that says anything, from 1.
    last_line: usize,
}

impl Recording {
    /// Reads a file, or standard input for `-`.
    pub(crate) fn read(path: &Path) -> Result<Self, InputError> {
        let (name, bytes) = read(path);
        let parsed = bytes.and_then(|bytes| parse::parse(&bytes, is_jsonl(path)));
        let (request, last_line) = match parsed {
            Ok(parsed) => parsed,
            Err(problem) => return Err(problem.in_file(name)),
        };
        let recording = Self {
            name,
            request,
            last_line,
        };
        if recording.request.messages.is_empty() {
            return Err(recording.lacks("the conversation has no messages"));
        }
        Ok(recording)
    }

    /// Something that should be in it and isn't, which shows at its end.
    pub(crate) fn lacks(&self, problem: &str) -> InputError {
        let place = Place::line(self.last_line);
        Problem::at(place, problem).in_file(self.name.clone())
    }

    /// A conversation without a file.
    #[cfg(test)]
    pub(crate) fn of(messages: Vec<contextfit::chat::ChatMessage>) -> Self {
        Self {
            name: "a.json".to_owned(),
            request: ChatRequest::new("", messages),
            last_line: 1,
        }
    }
}

/// The name of a file, and what is in it; of standard input for `-`.
fn read(path: &Path) -> (String, Result<Vec<u8>, Problem>) {
    let unreadable = |error| Problem::somewhere(format!("can't be read: {error}"));
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let read = io::stdin().read_to_end(&mut bytes);
        let bytes = read.map(|_| bytes).map_err(unreadable);
        return ("standard input".to_owned(), bytes);
    }
    (
        path.display().to_string(),
        fs::read(path).map_err(unreadable),
    )
}

/// Whether a file says by its name that it is JSONL.
fn is_jsonl(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "jsonl" || extension == "ndjson")
}
