use std::io;
use std::path::PathBuf;

/// Why a `tokenizer.json` wasn't loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadTokenizerError {
    /// The file can't be read.
    #[error("can't read the tokenizer {}: give the path of a `tokenizer.json`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It isn't a tokenizer, or one of a kind that isn't known.
    #[error(
        "{bytes} bytes aren't a tokenizer: take the `tokenizer.json` of the model's repository, in \
         format 1.0 (`tokenizer_config.json`, `vocab.json` and `tokenizer.model` are other files)"
    )]
    Parse {
        /// Length of what was given, in bytes.
        bytes: usize,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
