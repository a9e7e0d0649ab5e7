//! The words, and how a fit runs.
//!
//! # The words
//!
//! | word | means |
//! |---|---|
//! | message | one entry of the conversation, as the provider sees it |
//! | role | who speaks, by meaning: a message that holds only tool results is [`Role::Tool`], whatever the wire calls it |
//! | turn | a message of the user, and everything up to the next one |
//! | group | messages that stay or go together: calls of tools with all their results, a reasoning item with what follows it |
//! | fixed part | what is never cut: system and developer messages, tool schemas, the schema of the response |
//! | window | the tokens a model can hold, input and output together |
//! | ceiling | the window, or less of it where you say so: [`max_context_tokens`] |
//! | reserve | tokens kept free for the reply: what the request asks for, at least [`reserve`] |
//! | limit | what the messages may use: ceiling − reserve − fixed part |
//! | target | what a compaction aims at: a share of the limit, half unless set |
//! | pin | a message that stays word for word |
//! | cut | which messages go; one summary takes their place |
//! | clip | a long text whose middle is left out, with a marker that says how much |
//! | draft | a cut and clips, decided on numbers before anybody writes a summary |
//! | plan | the edits, with all texts, ready to be applied |
//! | envelope | the message of the user in which a summary stands |
//!
//! The limit is not the target. A request is compacted when it is over its limit, and then brought
//! down to the target, so that the requests after it fit without another compaction.
//!
//! ```
//! use contextfit::budget::{Budget, BudgetRules, Window};
//!
//! // 128 000 tokens, of which the system prompt and the tools take 11 616.
//! let budget = Budget::new(Window::new(128_000), &BudgetRules::default(), 11_616, None, None)?;
//! assert_eq!(budget.reserve, 16_384);
//! assert_eq!(budget.limit, 100_000);
//! assert_eq!(budget.target, 50_000);
//! # Ok::<(), contextfit::budget::BudgetError>(())
//! ```
//!
//! # How a fit runs
//!
//! ```text
//!              ┌───────────┐    fits     ┌───────────────┐  answered
//!  request ───►│  measure  ├────────────►│ inner service ├───────────► response
//!              └─────┬─────┘             └──▲─────────┬──┘
//!            too big │                      │         │ "too long": the caller's
//!              ┌─────▼─────┐                │         │ request, harder, once
//!    error ◄───┤   draft   │◄───────────────┼─────────┘
//!  can't fit   └─────┬─────┘                │
//!                    │ cut and clips        │
//!              ┌─────▼─────┐                │
//!              │ summarize │                │
//!              └─────┬─────┘                │
//!                    │ accepted or refused  │
//!              ┌─────▼─────┐    smaller     │
//!              │   apply   ├────────────────┘
//!              └───────────┘
//! ```
//!
//! 1. **Measure.** The model that the request names decides the window and the [`Estimator`].
//!    Messages and fixed part are counted in one pass.
//! 2. **It fits.** Then it goes through as it is: the same bytes, no copy but the one that a
//!    recovery needs. Exactly the limit still fits.
//! 3. **Draft.** The conversation becomes a [`Table`] of numbers. The [`CutPolicy`] says which
//!    messages to cut. Laws make that lawful: groups stay whole, system messages, pins and the
//!    newest group stay. If that isn't enough, tool results in what is kept are clipped, then
//!    everything is cut that the laws allow.
//! 4. **Summarize.** The [`Summarizer`] gets a transcript of what is cut, the summary that stood
//!    there before, and a bound in tokens. A summary that is blank, cut off, over the bound, or no
//!    smaller than what it replaces is refused; [`FailedSummary`] says what then.
//! 5. **Apply.** Cut, clips and summary become a [`Plan`]. It is counted again, and applied to the
//!    request in one go. Until here the request is whole.
//! 6. **Call.** If the provider finds it too long all the same, its numbers bound a second fit, and
//!    the smaller request is sent once. See [`recovery`](super::recovery).
//!
//! [`Fitter::fit`] runs steps 1 to 5 without any service, and gives the request back:
//!
//! ```
//! use contextfit::Fitter;
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::summarizer_fn;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let fitter = Fitter::builder()
//!     .window(2_000)
//!     .summarizer(summarizer_fn(|job| async move {
//!         Ok::<_, contextfit::BoxError>(format!("{} notes were taken.", job.messages))
//!     }))
//!     .build()?;
//!
//! let note = |number| ChatMessage::user(format!("Note {number}: {}", "and so on ".repeat(10)));
//! let notes = ChatRequest::new("a-model", (1..=100).map(note));
//! let fitted = fitter.fit(notes).await?;
//!
//! // The task, a summary, and what is recent.
//! let texts: Vec<_> = fitted.request.messages.iter().map(ChatMessage::text).collect();
//! assert!(texts[0].starts_with("Note 1:"));
//! assert!(texts[1].contains("notes were taken."));
//! assert!(texts[2].starts_with("Note 78:") && texts[24].starts_with("Note 100:"));
//!
//! let report = fitted.report.expect("it was changed");
//! assert_eq!((report.summarized, report.kept), (76, 24));
//! assert!(report.tokens_after < report.tokens_before && report.fits());
//! # Ok(()) }
//! ```
//!
//! # Who keeps the history
//!
//! The layers change the request that is sent, and nothing else. A caller who sends the whole
//! history each time has it compacted each time it is over the limit, and pays for a summary each
//! time. A caller who owns the history, such as an agent, pays once: it calls [`Fitter::fit`] and
//! goes on from the request it gets back. The next compaction recognises the [`Envelope`] and
//! updates its summary.
//!
//! [`Role::Tool`]: crate::request::Role::Tool
//! [`max_context_tokens`]: crate::FitterBuilder::max_context_tokens
//! [`reserve`]: crate::FitterBuilder::reserve
//! [`Estimator`]: crate::estimate::Estimator
//! [`Table`]: crate::table::Table
//! [`CutPolicy`]: crate::cut::CutPolicy
//! [`Summarizer`]: crate::Summarizer
//! [`FailedSummary`]: crate::FailedSummary
//! [`Plan`]: crate::plan::Plan
//! [`Fitter::fit`]: crate::Fitter::fit
//! [`Envelope`]: crate::summary::Envelope
