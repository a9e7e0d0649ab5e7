//! How many tokens something costs, by an estimate.

mod character;
mod estimator;
mod measure;
mod tokens;

pub use self::character::CharEstimator;
pub use self::estimator::{Estimator, EstimatorFn, estimator_fn};
pub use self::measure::{Measured, measure, message_tokens};
pub use self::tokens::TokenCount;
