//! Writing an adapter: what teaches the layers your request type.
//!
//! There are three ways:
//!
//! - [`ChatRequest`] is OpenAI-shaped and needs none.
//! - A type of your own implements [`Conversation`] and [`EditConversation`]. That is all; see the
//!   example `own_request` of the repository.
//! - For a type of another crate, write a [`RequestAdapter`], and a view that borrows the request
//!   and is the [`Conversation`].
//!
//! # What a view shows
//!
//! - **Roles by meaning.** A message that holds only results of tools is [`Role::Tool`], whatever
//!   the wire calls it.
//! - **Links.** Each call and each result by its id, so that they stay or go together.
//! - **Pieces**, in their order: a clip names its piece by its number. The name of a speaker is one,
//!   before what they say ([`Piece::Speaker`]); that of a tool stands with its result.
//! - **Pins.** [`MessageRef::pinned`] keeps a message verbatim.
//! - **The fixed part.** What costs tokens and is no message: system prompt, tools, schemas.
//! - **The output asked for**, with a thinking budget.
//!
//! # What it carries out
//!
//! [`Plan::rewrite`] goes through the messages and asks for two things. A **summary** becomes a
//! message of the user with just that text, so that the next compaction knows it again. A **clip**
//! replaces the piece it names. Beside that, [`Plan::lowered_output`] is the output to ask for.
//!
//! ```
//! # mod wire {
//! #     #[derive(Clone, Debug, PartialEq)]
//! #     pub struct Request { pub system: String, pub items: Vec<Item>, pub max_tokens: u32 }
//! #     #[derive(Clone, Debug, PartialEq)]
//! #     pub enum Item {
//! #         User(String), Model(String),
//! #         Call { id: String, name: String, arguments: String }, Result { id: String, content: String },
//! #     }
//! # }
//! use contextfit::plan::Plan;
//! use contextfit::request::{
//!     AdapterError, ApplyError, Conversation, Link, MessageRef, Piece, RequestAdapter, Role,
//! };
//! use wire::{Item, Request}; // another crate
//!
//! struct View<'a>(&'a Request);
//!
//! impl Conversation for View<'_> {
//!     fn model(&self) -> Option<&str> { None }
//!     fn len(&self) -> usize { self.0.items.len() }
//!
//!     fn message(&self, index: usize) -> MessageRef {
//!         MessageRef::new(match &self.0.items[index] {
//!             Item::User(_) => Role::User,
//!             Item::Model(_) | Item::Call { .. } => Role::Assistant,
//!             Item::Result { .. } => Role::Tool,
//!         })
//!     }
//!
//!     fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
//!         match &self.0.items[index] {
//!             Item::Call { id, .. } => visit(Link::Calls(id)),
//!             Item::Result { id, .. } => visit(Link::Answers(id)),
//!             Item::User(_) | Item::Model(_) => {}
//!         }
//!     }
//!
//!     // One for each item here. A message with several blocks shows one for each block.
//!     fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
//!         visit(match &self.0.items[index] {
//!             Item::User(text) | Item::Model(text) => Piece::Text(text.as_str().into()),
//!             Item::Call { id, name, arguments } => Piece::ToolCall {
//!                 id: id.as_str().into(),
//!                 name: name.as_str().into(),
//!                 arguments: arguments.as_str().into(),
//!             },
//!             Item::Result { id, content } => Piece::ToolResult {
//!                 call_id: id.as_str().into(),
//!                 name: "".into(),
//!                 content: content.as_str().into(),
//!             },
//!         });
//!     }
//!
//!     fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
//!         visit(Piece::Text(self.0.system.as_str().into()));
//!     }
//!
//!     fn max_output_tokens(&self) -> Option<u32> { Some(self.0.max_tokens) }
//! }
//!
//! #[derive(Clone, Copy, Debug)]
//! struct ForItems;
//!
//! impl RequestAdapter<Request> for ForItems {
//!     type View<'a> = View<'a>;
//!
//!     fn view<'a>(&self, request: &'a Request) -> Result<View<'a>, AdapterError> { Ok(View(request)) }
//!
//!     fn apply(&self, request: &mut Request, plan: &Plan) -> Result<(), ApplyError> {
//!         let summary = |text: &str| Item::User(text.to_owned());
//!         request.items = plan.rewrite(&request.items, summary, |item, clips| {
//!             let mut item = item.clone();
//!             for clip in clips {
//!                 match (&mut item, clip.piece) {
//!                     (Item::User(text) | Item::Result { content: text, .. }, 0) => {
//!                         *text = clip.text.clone();
//!                     }
//!                     (_, piece) => {
//!                         return Err(ApplyError::NoSuchPiece { message: clip.message, piece });
//!                     }
//!                 }
//!             }
//!             Ok(item)
//!         })?;
//!         request.max_tokens = plan.lowered_output().unwrap_or(request.max_tokens);
//!         Ok(())
//!     }
//!
//!     fn try_clone(&self, request: &Request) -> Option<Request> { Some(request.clone()) }
//! }
//!
//! // Its test: a fitted request costs what the report says, what was kept is as it was, and the
//! // summary is known again.
//! use contextfit::summary::Envelope;
//! use contextfit::{Fitter, HeadSummarizer};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let fitter =
//!     Fitter::builder().window(4_000).summarizer(HeadSummarizer).adapter(ForItems).build()?;
//! for (rounds, warnings) in [(80, 30), (40, 300), (2, 4_000)] {
//!     let mut items = vec![Item::User("Why does the build fail?".into())];
//!     for id in (0..rounds).map(|round| format!("call {round}")) {
//!         let (name, arguments) = ("build".into(), "{}".into());
//!         items.push(Item::Call { id: id.clone(), name, arguments });
//!         items.push(Item::Result { id, content: "warning\n".repeat(warnings) });
//!     }
//!     let request = Request { system: "You mend builds.".into(), items, max_tokens: 500 };
//!
//!     let fitted = fitter.fit(request.clone()).await?;
//!     let report = fitted.report.expect("it was too long");
//!     assert!(report.fits());
//!     assert_eq!(fitter.measure(&fitted.request)?.prompt(), report.tokens_after);
//!     assert_eq!(fitted.request.items[0], request.items[0]);
//!     assert!(Envelope::find(&View(&fitted.request)).is_some());
//! }
//! # Ok(()) }
//! ```
//!
//! What one request wants for itself (off, now, pins) comes with `with_hints`, see [`Hints`]. A
//! provider that demands that roles take turns gets its messages merged on the wire, inside of the
//! layers; the summary may stand beside another message of the user.
//!
//! [`ChatRequest`]: crate::chat::ChatRequest
//! [`Conversation`]: crate::request::Conversation
//! [`EditConversation`]: crate::request::EditConversation
//! [`RequestAdapter`]: crate::request::RequestAdapter
//! [`Role::Tool`]: crate::request::Role::Tool
//! [`Piece::Speaker`]: crate::request::Piece::Speaker
//! [`MessageRef::pinned`]: crate::request::MessageRef::pinned
//! [`Plan::rewrite`]: crate::plan::Plan::rewrite
//! [`Plan::lowered_output`]: crate::plan::Plan::lowered_output
//! [`Hints`]: crate::request::Hints
