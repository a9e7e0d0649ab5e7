//! A provider in this process that counts, checks and refuses as a real one does.

mod classifier;
mod counter;
mod error;
mod record;
mod settings;
mod simulated;
mod structure;
#[cfg(test)]
mod tests;

pub use self::classifier::SimulatedOverflow;
pub use self::counter::ExactCounter;
pub use self::error::{ProviderError, ProviderErrorKind};
pub use self::record::{Outcome, ReceivedCall, Totals};
pub use self::settings::{Counting, Overflowing};
pub use self::simulated::SimulatedProvider;
pub use self::structure::{StructureError, check_structure};
