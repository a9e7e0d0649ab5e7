//! Learns from what providers count.

mod calibrator;
mod fingerprint;
mod scaled;
mod slope;

pub use self::calibrator::Calibrator;
pub(crate) use self::calibrator::{Calibration, Other, Receipt};
pub(crate) use self::fingerprint::Fingerprints;
pub(crate) use self::scaled::Scaled;
pub(crate) use self::slope::Slope;
