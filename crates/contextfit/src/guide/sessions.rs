//! Histories with a summary in them: who wrote it, for whom, and what it holds.
//!
//! A caller who owns the history goes on from what [`Fitter::fit`] gives back. Then a summary stands
//! in it, in a message of the user's role, and comes back with every request: to the model, to
//! the next compaction, maybe by way of a database. Whatever says it is that summary decides what
//! the model believes to have happened. So it has to be ours.
//!
//! # Sealed
//!
//! The message is an [`Envelope`]. It carries a keyed hash of its whole text and of its place: how
//! many messages stand before it, and what the first of them, the task, says. It counts as a summary
//! only as a whole message, at that place, once. One that was forged, altered, taken from another
//! conversation or pasted back by a user, a tool or the model itself is ordinary text: it is
//! summarized like any other, and nothing of it is inherited. The observer hears of the first such
//! message whenever a request is to be changed, by [`FitEvent::ForeignSummary`].
//!
//! Conversations that begin alike can't be told apart by their place: those that open with the same
//! task, and those whose task was cut, so that the summary itself stands first. Where users may write
//! to several of them, name the conversation as its [tenant](#tenants).
//!
//! System messages are no part of the place: many hold the time of day, or change as one agent hands
//! over to the next. Marks such as those of a prompt cache aren't, either.
//!
//! # Keys
//!
//! Unless told otherwise, each process has a random key of its own. That is enough where a history
//! lives and dies with it. Where histories are stored, or another process goes on with them, supply
//! a key, the same to all; [`durable_summaries`] makes sure that nobody forgets. Keys can be changed:
//! the one before still opens what it sealed.
//!
//! What is stored is the request that [`Fitter::fit`] gives back, message by message as it is;
//! [`ChatRequest`] is `Serialize` and `Deserialize`. Without the key nothing fails: the summary is
//! summarized as the text of a user, and its ledger and its count of messages are gone. Only the
//! event says so, so hear of it.
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::summary::{EnvelopeKey, EnvelopeKeys};
//! use contextfit::{ConfigError, ExtractiveSummarizer, Fitter};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let durable = || Fitter::builder().window(4_000).durable_summaries(true);
//! assert_eq!(durable().build().err(), Some(ConfigError::KeysRequired));
//!
//! // Random bytes from where your secrets are, not a password.
//! let (this_year, last_year) = (b"0123456789abcdef", b"fedcba9876543210");
//! let keys = EnvelopeKeys::new(EnvelopeKey::new(this_year)?).retired(EnvelopeKey::new(last_year)?);
//! let fitter = durable().summary_keys(keys).summarizer(ExtractiveSummarizer).build()?;
//! # let note = |number| ChatMessage::user(format!("Note {number}: {}", "and so on ".repeat(20)));
//! # assert!(fitter.fit(ChatRequest::new("a-model", (1..=100).map(note))).await?.report.is_some());
//! # Ok(()) }
//! ```
//!
//! # Tenants
//!
//! Where one service works for several customers, say whose a conversation is, and no customer's
//! summary counts in another's. It may as well name the conversation itself. Instructions for the
//! summarizer come the same way, from each request.
//!
//! ```
//! use contextfit::chat::ChatRequest;
//! use contextfit::request::{Hints, Native, RequestAdapter};
//! use contextfit::Fitter;
//!
//! let adapter = Native.with_hints(|request: &ChatRequest| {
//!     let hints = Hints::default().instructions("Keep all ticket numbers.");
//!     match request.extra.get("user").and_then(|user| user.as_str()) {
//!         Some(customer) => hints.tenant(customer),
//!         None => hints, // all of these are one tenant
//!     }
//! });
//! let fitter = Fitter::builder().window(128_000).adapter(adapter).build()?;
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! The adapter is part of the fitter's type. To name it, in a field say, give a function instead of a
//! closure, `Native.with_hints(hints as fn(&ChatRequest) -> Hints)`: that is a
//! `Fitter<WithHints<Native, fn(&ChatRequest) -> Hints>>`.
//!
//! # What was done
//!
//! Models forget files, and what they did already; then they do it again. So beside every summary
//! stands a [`Ledger`], which no model writes: files read and modified, and calls made with what
//! became of them, as the tool calls themselves say. The next compaction goes on with it. It is
//! bounded, its oldest entries go first, and it says how many did. [`LedgerRules`] know the usual
//! tools; yours are added by name. It holds arguments and results in their own words: [`redact`]
//! doesn't change it, [`pass_over`] leaves a tool out.
//!
//! ```
//! use contextfit::Fitter;
//! use contextfit::summary::LedgerRules;
//!
//! let rules = LedgerRules::default().record("Tickets touched", "update_ticket", "ticket_id");
//! let fitter = Fitter::builder().window(128_000).ledger(rules).build()?;
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! [`Fitter::fit`]: crate::Fitter::fit
//! [`Envelope`]: crate::summary::Envelope
//! [`FitEvent::ForeignSummary`]: crate::FitEvent::ForeignSummary
//! [`durable_summaries`]: crate::FitterBuilder::durable_summaries
//! [`ChatRequest`]: crate::chat::ChatRequest
//! [`redact`]: crate::FitterBuilder::redact
//! [`pass_over`]: crate::summary::LedgerRules::pass_over
//! [`Ledger`]: crate::summary::Ledger
//! [`LedgerRules`]: crate::summary::LedgerRules
