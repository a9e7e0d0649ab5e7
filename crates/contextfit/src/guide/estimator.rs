//! Writing an estimator: what counts tokens.
//!
//! The default, [`CharEstimator`], takes four characters for a token. That is about right for
//! English, and far too low for Chinese, logs or base64. An estimator that is too low finds out
//! from an overflow; one that is too high compacts too early.
//!
//! [`WeightedEstimator`] is nearly as fast and nearly right: it knows what eight [families] of
//! tokenizers make of text of many kinds, with an error of 5 % on average. For a tokenizer that
//! nobody knows there is [`Family::Widest`], which isn't below any of them within its
//! [headroom](crate::estimate::Family::headroom_95).
//!
//! An [`Estimator`] is asked for each [`Piece`] of every request, on the task of the caller:
//!
//! - It is quick and doesn't block. One that costs, such as a tokenizer, remembers what it counted.
//! - It is a pure function. The same piece costs the same, today and in the next request.
//! - Empty text costs nothing, and more text never costs less.
//! - It counts all the text of a piece ([`for_each_text`]): the name and the arguments of a call,
//!   the content of a result, the name of a speaker. [`Media`] have none. They cost by their kind,
//!   never by the length of their encoding.
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
//! # Its test
//!
//! What is asked of it above is three properties, and `contextfit-testing` has texts in several
//! scripts to try them on. How far off it is, an exact count tells; take text of the kind that your
//! users write.
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
//! use contextfit_testing::provider::ExactCounter;
//! use contextfit_testing::strategies::texts;
//! use proptest::prelude::*;
//!
//! let count = |text: &str| ByScript.count(Piece::Text(Str::plain(text)));
//!
//! proptest!(|(text in texts(), more in texts())| {
//!     prop_assert_eq!(count(&text), count(&text));
//!     let longer = format!("{text}{more}");
//!     prop_assert!(count(&longer) >= count(&text));
//! });
//! assert_eq!(count(""), TokenCount::ZERO);
//!
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
//! [families]: crate::estimate::Family
//! [`Family::Widest`]: crate::estimate::Family::Widest
//! [`Estimator`]: crate::estimate::Estimator
//! [`Piece`]: crate::request::Piece
//! [`for_each_text`]: crate::request::Piece::for_each_text
//! [`Media`]: crate::request::Media
//! [`decode`]: crate::request::Str::decode
//! [`char_count`]: crate::request::Str::char_count
//! [`TokenCount`]: crate::estimate::TokenCount
//! [`estimator_fn`]: crate::estimate::estimator_fn
//! [`Fitter::measure`]: crate::Fitter::measure
//! [`Measured`]: crate::estimate::Measured
//! [`MessageTokens`]: crate::estimate::MessageTokens
//! [`Table::of`]: crate::table::Table::of
