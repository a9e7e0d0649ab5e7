//! How many tokens something costs, by an estimate.

mod character;
mod clippable;
mod estimator;
mod family;
mod format;
mod measure;
mod message;
mod reported;
mod tokens;
mod weighted;

pub use self::character::CharEstimator;
pub use self::clippable::LEAST_CLIP;
pub(crate) use self::clippable::is_clippable;
pub use self::estimator::{Estimator, EstimatorFn, estimator_fn};
pub use self::family::Family;
pub use self::format::{
    AudioTokens, Bounds, Crops, FileTokens, ImageTokens, Patches, PromptFormat, Shrink, Tiles,
};
pub use self::measure::{Measured, measure};
pub use self::message::{MessageTokens, message_tokens};
pub use self::tokens::TokenCount;
pub use self::weighted::{Visits, WeightedEstimator};
