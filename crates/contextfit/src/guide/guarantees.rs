//! What is guaranteed, and what is not.
//!
//! # What holds
//!
//! Whatever a policy or a summarizer does:
//!
//! - **A request within its limit isn't touched**, to the byte, unless a trigger is met, it asks for
//!   a compaction, or the output it asks for is to be lowered: three things that you set.
//! - **The conversation stays sound.** Calls and their results stay together and in order. System
//!   messages, pins and the newest group of messages stay. There is always somebody to answer.
//! - **What is kept is kept word for word.** The exceptions are tool results that are clipped and,
//!   only if you allow it, messages of the user. A clip says how much is missing, of an earlier clip
//!   too. What the model wrote is never clipped.
//! - **What goes is accounted for.** The report counts messages summarized, recorded raw, left out,
//!   clipped and kept. Those that no summary covers are counted in a notice that the model sees.
//! - **It ends.** One request is at most two compactions and two calls. A compaction is one call of
//!   the summarizer, or two where [`SplitTurn::Apart`] is set. What couldn't be made smaller isn't
//!   sent again, unless you set that, and a summary that was refused isn't asked for again.
//! - **A trigger is undone by what it asks for.** A compaction within the limit aims below its
//!   trigger, and isn't made where what is left might still meet it. So the next request isn't
//!   compacted again for the same reason.
//! - **A refusal costs no call of the provider**, and names the numbers and the remedy.
//!   [`Fitter::fit`] gives the request back with it.
//! - **The rules of Tower.** Nothing is called that wasn't ready. Back-pressure is passed on. A
//!   future may be dropped at any point. Clones share what was learned of a model and which
//!   summaries were refused, and nothing of a request.
//! - **Nothing is told by accident.** No error, event or report of these crates prints the
//!   conversation. The plan in a report holds the texts that it puts in place, and its [`Debug`]
//!   leaves them out.
//!
//! # What is bounded
//!
//! | what | bound |
//! |---|---|
//! | a summary | its own bound, at most a quarter of the limit; with its envelope, less than it replaces |
//! | a notice | less than it replaces, but where there are too many messages: then one may take the place of less |
//! | what a summarizer reads | the window you tell of it; without one, nothing |
//! | calls for one summary | 8, or as many as [`summary_calls`] says; each once more if it is over its bound, and as often as you set |
//! | summaries of ours in a conversation | one |
//! | a clip | 64 tokens of text are left at least, unless a policy asks for fewer |
//! | memory between requests | a limit for each model that overflowed; hashes of 1 024 summaries that were refused, and of 1 024 that failed without need |
//!
//! # What is degraded
//!
//! Without a usable summary there is a choice, and [`degraded`] in the report marks what isn't as it
//! should be. By default the history is left as it is: nothing is lost, and the request is sent too
//! long or, by [`WhenStuck`], refused. Clips that are enough by themselves are made, and marked.
//! [`FailedSummary::Omit`] and [`Archive`] make the request fit all the same, and are marked too. An
//! archive is a raw record: the newest lines that fit the bound, each cut short. A summary is marked,
//! too, if the summarizer's window had no room for some of the messages in as many calls as there may
//! be. Where nobody was to write a summary, leaving messages out is what you set, and no mark tells of
//! it.
//!
//! # What depends on a setting
//!
//! By default the provider has the last word, because an estimate may be wrong.
//!
//! | what if | by default | or, if set |
//! |---|---|---|
//! | nothing that may go is enough | it is sent as small as can be | [`WhenStuck::Refuse`]; [`clip_user_messages`] |
//! | there is no usable summary | the history stays as it is | [`FailedSummary`]: `Omit`, `Archive`, `Refuse` |
//! | the fixed part is as large as the window | it is refused | [`OversizedFixedPart::Send`] |
//! | the output asked for leaves no room | it is refused | [`OversizedOutput::Lower`] |
//! | the model isn't known | [`max_context_tokens`] stands for its window, or it is refused | [`UnknownWindow`]: `Refuse`, `LeaveAlone` |
//! | an overflow has no numbers | half of the messages' tokens that were sent is the new limit, and about a quarter is aimed at | [`WithoutNumbers::AsUsual`] |
//! | after it, nothing can be made smaller | the provider's answer stands | [`resend_unchanged`] |
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
//! # What isn't promised
//!
//! - **An estimate is an estimate.** "It fits" means: by your estimator. The default one is right
//!   for English, give or take; for Chinese, logs and base64 it is far too low. The reserve and the
//!   recovery catch what they can. See [`estimator`](super::estimator).
//! - **A summary is what a model wrote.** It may be wrong, or leave out what matters. Text in the
//!   conversation may try to steer it: it is quoted as data, which helps and proves nothing.
//! - **A summarizer with a small window reads all, up to a point.** It reads the conversation in
//!   chunks, in so many calls at most ([`summary_calls`]). What is longer still isn't read, its oldest
//!   messages first: that is said to the summarizer, in the envelope and in the report.
//! - **A seal says who wrote a summary, not that it is true.** And it needs the same key again: one of
//!   a process that is gone is ordinary text. Neither is a summary known again that a provider's
//!   format merged with its neighbours, if that copy is what the caller goes on with. See
//!   [`sessions`](super::sessions).
//! - **There are no checkpoints yet.** A caller who sends the whole history each time pays for a
//!   summary each time it is over the limit, and the summaries differ. A caller who can should keep
//!   what was fitted; see [`concepts`](super::concepts).
//! - **A cut costs the provider's prompt cache** from the place of the cut on, and so does a clip.
//!   Between compactions the prefix stays, for a caller who keeps what was fitted.
//! - **The number of messages** is no law. [`max_messages`] is met where what must stay is few
//!   enough; [`fits`] in the report speaks of tokens alone.
//! - **A trigger is a wish.** Where what must stay meets it by itself, or nobody writes a usable
//!   summary, the conversation stays above it. It is still made to fit its limit.
//! - **Streams** are passed on as they are. An overflow is recovered from before the first content
//!   (with `PeekFirst`, or if the inner service returns it); one that comes later is only reported.
//! - **Silent truncation.** A provider that drops what doesn't fit and answers all the same is
//!   found out only if its usage says so, and only where most of the prompt is missing. What is
//!   measured before sending is what protects there.
//! - **History on the provider's side**, such as a stored conversation that a request continues,
//!   isn't seen and isn't counted. A request type that knows when this is so says it by
//!   [`Switch::HistoryElsewhere`]: such a request is left alone, and the observer hears of it. For
//!   one that doesn't, say [`Switch::Off`].
//! - **No time-outs** unless you put them there: Tower has them for calls, see
//!   [`composing`](super::composing), and a summarizer that puts nothing out any more can be given up
//!   by [`stall_timeout`](crate::SummarizerExt::stall_timeout_with).
//! - **Measuring takes the caller's task.** With the default estimator that is quick. A tokenizer
//!   on a long history isn't.
//!
//! [`summary_calls`]: crate::FitterBuilder::summary_calls
//! [`SplitTurn::Apart`]: crate::SplitTurn::Apart
//! [`Fitter::fit`]: crate::Fitter::fit
//! [`degraded`]: crate::FitReport::degraded
//! [`summary_calls`]: crate::FitterBuilder::summary_calls
//! [`FailedSummary`]: crate::FailedSummary
//! [`FailedSummary::Omit`]: crate::FailedSummary::Omit
//! [`Archive`]: crate::FailedSummary::Archive
//! [`WhenStuck`]: crate::WhenStuck
//! [`WhenStuck::Refuse`]: crate::WhenStuck::Refuse
//! [`clip_user_messages`]: crate::FitterBuilder::clip_user_messages
//! [`OversizedFixedPart::Send`]: crate::OversizedFixedPart::Send
//! [`OversizedOutput::Lower`]: crate::budget::OversizedOutput::Lower
//! [`max_context_tokens`]: crate::FitterBuilder::max_context_tokens
//! [`UnknownWindow`]: crate::UnknownWindow
//! [`WithoutNumbers::AsUsual`]: crate::WithoutNumbers::AsUsual
//! [`resend_unchanged`]: crate::FitterBuilder::resend_unchanged
//! [`max_messages`]: crate::FitterBuilder::max_messages
//! [`fits`]: crate::FitReport::fits
//! [`Switch::Off`]: crate::request::Switch::Off
//! [`Switch::HistoryElsewhere`]: crate::request::Switch::HistoryElsewhere
