//! Asking what a fit would do to a request, and why.
//!
//! [`Fitter::explain`] decides as a fit does and stops before the first call: nobody is asked for a
//! summary, and the request isn't changed. It answers "why is that message gone?", and tells in a
//! test what a policy of yours comes to. The command `contextfit inspect` draws what it says.
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::cut::{ClearToolResults, CutPolicy, Fate, TopicAndRecent};
//! use contextfit::request::PieceKind;
//! use contextfit::{FitError, Fitter, ExtractiveSummarizer, Reason, Outcome, WhenStuck, Why};
//!
//! let fitter = Fitter::builder()
//!     .window(4_000)
//!     .policy(ClearToolResults::keep(2).then(TopicAndRecent))
//!     .summarizer(ExtractiveSummarizer)
//!     .when_stuck(WhenStuck::Refuse)
//!     .build()?;
//!
//! let mut messages = vec![
//!     ChatMessage::system("You mend builds."),
//!     ChatMessage::user("Why does the build fail?"),
//! ];
//! for round in 0..10 {
//!     let id = format!("call {round}");
//!     messages.push(ChatMessage::assistant("").call(id.as_str(), "build", "{}"));
//!     messages.push(ChatMessage::tool(id, "warning: unused import\n".repeat(60)));
//! }
//! let request = ChatRequest::new("a-model", messages);
//! let explanation = fitter.explain(&request)?;
//!
//! assert!(matches!(explanation.outcome, Outcome::Changed(Reason::OverLimit)));
//! let limit = explanation.budget.expect("its window is known").limit;
//! assert!(explanation.tokens_before > limit && explanation.tokens_after <= limit);
//! // Clearing old results is enough, so there is no call.
//! assert_eq!(explanation.summary, None);
//!
//! let why = |index: usize| explanation.messages[index].why;
//! assert_eq!([why(0), why(1)], [Why::Instructions, Why::Task]);
//! let result = &explanation.messages[3];
//! assert!(matches!(result.fate, Fate::Clip(_)) && result.why == Why::PolicyCuts);
//! assert!(result.tokens_after < result.tokens / 4);
//! assert_eq!((result.kinds[0].0, result.turn), (PieceKind::ToolResult, 1));
//! // A call and its result stay or go together.
//! assert_eq!(explanation.messages[2].group, result.group);
//! assert_eq!([why(20), why(21)], [Why::Newest; 2]);
//!
//! // A request that would be refused is explained, too.
//! let question = ChatRequest::new("a-model", [ChatMessage::user("Why? ".repeat(10_000))]);
//! let refused = fitter.explain(&question)?.outcome;
//! assert!(matches!(refused, Outcome::Refused(FitError::CannotFit { limit: 3_000, .. })));
//! # Ok::<(), contextfit::BoxError>(())
//! ```
//!
//! # What it says
//!
//! | field | says |
//! |---|---|
//! | `outcome` | whether the request is left alone, fits, is changed and for which [`Reason`], is stuck, or is refused |
//! | `budget` | what it may use: ceiling, reserve, limit, target, messages |
//! | `tokens_before`, `tokens_after` | of the whole prompt; the second is the most that a fit may come to |
//! | `beside` | tokens of what stands beside the messages: tool schemas, say |
//! | `messages` | for each message its role, group and turn, its tokens by kind of piece, what becomes of it ([`Fate`]), and why ([`Why`]) |
//! | `summary` | how many messages it would cover, its bound, and how many calls it takes; `None` without a call |
//!
//! [`Why::text`] is the reason in a few words, for people. What nobody is there to summarize is shown
//! as dropped. All sizes are estimates, in tokens.
//!
//! # What it can't say
//!
//! - **Whether the summary will be usable.** It takes that for granted, unless one was refused before
//!   and isn't asked for again: then it says what becomes of the request without.
//! - **What a recovery does.** That is sized by what the provider says.
//!
//! It heeds what was learned of a model, so the same request may be explained otherwise after an
//! overflow. An error means that there is nothing to explain: the request is malformed, or its model
//! isn't known and such requests are refused.
//!
//! [`Fitter::explain`]: crate::Fitter::explain
//! [`Reason`]: crate::Reason
//! [`Fate`]: crate::cut::Fate
//! [`Why`]: crate::Why
//! [`Why::text`]: crate::Why::text
//! [`FailedSummary`]: crate::FailedSummary
