//! What stands for messages that were cut, and what a summarizer gets to read.

mod archive;
mod envelope;
mod excerpt;
mod extract;
mod input_budget;
mod largest;
mod ledger;
mod one_line;
mod quote;
mod shortened_middle;
mod transcript;
mod turn_start;

pub use self::archive::archive;
pub use self::envelope::{
    Coverage, Envelope, EnvelopeKey, EnvelopeKeys, Found, NotOurs, Place, ShortSecret,
};
pub use self::excerpt::Excerpt;
pub use self::extract::extract;
pub use self::input_budget::input_budget;
pub use self::ledger::{Ledger, LedgerRules};
pub use self::quote::quote_inside;
pub use self::transcript::{Chunk, ItemCaps, PartKind, Transcript, TranscriptPart};
pub use self::turn_start::with_turn_start;

use self::largest::largest;
use self::one_line::one_line;
use self::shortened_middle::shortened_middle;
