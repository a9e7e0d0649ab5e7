use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use contextfit_core::estimate::{Estimator, PromptFormat, TokenCount};
use contextfit_core::request::{Piece, Role, Str};
use tokenizers::Tokenizer;

use super::LoadTokenizerError;
use crate::counting;

/// Counts text with a tokenizer that you bring, in the form of a `tokenizer.json`.
///
/// Models that anybody can download have one beside their weights. It is read as it counts text:
/// nothing is truncated or padded, whatever the file says of that, no tokens are put at the
/// beginning or the end, and the names of special tokens in a text are text. What stands beside
/// text is as its [`PromptFormat`] says.
///
/// The text is exact but for cuts (see the [crate](crate#any-text)): a tokenizer that puts a blank
/// before each text, or that doesn't split at blanks, may be off by a token for every 16 KiB. A
/// text that it refuses, because it has no token for the unknown, costs a token for each byte.
///
/// A megabyte takes about a second in a release build: put a `Memo` around it. Loading takes some
/// hundred milliseconds, so do it before requests come in, in an async program with
/// `spawn_blocking`. Clones share what is loaded.
///
/// ```no_run
/// use contextfit_core::estimate::Estimator;
/// use contextfit_core::request::{Piece, Str};
/// use contextfit_tokenizers::HuggingFaceEstimator;
///
/// let estimator = HuggingFaceEstimator::from_file("models/a-model/tokenizer.json")?;
/// let tokens = estimator.count(Piece::Text(Str::plain("Which port does it use?")));
/// # Ok::<(), contextfit_tokenizers::LoadTokenizerError>(())
/// ```
#[derive(Clone)]
pub struct HuggingFaceEstimator {
    tokenizer: Arc<Tokenizer>,
    format: PromptFormat,
}

impl HuggingFaceEstimator {
    /// Loads a tokenizer from a file.
    ///
    /// # Errors
    ///
    /// The file can't be read, or isn't a tokenizer.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, LoadTokenizerError> {
        let path = path.as_ref();
        let json = fs::read(path).map_err(|source| LoadTokenizerError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::from_bytes(&json)
    }

    /// Loads a tokenizer from the content of its file.
    ///
    /// # Errors
    ///
    /// It isn't a tokenizer.
    pub fn from_bytes(json: &[u8]) -> Result<Self, LoadTokenizerError> {
        let refused = |source| LoadTokenizerError::Parse {
            bytes: json.len(),
            source,
        };
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(refused)?;
        tokenizer.with_truncation(None).map_err(refused)?;
        tokenizer.with_padding(None);
        tokenizer.set_encode_special_tokens(true);
        Ok(Self {
            tokenizer: Arc::new(tokenizer),
            format: PromptFormat::PLAIN,
        })
    }

    /// Sets what stands beside text; [`PromptFormat::PLAIN`] unless set.
    #[must_use]
    pub fn with_format(mut self, format: PromptFormat) -> Self {
        self.format = format;
        self
    }

    /// What a text costs.
    #[must_use]
    pub fn count_text(&self, text: Str<'_>) -> TokenCount {
        counting::count(text, |chunk| self.count_chunk(chunk))
    }

    fn count_chunk(&self, chunk: &str) -> usize {
        match self.tokenizer.encode_fast(chunk, false) {
            Ok(encoding) => encoding.len(),
            Err(_) => chunk.len(),
        }
    }
}

impl Estimator for HuggingFaceEstimator {
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        self.format.count(piece, |text| self.count_text(text))
    }

    fn message_overhead(&self, role: Role) -> TokenCount {
        self.format.message(role)
    }

    fn request_overhead(&self, schemas: usize) -> TokenCount {
        self.format.request(schemas)
    }

    fn exceeds(&self, piece: Piece<'_>, limit: TokenCount) -> bool {
        counting::exceeds(&self.format, piece, limit, |chunk| self.count_chunk(chunk))
    }
}

