//! Counting tokens: which estimator to take, and how to write one.
//!
//! An estimator that is too low finds out from an overflow; one that is too high compacts too early.
//!
//! | estimator | how far off | what it costs |
//! |---|---|---|
//! | [`CharEstimator`], the default | four characters to a token: right for English within a fifth, half of the truth for Chinese, logs or base64 | next to nothing |
//! | [`WeightedEstimator`], for each [`Family`] of tokenizers | 5 % on average | about 26 times that, and a fortieth of what a tokenizer takes |
//! | a tokenizer, such as `TiktokenEstimator` | nothing, for the models whose tokenizer is public | a [`Memo`], so that each text is counted once |
//!
//! For a tokenizer that nobody knows there is [`Family::Widest`], which isn't below any of the others
//! within its [headroom](crate::estimate::Family::headroom_95).
//!
//! The model of a request decides, and the [`Catalogue`] knows the family of each, with its window
//! and the format of its provider:
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{Calibrator, Catalogue, Fitter, Usage};
//!
//! let fitter = Fitter::builder()
//!     .models(Catalogue::builtin())
//!     .calibrator(Calibrator::default())
//!     .build()?;
//! let mut chat = ChatRequest::new("gpt-4o", [ChatMessage::user("它使用哪个端口？")]);
//! let estimated = fitter.measure(&chat)?.prompt();
//! assert!((10..20).contains(&estimated), "{estimated}");
//! # // The layers do this with each response.
//! # fitter.learn(&chat, &Usage::new(1_213, 5))?;
//! # chat.messages.push(ChatMessage::assistant("8080"));
//! # let known = fitter.measure(&chat)?;
//! # assert!((1_214..1_230).contains(&known.prompt()) && known.hidden > 1_000);
//! # Ok::<(), contextfit::BoxError>(())
//! ```
//!
//! # What providers count
//!
//! A [`Calibrator`] makes estimates come true. A provider says what each prompt cost; the next
//! request of the conversation starts with the same messages, so that their count is known, hidden
//! tokens included, and only what came after is estimated. On recorded sessions of a coding agent
//! four characters to a token were 28 % off, and with the calibrator 0.2 %. What differs between two
//! counts also teaches how many of the provider's tokens an estimated one is worth.
//!
//! The layers feed it. They need to know how to read a response: a classifier with
//! [`UsageOverflow`] does, or [`ContextFitLayer::usage`]. In a stack without layers, it is
//! [`Fitter::learn`].
//!
//! ```
//! use contextfit::{
//!     Calibrator, ChatUsageReader, ContextFitLayer, Fitter, OverflowClassifier, TextOverflow,
//!     UsageOverflow,
//! };
//! # use contextfit::chat::ChatResponse;
//! # fn is_classifier<C: OverflowClassifier<ChatResponse, std::io::Error>>(_: &C) {}
//!
//! let fitter = Fitter::builder().window(128_000).calibrator(Calibrator::default()).build()?;
//! let classifier = TextOverflow::new().or(UsageOverflow::new(ChatUsageReader));
//! # is_classifier(&classifier);
//! let layer = ContextFitLayer::new(fitter).overflow_retry(classifier);
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! # Writing one
//!
//! An [`Estimator`] is asked for each [`Piece`] of every request, on the task of the caller:
//!
//! - It is quick and doesn't block. One that costs, such as a tokenizer, remembers what it counted.
//! - It is a pure function. The same piece costs the same, today and in the next request.
//! - Empty text costs nothing, and more text never costs less.
//! - It counts all the text of a piece ([`for_each_text`]): the name and the arguments of a call,
//!   the content of a result, the name of a speaker. [`Media`] have none. They cost by their kind
//!   and size, never by the length of their encoding.
//! - A text may still be escaped, as it stands in JSON. [`decode`] resolves that, and
//!   [`char_count`] counts without a copy.
//! - It answers in fractions of a token ([`TokenCount`]). A message is rounded once, when all of it
//!   is counted.
//!
//! # A small one
//!
//! ```
//! use contextfit::estimate::{CharEstimator, Estimator, TokenCount};
//! use contextfit::request::{Piece, Role, Str};
//! use contextfit::{Fitter, ModelSpec, ModelTable};
//!
//! /// Four ASCII characters to a token. Any other character is one.
//! #[derive(Clone, Copy, Debug)]
//! struct ByScript;
//!
//! impl Estimator for ByScript {
//!     fn count(&self, piece: Piece<'_>) -> TokenCount {
//!         if let Piece::Media(_) = piece {
//!             return TokenCount::tokens(1_200);
//!         }
//!         let mut quarters = 0;
//!         piece.for_each_text(|text| {
//!             let cost = |character: char| if character.is_ascii() { 1 } else { 4 };
//!             quarters += text.decode().chars().map(cost).sum::<u64>();
//!         });
//!         TokenCount::ratio(quarters, 4)
//!     }
//!
//!     // What the framing of a message costs, beside its pieces.
//!     fn message_overhead(&self, _: Role) -> TokenCount {
//!         TokenCount::tokens(4)
//!     }
//! }
//!
//! let question = Piece::Text(Str::plain("它使用哪个端口？"));
//! assert_eq!(CharEstimator::default().count(question).ceil(), 2);
//! assert_eq!(ByScript.count(question).ceil(), 8);
//!
//! // For all models …
//! let fitter = Fitter::builder().window(128_000).estimator(ByScript).build()?;
//! // … or for one.
//! let models = ModelTable::new().model("a-model", ModelSpec::new(128_000).estimator(ByScript));
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! [`estimator_fn`] makes one of a closure. Its messages have no overhead.
//!
//! # An exact one
//!
//! With the feature `tiktoken` there is `TiktokenEstimator`, which counts with OpenAI's tokenizers;
//! with `huggingface` there is `HuggingFaceEstimator`, for any `tokenizer.json`. No text makes them
//! panic, and each loads its vocabulary once. They take forty times as long as weighing,
//! so put a [`Memo`] around them, which counts each text once:
//!
//! ```
//! # use contextfit_tokenizers::{Encoding, TiktokenEstimator};
//! # use std::sync::Arc;
//! use contextfit::{Catalogue, Fitter, Memo};
//!
//! // use contextfit::{Encoding, TiktokenEstimator};
//! TiktokenEstimator::new(Encoding::O200kBase).warm_up(); // before requests come in
//!
//! // Each model of the catalogue by its tokenizer, or else by its weights.
//! let models = Catalogue::builtin().estimator_with(|entry| {
//!     match Encoding::of_family(entry.family) {
//!         Some(encoding) => {
//!             let exact = TiktokenEstimator::new(encoding).with_format(entry.format());
//!             Arc::new(Memo::new(exact))
//!         }
//!         None => entry.estimator(),
//!     }
//! });
//! let fitter = Fitter::builder().models(models).build()?;
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! # In the format of a provider
//!
//! Text is not all that fills a window. Each message is framed, tools are written in a form of the
//! provider's own and bring a prompt of its, an image costs by its size. A [`PromptFormat`] knows
//! that of the provider; it is data, with the source of each number in its documentation, and what
//! no provider publishes is an estimate that says how it errs. An estimator of text holds one:
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::estimate::{Estimator, ImageTokens, PromptFormat, TokenCount, measure};
//! use contextfit::request::{Media, MediaKind, Piece, Role};
//!
//! /// Three bytes to a token, in the format of a provider.
//! struct ThreeBytes(PromptFormat);
//!
//! impl Estimator for ThreeBytes {
//!     fn count(&self, piece: Piece<'_>) -> TokenCount {
//!         self.0.count(piece, |text| TokenCount::ratio(text.decode().len() as u64, 3))
//!     }
//!
//!     fn message_overhead(&self, role: Role) -> TokenCount {
//!         self.0.message(role)
//!     }
//!
//!     // Once a request: what opens the reply, and what comes with the first of the tools.
//!     fn request_overhead(&self, schemas: usize) -> TokenCount {
//!         self.0.request(schemas)
//!     }
//! }
//!
//! let request = ChatRequest::new("gpt-4o", [ChatMessage::user("Which port?")]);
//! assert_eq!(measure(&request, &ThreeBytes(PromptFormat::OPENAI)).prompt(), 3 + 4 + 11 / 3);
//!
//! let screenshot = Piece::Media(Media::new(MediaKind::Image).size(1920, 1080));
//! let tokens = |format| ThreeBytes(format).count(screenshot).floor();
//! assert_eq!(tokens(PromptFormat::OPENAI), 1_105);
//! assert_eq!(tokens(PromptFormat::ANTHROPIC), 1_560);
//! // Where the models of a provider differ, it is most often in their images.
//! let mini = PromptFormat::OPENAI.with_image(ImageTokens::GPT_4O_MINI);
//! assert_eq!(tokens(mini), 36_835);
//! ```
//!
//! A [`ChatRequest`] tells the pixels of an image that is sent along (PNG, JPEG, GIF, WebP), the
//! length of a WAV, the bytes of a file. An adapter of yours tells what it knows with the methods
//! of [`Media`]; whatever isn't known has a default in each format.
//!
//! # Its test
//!
//! What is asked of it above are laws. `contextfit-testing` checks them, and has texts in several
//! scripts to try them on, and hostile ones. How far off it is, an exact count tells; take text of
//! the kind that your users write.
//!
//! ```
//! # use contextfit::estimate::{Estimator, TokenCount};
//! # use contextfit::request::{Piece, Role, Str};
//! # struct ByScript;
//! # impl Estimator for ByScript {
//! #     fn count(&self, piece: Piece<'_>) -> TokenCount {
//! #         let mut quarters = 0;
//! #         piece.for_each_text(|text| {
//! #             let cost = |character: char| if character.is_ascii() { 1 } else { 4 };
//! #             quarters += text.decode().chars().map(cost).sum::<u64>();
//! #         });
//! #         TokenCount::ratio(quarters, 4)
//! #     }
//! #     fn message_overhead(&self, _: Role) -> TokenCount {
//! #         TokenCount::tokens(4)
//! #     }
//! # }
//! use contextfit_testing::laws::check_estimator;
//! use contextfit_testing::provider::ExactCounter;
//! use contextfit_testing::strategies::{hostile_texts, texts};
//! use proptest::prelude::*;
//!
//! // It counts characters one by one. One that joins them loses some tokens at a seam.
//! let slack = TokenCount::ZERO;
//! proptest!(|(text in texts(), more in prop_oneof![texts(), hostile_texts()])| {
//!     check_estimator(&ByScript, &text, &more, slack).map_err(TestCaseError::fail)?;
//! });
//!
//! let count = |text: &str| ByScript.count(Piece::Text(Str::plain(text)));
//! let exact = ExactCounter::new();
//! for text in ["Which port does it use?", "它使用哪个端口？", "Какой порт он использует?"] {
//!     let (estimate, tokens) = (count(text).ceil(), exact.count_text(text));
//!     assert!(estimate >= tokens, "{text}: {estimate}, and it has {tokens}");
//! }
//! ```
//!
//! # What is made of it
//!
//! [`Fitter::measure`] counts a request as a fit does, each text once. Its [`Measured`] has the sums,
//! and the [`MessageTokens`] of each message: what it costs, and what of that may be clipped. From
//! there on all is arithmetic: [`Table::of`] makes the table that a policy sees, without counting
//! again.
//!
//! ```
//! use contextfit::Fitter;
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::table::{Pins, Table};
//!
//! let mut ann = ChatMessage::user("Which port does it use?");
//! ann.name = Some("Ann".into()); // a piece of its own, and counted
//! let call = ChatMessage::assistant("").call("c", "read", r#"{"path":"a.toml"}"#);
//! let result = ChatMessage::tool("c", "port = 8080\n".repeat(100));
//! let messages = [ChatMessage::system("You mend builds."), ann, call, result];
//! let request = ChatRequest::new("a-model", messages);
//!
//! let measured = Fitter::builder().window(128_000).build()?.measure(&request)?;
//! assert_eq!(measured.prompt(), measured.fixed + measured.messages);
//! // Beside the messages stand no schemas: the system message is all that is fixed.
//! assert_eq!((measured.beside, measured.fixed), (0, measured.each[0].all));
//! let [_, ann, call, result] = measured.each[..] else { panic!("four messages") };
//! assert_eq!((ann.all, ann.clearable, call.clippable), (10, 0, 0));
//! assert!(result.clearable > 250 && result.all - result.clearable < 50);
//!
//! let table = Table::of(&request, &measured, Pins::NONE, None);
//! assert_eq!(table.tokens(), measured.messages);
//! # Ok::<(), contextfit::BoxError>(())
//! ```
//!
//! [`CharEstimator`]: crate::estimate::CharEstimator
//! [`WeightedEstimator`]: crate::estimate::WeightedEstimator
//! [`Family`]: crate::estimate::Family
//! [`Catalogue`]: crate::Catalogue
//! [`Calibrator`]: crate::Calibrator
//! [`UsageOverflow`]: crate::UsageOverflow
//! [`ContextFitLayer::usage`]: crate::ContextFitLayer::usage
//! [`Fitter::learn`]: crate::Fitter::learn
//! [`Family::Widest`]: crate::estimate::Family::Widest
//! [`Estimator`]: crate::estimate::Estimator
//! [`Piece`]: crate::request::Piece
//! [`PromptFormat`]: crate::estimate::PromptFormat
//! [`ChatRequest`]: crate::chat::ChatRequest
//! [`for_each_text`]: crate::request::Piece::for_each_text
//! [`Media`]: crate::request::Media
//! [`decode`]: crate::request::Str::decode
//! [`char_count`]: crate::request::Str::char_count
//! [`TokenCount`]: crate::estimate::TokenCount
//! [`estimator_fn`]: crate::estimate::estimator_fn
//! [`Fitter::measure`]: crate::Fitter::measure
//! [`Measured`]: crate::estimate::Measured
//! [`Memo`]: crate::Memo
//! [`MessageTokens`]: crate::estimate::MessageTokens
//! [`Table::of`]: crate::table::Table::of
