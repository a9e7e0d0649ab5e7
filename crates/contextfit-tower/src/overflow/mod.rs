//! A provider says "too long": who recognises it, and what its numbers are good for.

mod classifier;
mod late_report;
mod learned;
mod second_attempt;
mod sent;
mod usage;

pub use self::classifier::{
    ClassifierFn, Either, NoRetry, OverflowClassifier, WithUsage, classifier_fn,
};
pub use self::late_report::LateReport;
pub(crate) use self::learned::Learned;
pub(crate) use self::second_attempt::{PromptLimits, lowered_output, prompt_limits};
pub(crate) use self::sent::Size;
pub use self::sent::{Overflow, Scope, Sent};
pub use self::usage::UsageOverflow;
