//! OpenAI's tokenizers.

mod encoding;
mod estimator;

pub use self::encoding::Encoding;
pub use self::estimator::TiktokenEstimator;
