//! What stands for messages that were cut, and what a summarizer gets to read.

mod envelope;
mod quote;
mod transcript;

pub use self::envelope::Envelope;
pub use self::quote::quote_inside;
pub use self::transcript::transcript;
