//! Several models in one fitter.
//!
//! The model that a request names decides its window and its estimator. So a session may move to
//! another model at any time, and is fitted for that one.
//!
//! # A table
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use contextfit::budget::Window;
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::estimate::CharEstimator;
//! use contextfit::{FitError, Fitter, ModelSpec, ModelTable};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let three_characters = CharEstimator::new(NonZeroU32::new(3).expect("not zero"));
//! let models = ModelTable::new()
//!     .model("large", ModelSpec::new(128_000))
//!     // Its tokens are shorter: it has an estimator of its own.
//!     .model("small", ModelSpec::new(8_000).estimator(three_characters))
//!     // Input and output share 400 000 tokens, and the input may have 272 000 of them.
//!     .model("split", ModelSpec::new(Window::new(400_000).input_limit(272_000)));
//! let fitter = Fitter::builder().models(models).build()?;
//!
//! let session = vec![ChatMessage::user("A chapter of a long book. ".repeat(20)); 100];
//! let ask = |model: &str| fitter.fit(ChatRequest::new(model, session.clone()));
//!
//! // The session fits the large model …
//! assert!(ask("large").await?.report.is_none());
//! // … and is cut when it moves to the small one.
//! let report = ask("small").await?.report.expect("it is too long");
//! assert!(report.fits() && report.limit == 6_000);
//! // The caller's history is whole, so the large one sees all of it again.
//! assert!(ask("large").await?.report.is_none());
//!
//! // A model that nobody told of is an error. There is no guess, and no call.
//! let failure = ask("lagre").await.expect_err("a typo");
//! assert!(matches!(failure.error, FitError::UnknownModel(_)));
//! # Ok(()) }
//! ```
//!
//! [`ModelTable::otherwise`] says what holds for all models that aren't in the table, and
//! [`FitterBuilder::window`] is a table with nothing else in it. Where [`max_context_tokens`] is set,
//! it stands for the window of a model that isn't known, unless [`unknown_window`] says otherwise:
//! to refuse its requests all the same, or to leave them alone, which an observer hears of.
//!
//! The windows of a table are checked against the settings when the fitter is built: a reserve that
//! one of them can't hold is an error then.
//!
//! # The models of the large providers
//!
//! A [`Catalogue`] knows them by their names, in whatever spelling a cloud or a router has for them:
//! the input limit and the window apart, the most they write, an estimator for their tokenizer, and
//! prices. What it knows is of a day. Your own entries go before it, and fill in from it what they
//! leave open:
//!
//! ```
//! use contextfit::budget::Window;
//! use contextfit::{Catalogue, Fitter, ModelSpec, Models};
//!
//! let models = Catalogue::builtin()
//!     // A host that gives it half of its window.
//!     .model("acme/llama-3.3-70b-instruct", ModelSpec::new(64_000));
//! let window = |model| models.resolve(Some(model)).map(|spec| spec.window);
//!
//! let gpt_5 = Window::new(400_000).input_limit(272_000).output_limit(128_000);
//! assert_eq!(window("gpt-5")?, gpt_5);
//! assert_eq!(window("azure/gpt-5-2025-08-07")?, gpt_5);
//! let sonnet = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
//! assert_eq!(window(sonnet)?.total, 200_000);
//! assert_eq!(window("acme/llama-3.3-70b-instruct")?.total, 64_000);
//!
//! // A name that it doesn't have is an error, also if it has one like it.
//! assert!(window("gpt-5-some-new-thing").is_err());
//! // Unless you say what that is.
//! let fitter = Fitter::builder().models(models.otherwise_like("gpt-5-mini")?).build()?;
//! # Ok::<(), contextfit::BoxError>(())
//! ```
//!
//! [`catalogue`] says how a name is read, and which hosts have windows of their own: of these, and of
//! what you host yourself, tell the window. Its models bring their own estimators, so the fitter's
//! counts for none of them; [`Catalogue::estimator_with`] chooses others. An entry of yours with an
//! estimator of its own counts in the format of that, which is a plain one unless you set the one of
//! the catalogue: `.with_format(entry.format())`.
//!
//! [`Prices::cost`] says what a call came to, in micro-dollars, of what the provider counted. No
//! decision depends on it.
//!
//! ```
//! use contextfit::{Catalogue, Usage};
//!
//! let entry = Catalogue::entry("openai/gpt-4o").expect("a model that it knows");
//! let prices = entry.prices.expect("it is sold by the token");
//! // 10 000 tokens of input, of which 8 000 were in the cache, and 500 of output.
//! let micro_dollars = prices.cost(&Usage::new(10_000, 500).cached(8_000));
//! assert_eq!(micro_dollars, 20_000);
//! ```
//!
//! # What is learned
//!
//! A provider may take less than the window you know of. What its errors say of that is learned,
//! model by model, as long as the fitter lives; see [`recovery`](super::recovery).
//!
//! # A rule instead of a table
//!
//! [`Models`] is a trait. Names with dates and prefixes can be resolved by a rule:
//!
//! ```
//! use contextfit::{Fitter, ModelSpec, Models, UnknownModel};
//!
//! /// Goes by the family, whatever follows in the name.
//! struct Families;
//!
//! impl Models for Families {
//!     fn resolve(&self, model: Option<&str>) -> Result<ModelSpec, UnknownModel> {
//!         match model {
//!             Some(name) if name.starts_with("sonata-") => Ok(ModelSpec::new(200_000)),
//!             Some(name) if name.starts_with("etude-") => Ok(ModelSpec::new(32_000)),
//!             _ => Err(UnknownModel::new(model)),
//!         }
//!     }
//! }
//!
//! assert_eq!(Families.resolve(Some("etude-2025-11"))?.window.total, 32_000);
//! let fitter = Fitter::builder().models(Families).build()?;
//! # Ok::<(), contextfit::BoxError>(())
//! ```
//!
//! It is asked for every request, so it must be quick. Tell what you know beforehand with
//! [`Models::known`], so that it can be checked when the fitter is built.
//!
//! # The summarizer's model
//!
//! A summary is written by the summarizer's model, whatever model the request names. Say what that
//! one can hold, output included. What is longer it reads in chunks, in so many calls at most
//! ([`summary_calls`]). If these aren't enough, it is told how many of the oldest messages are missing;
//! they count as left out, and the envelope says so to the model.
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{Fitter, chat_summarizer};
//! use contextfit_testing::provider::SimulatedProvider;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! // It refuses what is over its window.
//! let mini = SimulatedProvider::new(4_000);
//! let summarizer = chat_summarizer(mini.clone(), "mini").window(4_000).max_output_tokens(1_000);
//! let fitter = Fitter::builder().window(8_000).summarizer(summarizer).summary_calls(4).build()?;
//!
//! // 13 000 tokens are too many, most of them to be summarized by a model that holds 4 000.
//! let session = vec![ChatMessage::user("A chapter of a long book. ".repeat(20)); 100];
//! let fitted = fitter.fit(ChatRequest::new("a-model", session)).await?;
//! let report = fitted.report.expect("it is too long");
//! assert_eq!(mini.totals().answered, 4);
//! assert!(report.fits() && report.summarized > 10 && report.omitted > report.summarized);
//! // That wasn't enough for all of them, so it says so.
//! assert!(report.degraded);
//! # Ok(()) }
//! ```
//!
//! The tokens are counted by the estimator of the request's model, unless the summarizer has an
//! `estimator` of its own, and a tenth of the room is kept free. A summarizer may
//! also have a stack of its own with a fitter of its own, which clips what it is to read
//! ([`clip_user_messages`]) or recovers from its overflows.
//!
//! # What isn't per model
//!
//! Policy, pins and all other settings belong to the fitter. Models that need others get a fitter
//! and a layer of their own, and something in front that chooses, such as Tower's `steer`.
//!
//! The example `per_model` of the repository puts all of this together:
//! `cargo run -p contextfit-examples --example per_model`.
//!
//! [`Catalogue`]: crate::Catalogue
//! [`Catalogue::estimator_with`]: crate::Catalogue::estimator_with
//! [`catalogue`]: crate::catalogue
//! [`Prices::cost`]: crate::Prices::cost
//! [`ModelTable::otherwise`]: crate::ModelTable::otherwise
//! [`FitterBuilder::window`]: crate::FitterBuilder::window
//! [`max_context_tokens`]: crate::FitterBuilder::max_context_tokens
//! [`unknown_window`]: crate::FitterBuilder::unknown_window
//! [`Models`]: crate::Models
//! [`Models::known`]: crate::Models::known
//! [`summary_calls`]: crate::FitterBuilder::summary_calls
//! [`clip_user_messages`]: crate::FitterBuilder::clip_user_messages
