//! The words, when a request is compacted, and how a fit runs.
//!
//! # The words
//!
//! | word | means |
//! |---|---|
//! | message | one entry of the conversation, as the provider sees it |
//! | role | who speaks, by meaning: a message that holds only tool results is a tool's, whatever the wire calls it |
//! | turn | a message of the user, and everything up to the next one |
//! | group | messages that stay or go together: calls of tools with all their results, a reasoning item with what follows it |
//! | fixed part | what is never cut: system and developer messages, tool schemas, the schema of the response |
//! | window | the tokens a model can hold, input and output together |
//! | ceiling | the window, or less of it where [`max_context_tokens`] says so |
//! | reserve | tokens kept free for the reply: what the request asks for, at least [`reserve`] |
//! | limit | what the messages may use: ceiling − reserve − fixed part |
//! | target | what a compaction aims at: a share of the limit, half unless set |
//! | pin | a message that stays word for word |
//! | fate | what becomes of a message: it is kept, clipped, summarized or dropped ([`Fate`]) |
//! | cut | a fate for each message. What is summarized or dropped *is cut*: one message, a summary or a notice, takes the place of all of it |
//! | clip | a long text whose middle is left out, with a marker that says how much |
//! | envelope | the message of the user in which a summary stands, or a notice |
//!
//! # When a request is compacted
//!
//! | why | when |
//! |---|---|
//! | over the limit | its messages cost more than the limit, or there are more than [`max_messages`] |
//! | forced | it asks for that itself, with [`Switch::Force`] |
//! | hard trigger | it is within the limit, and [`hard_trigger`] is met |
//! | soft trigger | it is within the limit, and [`soft_trigger`] is met |
//! | overflow | the provider finds it too long; see [`recovery`](super::recovery) |
//!
//! There is no trigger unless you set one: a share of what fits, a number of tokens or of messages,
//! all or any of these ([`Trigger`]). Without a usable summary, a soft one has the request sent as it
//! is, and isn't tried again before there is a quarter more to summarize. For all other reasons,
//! [`FailedSummary`] says what is done.
//!
//! Every compaction aims at the target, so that the next requests fit without another one. One that a
//! trigger asks for has to undo it. So it aims lower: at the usual share of the level of the trigger,
//! in tokens or in messages. A hard one undoes the soft one, too. Of several that all have to hold,
//! the first is what is undone. Within the limit, only what the policy does is done, and it isn't made
//!
//! - where what is left might still meet the trigger, or
//! - where it frees less than [`least_gain`], a twentieth of the messages' tokens unless set. One that
//!   is forced needn't.
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::trigger::Trigger;
//! use contextfit::{Fitter, Reason, Outcome};
//!
//! let fitter = Fitter::builder().window(16_000).soft_trigger(Trigger::Share(0.75)).build()?;
//! // Each note has 100 tokens.
//! let notes = |count| ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(384)); count]);
//!
//! let budget = fitter.explain(&notes(1))?.budget.expect("its window is known");
//! assert_eq!((budget.reserve, budget.limit, budget.target), (4_000, 12_000, 6_000));
//! // What the trigger asks for aims at half of its 9 000 tokens.
//! // Exactly the limit still fits, and so does exactly the share.
//! assert!(matches!(fitter.explain(&notes(90))?.outcome, Outcome::Fits));
//! assert!(matches!(fitter.explain(&notes(91))?.outcome, Outcome::Changed(Reason::Trigger)));
//! assert!(matches!(fitter.explain(&notes(120))?.outcome, Outcome::Changed(Reason::Trigger)));
//! assert!(matches!(fitter.explain(&notes(121))?.outcome, Outcome::Changed(Reason::OverLimit)));
//! # Ok::<(), contextfit::BoxError>(())
//! ```
//!
//! # Two presets
//!
//! A preset sets a policy and what goes with it. Calls after it change single settings.
//!
//! | | [`topic_and_half`], the default | [`recent_budget`] |
//! |---|---|---|
//! | keeps, of the newest | what fits beside the task into the target | 20 000 tokens, at most ¼ of window − reserve, and the target |
//! | … and over the limit | | clips tool results to a total |
//! | pins | the task, the last user message | nothing: a single long turn can be cut |
//! | a cut inside a turn | one summary | a second one, for the start of the turn |
//! | most tokens of a summary | ⅘ of the output of its model | ⅘ of the reserve, and 20 000 |
//! | no usable summary | leaves the history as it is | puts a raw record in its place |
//! | tool schemas | count | count once a compaction is due |
//! | a model that isn't known | has `max_context_tokens`, or is refused | is left alone |
//! | an overflow without numbers | halves the limit of its messages, and aims at the usual share of that | compacts it as usual |
//! | output that leaves no room | is refused | is lowered, with 4 096 tokens free beside it |
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
//!    Each text is counted once.
//! 2. **It fits.** Then it goes through as it is: the same bytes, no copy but the one that a
//!    recovery needs.
//! 3. **Draft.** The conversation becomes a [`Table`] of numbers. The [`CutPolicy`] says what becomes
//!    of each message, within laws; see [`policy`](super::policy). If that isn't enough, tool results
//!    in what is kept are clipped, then everything is cut that the laws allow. No call was made yet.
//! 4. **Summarize.** The [`Summarizer`] gets a transcript of what is summarized, the summary that
//!    stood there before, and a bound in tokens. What it returns is accepted or refused; see
//!    [`summarizer`](super::summarizer).
//! 5. **Apply.** Cut, clips and summary become a [`Plan`]: the edits, with all texts. It is counted
//!    again, and applied to the request in one go. Until here the request is whole.
//! 6. **Call.** If the provider finds it too long all the same, a smaller one is sent, once.
//!
//! [`Fitter::fit`] runs steps 1 to 5 without any service, and gives the request back:
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{Fitter, summarizer_fn};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let fitter = Fitter::builder()
//!     .window(2_000)
//!     .summarizer(summarizer_fn(|job| async move {
//!         Ok::<_, contextfit::BoxError>(format!("{} notes were taken.", job.messages))
//!     }))
//!     .build()?;
//! let note = |number| ChatMessage::user(format!("Note {number}: {}", "and so on ".repeat(10)));
//! let fitted = fitter.fit(ChatRequest::new("a-model", (1..=100).map(note))).await?;
//!
//! // The task, a summary, and what is recent.
//! let texts: Vec<_> = fitted.request.messages.iter().map(ChatMessage::text).collect();
//! assert!(texts[0].starts_with("Note 1:") && texts[1].contains("76 notes were taken."));
//! assert!(texts[2].starts_with("Note 78:") && texts[24].starts_with("Note 100:"));
//! let report = fitted.report.expect("it was changed");
//! assert_eq!((report.summarized, report.kept, report.fits()), (76, 24, true));
//! # Ok(()) }
//! ```
//!
//! # Who keeps the history
//!
//! The layers change the request that is sent, and nothing else. A caller who sends the whole
//! history each time pays for a summary each time it is over the limit. One who owns the history,
//! such as an agent, pays once: it calls [`Fitter::fit`] and goes on from what it gets back. The
//! next compaction knows the [`Envelope`] again and updates its summary; see
//! [`sessions`](super::sessions) for histories that are stored.
//!
//! [`max_context_tokens`]: crate::FitterBuilder::max_context_tokens
//! [`reserve`]: crate::FitterBuilder::reserve
//! [`Fate`]: crate::cut::Fate
//! [`max_messages`]: crate::FitterBuilder::max_messages
//! [`Switch::Force`]: crate::request::Switch::Force
//! [`hard_trigger`]: crate::FitterBuilder::hard_trigger
//! [`soft_trigger`]: crate::FitterBuilder::soft_trigger
//! [`Trigger`]: crate::trigger::Trigger
//! [`least_gain`]: crate::FitterBuilder::least_gain
//! [`FailedSummary`]: crate::FailedSummary
//! [`topic_and_half`]: crate::FitterBuilder::topic_and_half
//! [`recent_budget`]: crate::FitterBuilder::recent_budget
//! [`Estimator`]: crate::estimate::Estimator
//! [`Table`]: crate::table::Table
//! [`CutPolicy`]: crate::cut::CutPolicy
//! [`Summarizer`]: crate::Summarizer
//! [`Plan`]: crate::plan::Plan
//! [`Fitter::fit`]: crate::Fitter::fit
//! [`Envelope`]: crate::summary::Envelope
