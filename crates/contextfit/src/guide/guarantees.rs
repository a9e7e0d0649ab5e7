//! What is guaranteed, and what is not.
//!
//! # What holds
//!
//! Whatever a policy or a summarizer does:
//!
//! - **A request that fits isn't touched.** It is the same, to the byte.
//! - **The conversation stays sound.** Calls and their results stay together and in order. System
//!   messages, pins and the newest group of messages stay. There is always somebody to answer.
//! - **What is kept is kept word for word.** The exceptions are tool results that had to be clipped
//!   and, only if you allow it, messages of the user. A clip says how much is missing.
//! - **What goes is accounted for.** The report counts messages summarized, left out, clipped and
//!   kept. Messages that nobody summarized are counted in a notice that the model sees.
//! - **A summary is bounded.** It is within its bound, with its envelope it is smaller than what it
//!   replaces, and there is one at any time. A failed one loses nothing, unless you set that.
//! - **It ends.** One request is at most two summaries and two calls. What couldn't be made smaller
//!   isn't sent again.
//! - **A refusal costs no call of the provider**, and names the numbers and the remedy.
//!   [`Fitter::fit`] gives the request back with it.
//! - **The rules of Tower.** Nothing is called that wasn't ready. Back-pressure is passed on. A
//!   future may be dropped at any point. Clones share nothing but what was learned of a model.
//! - **Nothing is told by accident.** No error, event or report of these crates prints the
//!   conversation. The plan in a report holds the texts that it puts in place, and its [`Debug`]
//!   leaves them out.
//!
//! # What depends on a setting
//!
//! By default the provider has the last word, because an estimate may be wrong. A request that is
//! over its limit whatever is cut is sent, as small as it can be made. If you would rather know:
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{FitError, Fitter, WhenStuck};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! // One question, and it is larger than the window.
//! let question = ChatRequest::new("a-model", [ChatMessage::user("Why? ".repeat(10_000))]);
//!
//! let sends = Fitter::builder().window(4_000).build()?;
//! assert!(sends.fit(question.clone()).await.is_ok());
//!
//! let refuses = Fitter::builder().window(4_000).when_stuck(WhenStuck::Refuse).build()?;
//! let failure = refuses.fit(question.clone()).await.expect_err("it can't fit");
//! assert!(matches!(failure.error, FitError::CannotFit { limit: 3_000, .. }));
//!
//! let clips = Fitter::builder().window(4_000).clip_user_messages(true).build()?;
//! assert!(clips.fit(question).await?.report.is_some_and(|report| report.fits()));
//! # Ok(()) }
//! ```
//!
//! The same choice is there for summaries that fail ([`FailedSummary`]), for a fixed part as large
//! as the window ([`OversizedFixedPart`]), and for output that leaves no room
//! ([`OversizedOutput`]). Without any summarizer, messages are left out and a notice says how many.
//!
//! # What doesn't hold
//!
//! - **An estimate is an estimate.** "It fits" means: by your estimator. The default one is right
//!   for English, give or take; for Chinese, logs and base64 it is far too low. The reserve and the
//!   recovery catch what they can. See [`estimator`](super::estimator).
//! - **A summary is what a model wrote.** It may be wrong, or leave out what matters. Text in the
//!   conversation may try to steer it: it is quoted as data, which helps and proves nothing.
//! - **An envelope is plain tagged text.** Nothing authenticates it yet. Whoever can put a whole
//!   message of the user into the history can write one that is taken for our summary. Only the
//!   first counts, and none at the end does.
//! - **There are no checkpoints yet.** A caller who sends the whole history each time pays for a
//!   summary each time it is over the limit, and the summaries differ. A caller who can should keep
//!   what was fitted; see [`concepts`](super::concepts).
//! - **A cut costs the provider's prompt cache** from the place of the cut on. Between compactions
//!   the prefix stays, for a caller who keeps what was fitted.
//! - **Streams** are passed on as they are. An overflow is recognised in what the inner service
//!   returns, not in what comes out of a stream later.
//! - **Silent truncation.** A provider that drops what doesn't fit and answers all the same is
//!   found out only if its usage says so. What is measured before sending is what protects there.
//! - **History on the provider's side**, such as a stored conversation that a request continues,
//!   isn't seen and isn't counted. Leave such a request alone, with [`Switch::Off`].
//! - **A transcript isn't cut to the summarizer's window.** Give the summarizer a fitter of its
//!   own; see [`per_model`](super::per_model).
//! - **No time-outs.** There are none in the layers, because Tower has them; see
//!   [`composing`](super::composing).
//! - **Measuring takes the caller's task.** With the default estimator that is quick. A tokenizer
//!   on a long history isn't.
//!
//! [`Fitter::fit`]: crate::Fitter::fit
//! [`FailedSummary`]: crate::FailedSummary
//! [`Switch::Off`]: crate::request::Switch::Off
//! [`OversizedFixedPart`]: crate::OversizedFixedPart
//! [`OversizedOutput`]: crate::budget::OversizedOutput