impl fmt::Debug for HuggingFaceEstimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HuggingFaceEstimator")
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunks::LONGEST;
    use serde_json::{Value, json};

    /// Words and what stands between them, a token each; and what a file may say beside.
    fn words(beside: &Value) -> Vec<u8> {
        let mut tokenizer = json!({
            "version": "1.0",
            "added_tokens": [{"id": 1, "content": "<end>", "special": true, "single_word": false,
                "lstrip": false, "rstrip": false, "normalized": false}],
            "pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"\w+|[^\w\s]"},
                "behavior": "Removed", "invert": true},
            "post_processor": {"type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<end>", "type_id": 0}},
                    {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [],
                "special_tokens": {"<end>": {"id": "<end>", "ids": [1], "tokens": ["<end>"]}}},
            "model": {"type": "WordLevel", "vocab": {"?": 0, "<end>": 1}, "unk_token": "?"},
        });
        for (key, value) in beside.as_object().unwrap() {
            tokenizer[key] = value.clone();
        }
        serde_json::to_vec(&tokenizer).unwrap()
    }

    fn count(json: &[u8], text: &str) -> u64 {
        let estimator = HuggingFaceEstimator::from_bytes(json).unwrap();
        estimator.count_text(Str::plain(text)).floor()
    }

    #[test]
    fn text_is_counted_without_tokens_around_it() {
        let json = words(&json!({}));
        assert_eq!(count(&json, ""), 0);
        assert_eq!(count(&json, "one two, three"), 4);
    }

    #[test]
    fn names_of_special_tokens_are_text() {
        assert_eq!(count(&words(&json!({})), "<end>"), 3);
    }

    #[test]
    fn nothing_is_truncated_or_padded() {
        let json = words(&json!({
            "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst",
                "stride": 0},
            "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": null,
                "pad_id": 0, "pad_type_id": 0, "pad_token": "?"},
        }));
        assert_eq!(count(&json, "one two, three"), 4);
    }

    #[test]
    fn a_long_text_is_counted_in_chunks_and_exact() {
        let text = "one two, three ".repeat(LONGEST);
        assert_eq!(count(&words(&json!({})), &text), 4 * LONGEST as u64);
    }

    #[test]
    fn text_without_tokens_for_it_costs_a_token_a_byte() {
        let model = json!({"type": "WordLevel", "vocab": {"one": 0}, "unk_token": "?"});
        let json = words(&json!({"model": model, "added_tokens": [], "post_processor": null}));
        assert_eq!(count(&json, "one"), 1);
        assert_eq!(count(&json, "one two"), 7);
    }

    #[test]
    fn a_file_is_loaded_and_errors_say_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokenizer.json");
        let missing = HuggingFaceEstimator::from_file(&path).unwrap_err();
        assert!(matches!(missing, LoadTokenizerError::Read { .. }));
        assert!(missing.to_string().contains("give the path"), "{missing}");

        std::fs::write(&path, b"{}").unwrap();
        let no_tokenizer = HuggingFaceEstimator::from_file(&path).unwrap_err();
        assert!(
            no_tokenizer
                .to_string()
                .starts_with("2 bytes aren't a tokenizer")
        );

        std::fs::write(&path, words(&json!({}))).unwrap();
        let estimator = HuggingFaceEstimator::from_file(&path).unwrap();
        let piece = Piece::Text(Str::escaped(r"one\ntwo"));
        assert_eq!(estimator.count(piece).floor(), 2);
        assert!(!estimator.exceeds(piece, TokenCount::tokens(2)));
        assert!(estimator.exceeds(piece, TokenCount::tokens(1)));
    }

    #[test]
    fn what_stands_beside_text_is_as_the_format_says() {
        let mut format = PromptFormat::PLAIN;
        (format.message, format.request, format.speaker) = (3, 2, 7);
        let estimator = HuggingFaceEstimator::from_bytes(&words(&json!({})));
        let estimator = estimator.unwrap().with_format(format);
        assert_eq!(estimator.message_overhead(Role::User).floor(), 3);
        assert_eq!(estimator.request_overhead(0).floor(), 2);
        let speaker = Piece::Speaker(Str::plain("Ann"));
        assert_eq!(estimator.count(speaker).floor(), 7 + 1);
    }
}
