//! Tokenizers that come as a `tokenizer.json`.

mod error;
mod estimator;

pub use self::error::LoadTokenizerError;
pub use self::estimator::HuggingFaceEstimator;
