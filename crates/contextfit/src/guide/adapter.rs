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
//! - **The fixed part.** What costs tokens and is no message: system prompt, and tools and
//!   schemas as [`Piece::Schema`].
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
//! use contextfit::{Fitter, ExtractiveSummarizer};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let fitter =
//!     Fitter::builder().window(4_000).summarizer(ExtractiveSummarizer).adapter(ForItems).build()?;
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
//!     assert!(Envelope::find_unverified(&View(&fitted.request)).is_some());
//! }
//! # Ok(()) }
//! ```
//!
//! # A client, step by step
//!
//! `async-openai` and `genai` have adapters here, each behind a feature: see [`clients`]. For any
//! other client:
//!
//! 1. **One value is the request.** Where a client takes several arguments (a model, a chat,
//!    options), a struct of yours holds them, and the service takes it apart again. A client that
//!    mutates a session of its own has none; it keeps its history outside, for [`Fitter::fit`].
//! 2. **The view borrows.** Counting reads each text once; what is written anew for it, as JSON say,
//!    costs many times that. Only what is no text in the type (schemas, arguments of calls) is
//!    written, and shown from there.
//! 3. **One function shows the pieces**, each with the place where it stands. Reading and clipping
//!    both go by it, so that they can't number them differently.
//! 4. **Media show what they are**, never their base64: [`Media::base64`] and [`Media::data_url`]
//!    read their size. Parts of a kind that is made up later: [`Piece::each_unknown`].
//! 5. **Nothing is built anew**: `apply` replaces the messages, and touches no other field. A request
//!    copied field by field loses those that its author didn't think of.
//! 6. **A history that is on the server** can't be cut: answer
//!    [`RequestAdapter::hints`] with `Hints::default().switch(Switch::HistoryElsewhere)`.
//! 7. A [`UsageReader`] for its responses, and a [`TextOverflow`] that reads the status of its
//!    errors: `TextOverflow::new().status(|error: &Failed| Some(error.status))`, and behind it
//!    `.or(UsageOverflow::new(reader))`.
//!
//! Step 3, for messages of several blocks:
//!
//! ```
//! # mod wire {
//! #     #[derive(Clone, Debug, PartialEq)]
//! #     pub enum Block { Text(String), Image { base64: String }, Result { id: String, content: String } }
//! # }
//! use contextfit::plan::Clip;
//! use contextfit::request::{ApplyError, Media, MediaKind, Piece};
//! use wire::Block; // another crate
//!
//! /// Shows each piece with the number of its block, if the text of that can be replaced.
//! fn pieces(blocks: &[Block], mut visit: impl FnMut(Option<usize>, Piece<'_>)) {
//!     for (number, block) in blocks.iter().enumerate() {
//!         match block {
//!             Block::Text(text) => visit(Some(number), Piece::Text(text.as_str().into())),
//!             Block::Image { base64 } => {
//!                 let image = Media::new(MediaKind::Image).base64(base64);
//!                 visit(None, Piece::Media(image));
//!             }
//!             Block::Result { id, content } => visit(Some(number), Piece::ToolResult {
//!                 call_id: id.as_str().into(),
//!                 name: "".into(),
//!                 content: content.as_str().into(),
//!             }),
//!         }
//!     }
//! }
//!
//! /// What `Plan::rewrite` calls for a message that is clipped.
//! fn clipped(blocks: &[Block], clips: &[Clip]) -> Result<Vec<Block>, ApplyError> {
//!     let mut places = Vec::new();
//!     pieces(blocks, |place, _| places.push(place));
//!     let mut blocks = blocks.to_vec();
//!     for clip in clips {
//!         let place = places.get(clip.piece).copied().flatten();
//!         match place.and_then(|place| blocks.get_mut(place)) {
//!             Some(Block::Text(text) | Block::Result { content: text, .. }) => {
//!                 text.clone_from(&clip.text);
//!             }
//!             _ => {
//!                 let (message, piece) = (clip.message, clip.piece);
//!                 return Err(ApplyError::NoSuchPiece { message, piece });
//!             }
//!         }
//!     }
//!     Ok(blocks)
//! }
//!
//! let blocks = [Block::Image { base64: "AAAA".into() }, Block::Text("long".into())];
//! let clip = |piece| Clip { message: 0, piece, text: "l".into(), omitted_chars: 3 };
//! assert_eq!(clipped(&blocks, &[clip(1)])?, [blocks[0].clone(), Block::Text("l".into())]);
//! assert!(clipped(&blocks, &[clip(0)]).is_err());
//! # Ok::<(), ApplyError>(())
//! ```
//!
//! # Beside that
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
//! [`Piece::Schema`]: crate::request::Piece::Schema
//! [`RequestAdapter::hints`]: crate::request::RequestAdapter::hints
//! [`Piece::Speaker`]: crate::request::Piece::Speaker
//! [`MessageRef::pinned`]: crate::request::MessageRef::pinned
//! [`Plan::rewrite`]: crate::plan::Plan::rewrite
//! [`Plan::lowered_output`]: crate::plan::Plan::lowered_output
//! [`Hints`]: crate::request::Hints
//! [`clients`]: crate::clients
//! [`Fitter::fit`]: crate::Fitter::fit
//! [`Media::base64`]: crate::request::Media::base64
//! [`Media::data_url`]: crate::request::Media::data_url
//! [`Piece::each_unknown`]: crate::request::Piece::each_unknown
//! [`Switch::HistoryElsewhere`]: crate::request::Switch::HistoryElsewhere
//! [`UsageReader`]: crate::UsageReader
//! [`TextOverflow`]: crate::TextOverflow
