//! Writing a summarizer: what writes the text that stands for the messages that go.
//!
//! A [`Summarizer`] gets a [`SummaryJob`] and gives back a [`Summary`]. The job holds:
//!
//! - `transcript`: the messages as quoted text, with a label for each part,
//! - `previous`: the summary that stood for what came before them, to be updated and not lost,
//! - `max_tokens`: the most that the summary may have, and [`count`] and [`head`] to keep to it,
//! - [`prompt`]: all of this as one message for a model, with what to do at its end.
//!
//! What comes back isn't trusted. A summary that is blank, [`cut_off`], over its bound, or, with
//! its envelope, no smaller than what it replaces, is refused, and so is none at all. Then
//! [`FailedSummary`] decides: leave the history as it is (the default), or leave the messages out
//! with a notice. Clips that are enough by themselves are always tried.
//!
//! # With a model
//!
//! For a service that speaks [`ChatRequest`] there is [`chat_summarizer`]; see
//! [`per_model`](super::per_model) for one with a small window. For any other service:
//!
//! ```
//! use contextfit::{Fitter, Summary, SummaryJob, summarizer_service};
//! use tower::{ServiceBuilder, service_fn};
//!
//! /// What your client takes and gives.
//! struct Ask { system: &'static str, prompt: String, max_tokens: u64 }
//! struct Answer { text: String, ended_by_length: bool }
//!
//! let model = service_fn(|ask: Ask| async move {
//!     // … whatever your client does.
//!     let text = format!("{} characters were said.", ask.prompt.len());
//!     Ok::<_, std::io::Error>(Answer { text, ended_by_length: false })
//! });
//! let summarizer = summarizer_service(
//!     ServiceBuilder::new().timeout(std::time::Duration::from_secs(30)).service(model),
//!     |job: &SummaryJob| Ask {
//!         system: SummaryJob::INSTRUCTIONS,
//!         prompt: job.prompt(),
//!         max_tokens: job.max_tokens,
//!     },
//!     |answer: Answer| {
//!         Ok::<_, std::io::Error>(Summary::new(answer.text).cut_off(answer.ended_by_length))
//!     },
//! );
//! let fitter = Fitter::builder().window(128_000).summarizer(summarizer).build()?;
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! Offer the model no tools, and say when its output was full: half a summary is worse than none.
//! Its bound is max(1 024, ⅘ of the output of its model) unless set with [`summary_tokens`], and
//! never more than a quarter of the limit.
//!
//! # Without one
//!
//! Anything that makes a shorter text of a long one will do. [`summarizer_fn`] takes a closure. This
//! is a type, for a team whose decisions stand on lines of their own:
//!
//! ```
//! use async_trait::async_trait;
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{Fitter, SummarizeError, Summarizer, Summary, SummaryJob};
//!
//! /// Keeps the lines that say what was decided, the newest as far as they fit.
//! #[derive(Clone, Copy, Debug)]
//! struct Decisions;
//!
//! #[async_trait]
//! impl Summarizer for Decisions {
//!     async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
//!         let before = job.previous.iter().flat_map(|previous| previous.lines());
//!         let lines = before.chain(job.transcript.lines());
//!         let decided: Vec<_> = lines.filter(|line| line.starts_with("Decision:")).collect();
//!         if decided.is_empty() {
//!             return Err(SummarizeError::failed("nothing was decided"));
//!         }
//!         let mut newest = &decided[..];
//!         while job.count(&newest.join("\n")) > job.max_tokens {
//!             newest = &newest[1..];
//!         }
//!         Ok(Summary::new(newest.join("\n")))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! // Its test: twice the same conversation, longer. The second summary has all of the first.
//! let fitter = Fitter::builder().window(2_000).summarizer(Decisions).build()?;
//! let talk = |port: u16| {
//!     let words = "We talked for long. ".repeat(12);
//!     ChatMessage::user(format!("{words}\nDecision: port {port}."))
//! };
//! let request = ChatRequest::new("a-model", (1..=40).map(talk));
//! let mut request = fitter.fit(request).await?.request;
//! request.messages.extend((41..=80).map(talk));
//!
//! let fitted = fitter.fit(request).await?;
//! let report = fitted.report.expect("it is too long again");
//! assert!(report.fits() && !report.degraded);
//! let summary = report.plan.summary().expect("something was cut");
//! assert!(summary.contains("Decision: port 2.") && summary.contains("Decision: port 42."));
//! assert!(!summary.contains("We talked"));
//! # Ok(()) }
//! ```
//!
//! # What it may rely on
//!
//! - Text in a transcript can't close the transcript. It may still say "ignore all that", so put it
//!   where a model reads data; [`prompt`] and [`INSTRUCTIONS`] do.
//! - No reservation of the wrapped service is held while it works. It may go through the same inner
//!   limits; see [`limits`](super::limits).
//! - Its future may be dropped at any await. What it must not leave half done, it must not do.
//! - It is asked once for each fit. Nothing is asked for where the bound would be so small that
//!   there is nothing to say.
//!
//! A transcript isn't cut to the summarizer's own window; that is the affair of its stack.
//!
//! [`Summarizer`]: crate::Summarizer
//! [`SummaryJob`]: crate::SummaryJob
//! [`Summary`]: crate::Summary
//! [`count`]: crate::SummaryJob::count
//! [`head`]: crate::SummaryJob::head
//! [`prompt`]: crate::SummaryJob::prompt
//! [`INSTRUCTIONS`]: crate::SummaryJob::INSTRUCTIONS
//! [`cut_off`]: crate::Summary::cut_off
//! [`FailedSummary`]: crate::FailedSummary
//! [`ChatRequest`]: crate::chat::ChatRequest
//! [`chat_summarizer`]: crate::chat_summarizer
//! [`summary_tokens`]: crate::FitterBuilder::summary_tokens
//! [`summarizer_fn`]: crate::summarizer_fn
