//! How a summarizer is asked: in chunks that it can read, as often as need be, and what of its
//! answers is accepted.

mod accept;
mod log;
mod reading;
mod run;

pub(super) use self::accept::check_whole;
pub(crate) use self::log::{CallLog, Calls};
pub(crate) use self::reading::Reading;
pub(crate) use self::run::run;
