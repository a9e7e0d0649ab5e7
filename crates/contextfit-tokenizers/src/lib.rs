//! Exact token counts, by the tokenizers themselves.
//!
//! - `TiktokenEstimator`, behind the feature `tiktoken`: OpenAI's `o200k_base`, `o200k_harmony`
//!   and `cl100k_base`. Their vocabularies come with it.
//! - `HuggingFaceEstimator`, behind the feature `huggingface`: any tokenizer that you have as a
//!   `tokenizer.json`.
//!
//! An exact count costs hundreds of times what an estimate does. Put a `Memo` of
//! `contextfit-tower` around one, so that each message of a conversation is counted once.
//!
//! # Any text
//!
//! What is counted was written by users, models and tools, so nothing in it may stop the count.
//! A text is counted in chunks of at most 16 KiB: tokenizers panic on a megabyte of blanks, and
//! on long runs without a border they take ten times as long as for other text.
//! Chunks end where the tokenizer splits the text anyway, so that their counts add up to the
//! count of the whole. In a run without such a place (one letter, over and over; Chinese without
//! punctuation) a cut costs or saves a token, rarely two, of the thousands in a chunk.
//!
//! The names of special tokens in a text, `<|endoftext|>` say, are text. Text that is escaped is
//! decoded chunk by chunk.
//!
//! # Why these two
//!
//! Faster tokenizers for OpenAI's models were measured against `tiktoken-rs`, on usual text and on
//! hostile text. `toktok-rs` 0.3 is ten times as fast, and is a young port from C++ with unsafe
//! code wherever it reads text. `bpe-openai` 0.3 is twice as fast, and brings 35 MB of vocabularies
//! of which most users need a third. `tiktoken` 4 needs two seconds for a megabyte of random
//! characters. With a memo most of the text of a conversation is counted once, and what is left
//! is milliseconds of a call that takes seconds: not worth a second backend. Whoever sees that
//! differently implements `Estimator` in ten lines.

#[cfg(any(feature = "tiktoken", feature = "huggingface"))]
mod chunks;
#[cfg(any(feature = "tiktoken", feature = "huggingface"))]
mod counting;
#[cfg(feature = "huggingface")]
mod huggingface;
#[cfg(feature = "tiktoken")]
mod tiktoken;

#[cfg(feature = "huggingface")]
pub use self::huggingface::{HuggingFaceEstimator, LoadTokenizerError};
#[cfg(feature = "tiktoken")]
pub use self::tiktoken::{Encoding, TiktokenEstimator};
