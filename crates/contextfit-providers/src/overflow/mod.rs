//! Errors that say that a request is too long, recognised by their text, with their numbers.
//!
//! Providers have no common code for it, and what sits between hides the codes there are. So the
//! text decides, whatever it came wrapped in: JSON, JSON in JSON, what Python prints, HTML. In this
//! order:
//!
//! 1. An error of a type that you know is what you say it is: [`TextOverflow::verdict`].
//! 2. A code that was made for it says so, wherever in the text it is: `context_length_exceeded`.
//!    So do the words of a provider with the numbers that prove them: "9000 tokens > 8192 maximum".
//! 3. Exclusions: a text that is about a rate limit, a quota, bytes, a number of things or the
//!    output alone is no overflow ("too many tokens, please wait"). One that mentions a header or a
//!    setting of such a name isn't about it.
//! 4. Words of a provider without numbers, and what says the same in any words. The latter don't
//!    count with a status that is about who asks (401, 402, 404, 409), or how often (429).
//! 5. Broad words, which say it only together with status 400 or 413.
//!
//! All else is [`Class::Other`]. A status decides nothing by itself: overflows were seen with 200,
//! 400, 403, 413, 422, 500 and 503, and a gateway may pass one on with any.
//!
//! Of a text of more than 128 KiB, 64 KiB are read at either end.
//!
//! [`TextOverflow`] is the classifier for the layers, [`OverflowTemplates`] what it compares texts
//! with, to be extended with [`OverflowTemplates::builder`]; [`is_overflow_text`] asks of a single
//! text.

mod as_error;
mod builder;
mod class;
mod classified;
mod compiled;
mod excerpt;
mod known;
mod number;
mod plain;
mod required;
mod template;
mod templates;
mod text_overflow;
mod verdict;

pub use self::as_error::{AsError, Boxed, Typed};
pub use self::builder::{OverflowTemplatesBuilder, TemplateError};
pub use self::class::Class;
pub use self::classified::Classified;
pub use self::template::Template;
pub use self::templates::{OverflowTemplates, is_overflow_text};
pub use self::text_overflow::TextOverflow;
pub use self::verdict::Verdict;
