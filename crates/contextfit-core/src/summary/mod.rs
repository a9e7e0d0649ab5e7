//! What stands for messages that were cut, and what a summarizer gets to read.

mod archive;
mod envelope;
mod excerpt;
mod input_budget;
mod largest;
mod ledger;
mod one_line;
mod quote;
mod said;
mod shortened_middle;
mod transcript;
mod turn_start;

pub use self::archive::archive;
pub use self::envelope::Envelope;
pub use self::excerpt::Excerpt;
pub use self::input_budget::input_budget;
pub use self::ledger::{Ledger, LedgerRules};
pub use self::quote::quote_inside;
pub use self::transcript::{transcript, transcript_within};
pub use self::turn_start::with_turn_start;

use self::largest::largest;
use self::one_line::one_line;
use self::said::{Kind, for_each_said};
use self::shortened_middle::shortened_middle;
