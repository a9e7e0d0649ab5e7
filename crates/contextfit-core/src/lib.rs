//! The pure half of contextfit: how a request is seen, measured and cut.
//!
//! There is no async code here, no I/O, and nothing that owns a request. What decides the fate
//! of a conversation works on numbers, so that all of it can be property-tested:
//!
//! 1. A [`RequestAdapter`](request::RequestAdapter) shows a request of any type as a
//!    [`Conversation`](request::Conversation).
//! 2. An [`Estimator`](estimate::Estimator) measures it. If it fits its
//!    [`Budget`](budget::Budget) and no [`Trigger`](trigger::Trigger) is met, that is all.
//! 3. Otherwise its measure is made into a [`Table`](table::Table) of numbers, a
//!    [`CutPolicy`](cut::CutPolicy) gives each message its [`Fate`](cut::Fate), the structural laws
//!    are [enforced](cut::enforce) on that, and a [`Draft`](plan::draft) makes sure it fits.
//! 4. With a summary in its [`Envelope`](summary::Envelope), the draft becomes a
//!    [`Plan`](plan::Plan), which the adapter applies to the request.
//!
//! The `contextfit-tower` crate runs these steps around a provider service; the `contextfit`
//! crate is what users add.
//!
//! ```
//! use contextfit_core::chat::{ChatMessage, ChatRequest};
//! use contextfit_core::estimate::{CharEstimator, measure};
//!
//! let request = ChatRequest::new("a-model", [ChatMessage::user("Which port does it use?")]);
//! assert_eq!(measure(&request, &CharEstimator::default()).prompt(), 9);
//! ```

pub mod budget;
pub mod chat;
pub mod cut;
pub mod estimate;
mod marker;
pub mod plan;
pub mod request;
pub mod summary;
pub mod table;
pub mod trigger;
