//! Errors that say that a request is too long, recognised by their text.
//!
//! Providers have no common code for it, and what sits between hides the codes there are. So the
//! text decides, in this order:
//!
//! 1. An error of a type that you know is what you say it is: [`TextOverflow::verdict`].
//! 2. Exclusions: a text that speaks of a rate limit, of throttling or of bytes is no overflow,
//!    whatever else it says ("too many tokens, please wait"). Status 429 excludes too.
//! 3. Phrases that only an overflow has, whatever the HTTP status.
//! 4. Broad phrases, which say it only together with status 400 or 413.
//!
//! All else is no overflow. Of a text of more than 128 KiB, 64 KiB are read at either end.
//!
//! [`TextOverflow`] is the classifier for the layers, [`OverflowPhrases`]
//! what it looks for, to be extended with [`OverflowPhrases::builder`]; [`is_overflow_text`] asks
//! of a single text.

mod as_error;
mod builder;
mod excerpt;
mod known;
mod pattern;
mod phrases;
mod text_overflow;
mod verdict;

pub use self::as_error::{AsError, Boxed, Typed};
pub use self::builder::{OverflowPhrasesBuilder, PhraseError};
pub use self::phrases::{OverflowPhrases, is_overflow_text};
pub use self::text_overflow::TextOverflow;
pub use self::verdict::Verdict;
