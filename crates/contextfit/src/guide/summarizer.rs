//! Writing a summarizer: what writes the text that stands for the messages that go.
//!
//! A [`Summarizer`] gets a [`SummaryJob`] and gives back a [`Summary`]. The job holds:
//!
//! - `kind`: [`History`] is the conversation so far. [`TurnStart`] is the beginning of a turn whose
//!   end is kept; it comes as a second job, where [`SplitTurn::Apart`] is set.
//! - `transcript`: the `messages` to summarize as quoted text, with a label for each part;
//!   `conversation` has them part by part, for a summarizer that is no model.
//! - `previous`: the summary that stood for what came before, to be updated and not lost.
//! - `max_tokens`: the most that the summary may have, and [`count`] and [`head`] to keep to it.
//! - `max_output_tokens`: the most that the model may put out, thoughts included.
//! - [`system`] and [`prompt`]: all of this as two messages for a model, with what to do at the end.
//!
//! The bound is max(1 024, ⅘ of the output of its model) unless set with [`summary_bound`], and never
//! more than a quarter of the limit. Where that leaves no room to say anything, nobody is asked.
//!
//! # With a model
//!
//! For a service that speaks [`ChatRequest`] there is [`chat_summarizer`]. For any other:
//!
//! ```
//! use contextfit::{Fitter, Summary, SummaryJob, summarizer_service};
//! use tower::{ServiceBuilder, service_fn};
//!
//! /// What your client takes and gives.
//! struct Ask { system: String, prompt: String, max_tokens: u64 }
//! struct Answer { text: String, ended_by_length: bool }
//!
//! let model = service_fn(|ask: Ask| async move {
//!     // … whatever your client does.
//!     let text = format!("{} characters were said.", ask.prompt.len());
//!     Ok::<_, std::io::Error>(Answer { text, ended_by_length: false })
//! });
//! let summarizer = summarizer_service(
//!     ServiceBuilder::new().concurrency_limit(4).service(model),
//!     |job: &SummaryJob| Ask {
//!         system: job.system().to_owned(),
//!         prompt: job.prompt(),
//!         max_tokens: job.max_output_tokens,
//!     },
//!     |answer: Answer| {
//!         Ok::<_, std::io::Error>(Summary::new(answer.text).cut_off(answer.ended_by_length))
//!     },
//! );
//! let summarizer = summarizer.window(32_000).max_output_tokens(4_096);
//! let fitter = Fitter::builder().window(128_000).summarizer(summarizer).build()?;
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! Offer the model no tools, and say when its output was full ([`cut_off`]) or when it called one
//! ([`calls_tool`]): half a summary is worse than none.
//!
//! A model that answers in a stream is one by `summarizer_stream_fn` and
//! `summarizer_stream_service`, with the feature `stream`. Whatever it puts out then keeps it from
//! being taken for stalled, thoughts too.
//!
//! # Its own window
//!
//! `window` is that of the summarizer's own model, output included, and `estimator` counts for it.
//! What is longer is read in chunks, from the oldest message to the newest. Each is a job of its own,
//! whose `previous` is what was written of those before, so that every message enters the summary.
//! There are at most 8 such calls, or as many as [`summary_calls`] says. If that isn't enough, the
//! oldest messages are left out: the transcript says how many (`omitted`), so does the report, and it
//! is [`degraded`]. Without a window all is read at once.
//!
//! # Over HTTP
//!
//! With the feature `http`, which is on unless turned off, a client of HTTP is enough, in any of the
//! formats that [`native`](super::native) has:
//!
//! ```
//! use bytes::Bytes;
//! use contextfit::Fitter;
//! use contextfit::http::{ModelEndpoint, http_summarizer};
//! use contextfit::wire::WireFormat;
//! use http::header::{HeaderName, HeaderValue};
//! use http_body_util::Full;
//! use tower::service_fn;
//!
//! # fn main() -> Result<(), contextfit::BoxError> {
//! # let key = "a key";
//! // Stands for a client.
//! let client = service_fn(|request: http::Request<Bytes>| async move {
//!     Ok::<_, std::io::Error>(http::Response::new(Full::new(request.into_body())))
//! });
//! let haiku = ModelEndpoint::new(
//!     WireFormat::AnthropicMessages,
//!     "https://api.anthropic.com/v1/messages".parse()?,
//! )
//! .model("claude-haiku-4-5")
//! .header(HeaderName::from_static("x-api-key"), HeaderValue::try_from(key)?)
//! .header(HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
//! let summarizer = http_summarizer(client, haiku).window(200_000).max_output_tokens(8_192);
//! let fitter = Fitter::builder().window(128_000).summarizer(summarizer).build()?;
//! # Ok(()) }
//! ```
//!
//! It offers no tools, quotes the conversation in one message, and takes no answer for a summary that
//! calls a tool or says that it was cut off. What else the model is told, `ModelEndpoint::json` says:
//! that it needn't think, say, or how much Ollama's server holds.
//!
//! `ModelEndpoint::streamed` has the model stream its answer. With a stall time-out that is what to
//! do: it then says how long the model may put nothing out, and a model that thinks for long is left
//! to it. A plain answer has to be there within that time.
//!
//! ```
//! # use bytes::Bytes;
//! # use http_body_util::Full;
//! # use tower::service_fn;
//! use std::time::Duration;
//!
//! use contextfit::http::{ModelEndpoint, http_summarizer};
//! use contextfit::wire::WireFormat;
//! use contextfit::{Archive, ExtractiveSummarizer, SummarizerExt};
//!
//! # fn main() -> Result<(), contextfit::BoxError> {
//! # let client = service_fn(|request: http::Request<Bytes>| async move {
//! #     Ok::<_, std::io::Error>(http::Response::new(Full::new(request.into_body())))
//! # });
//! let local = "http://localhost:11434/api/chat".parse()?;
//! let local = ModelEndpoint::new(WireFormat::OllamaChat, local).model("qwen3:8b").streamed()?;
//! let summarizer = http_summarizer(client, local)
//!     .window(32_000)
//!     .stall_timeout(Duration::from_secs(60))
//!     .attempts(2)
//!     .or_else(ExtractiveSummarizer)
//!     .or_else(Archive);
//! # contextfit::Fitter::builder().window(128_000).summarizer(summarizer).build()?;
//! # Ok(()) }
//! ```
//!
//! # More than one call
//!
//! A summarizer is one call of one model. What else is to be tried is put around it, by
//! [`SummarizerExt`]:
//!
//! ```
//! use std::time::Duration;
//!
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{Archive, BoxError, Fitter, SummarizerExt, TokioTimer, summarizer_fn};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), BoxError> {
//! // A small model that hangs, and a large one that is down.
//! let small = summarizer_fn(|_| async {
//!     std::future::pending::<()>().await;
//!     Ok::<_, BoxError>("never")
//! });
//! let large = summarizer_fn(|_| async { Err::<String, BoxError>("status 503".into()) });
//!
//! let summarizer = small
//!     .window(8_000)
//!     .stall_timeout_with(Duration::from_secs(60), TokioTimer)
//!     .attempts(2)
//!     .or_else(large.window(200_000))
//!     .or_else(Archive);
//! let fitter = Fitter::builder().window(4_000).summarizer(summarizer).build()?;
//!
//! let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(400)); 60]);
//! let report = fitter.fit(long).await?.report.expect("it is too long");
//! assert!(report.fits() && report.degraded && report.archived > 0);
//! // Two that stalled, one that failed, and the record.
//! assert_eq!(report.summarizer_calls, 4);
//! # Ok(()) }
//! ```
//!
//! - [`attempts`] asks again where a call failed, stalled, or gave nothing whole.
//! - [`stall_timeout`] gives a call up whose model puts nothing out for so long. There is no time that
//!   all may take, so a long summary that is streamed isn't cut off; one that isn't streamed, such as
//!   that of [`chat_summarizer`], has so long for its whole answer. Its clock is Tokio's, with the feature `tokio`,
//!   which is on unless turned off; `stall_timeout_with` takes a [`Timer`] of yours.
//! - [`or_else`] asks another one where the first has no usable summary. Each reads the whole
//!   conversation, as its own window asks for. [`Archive`] needs no model and ends a chain: it puts a
//!   bounded raw record of the newest lines in place of a summary. Without it, what is set for a
//!   [failed summary](#when-there-is-none) is done.
//!
//! Every call counts in the report, with what it cost, and the observer hears of each that came to
//! nothing. A chain begins with its first each time: what one in it was refused isn't remembered where
//! another made up for it. So where a model is down, each compaction waits for it again, as often and
//! as long as you allow; a breaker belongs into the service of that model.
//!
//! # What it is told
//!
//! [`Prompts`] are templates, and each can be replaced: `{max_words}` and `{max_tokens}` are filled in,
//! but in the system prompt, and nothing else is. [`instructions`] add a wish of yours to all of
//! them, and [`Hints::instructions`] that of a single request; both stand in the prompt as quoted
//! words of the caller. [`item_caps`] says how much of a long message is shown, and [`redact`] takes
//! out what no summarizer is to read. It doesn't change instructions, nor the
//! [ledger](super::sessions#what-was-done).
//!
//! ```
//! use std::borrow::Cow;
//!
//! use contextfit::chat::ChatRequest;
//! use contextfit::request::{Hints, Native, RequestAdapter};
//! use contextfit::summary::ItemCaps;
//! use contextfit::{Fitter, HeadSummarizer, Prompts};
//!
//! let per_request = |_: &ChatRequest| Hints::default().instructions("Keep what was said of tests.");
//! let fitter = Fitter::builder()
//!     .window(128_000)
//!     .summarizer(HeadSummarizer)
//!     .prompts(Prompts::default().shorten("Say it again in {max_words} words."))
//!     .instructions("Name every customer.")
//!     .item_caps(ItemCaps { tool_result: 500, ..ItemCaps::default() })
//!     .redact(|text| match text.contains("sk-1234") {
//!         true => Cow::Owned(text.replace("sk-1234", "[key]")),
//!         false => Cow::Borrowed(text),
//!     })
//!     .adapter(Native.with_hints(per_request))
//!     .build()?;
//! # Ok::<(), contextfit::ConfigError>(())
//! ```
//!
//! # When there is none
//!
//! What comes back isn't trusted. A summary that is blank, [`cut_off`], the call of a tool, over its
//! bound, or, with its envelope, no smaller than what it replaces, is refused; one over its bound is
//! asked for once more first, in fewer tokens. What was refused isn't asked for again until there is
//! more to summarize. An error is no summary, either; that one may pass, so the next fit asks again.
//! Whichever it was, [`FailedSummary`] decides: leave the history as it is (the default), leave the
//! messages out with a notice, put a bounded raw record in their place, or refuse the request.
//! [`SummarizeError::abort`] ends the request with an error of yours, whatever is set, also in a
//! recovery.
//!
//! ```
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{FailedSummary, FitError, Fitter, SummarizeError, Summary, summarizer_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit::BoxError> {
//! let long = ChatRequest::new("a-model", vec![ChatMessage::user("x".repeat(400)); 40]);
//! let archive = || Fitter::builder().window(4_000).failed_summary(FailedSummary::Archive);
//!
//! let blank = summarizer_fn(|_| async { Ok::<_, SummarizeError>(Summary::new(" ")) });
//! let fitter = archive().summarizer(blank).build()?;
//! for calls in [1, 0] {
//!     let report = fitter.fit(long.clone()).await?.report.expect("it is too long");
//!     assert!(report.fits() && report.degraded && report.archived > 0);
//!     assert_eq!(report.summarizer_calls, calls);
//! }
//!
//! let spent = summarizer_fn(|_| async {
//!     Err::<Summary, _>(SummarizeError::abort("the budget of this session is spent"))
//! });
//! let failure = archive().summarizer(spent).build()?.fit(long).await.expect_err("it is ended");
//! assert!(matches!(failure.error, FitError::Summarize(SummarizeError::Abort(_))));
//! assert_eq!(failure.request.messages.len(), 40);
//! # Ok(()) }
//! ```
//!
//! # Without a model
//!
//! [`ExtractiveSummarizer`] needs none, and no network: it keeps what matters most in the words of the
//! conversation, under short headings: what the user wants and demands, what was done, decided and
//! went wrong, what was said last, and as many paths, names and numbers as there is room for, those
//! first that are named most often. It carries its own summaries on, and anybody else's. It is
//! deterministic and has always an answer within its bound; and it understands nothing, so a
//! model's summary says more.
//!
//! Anything that makes a shorter text of a long one will do: a closure, with [`summarizer_fn`], or a
//! type, such as this one for a team whose decisions stand on lines of their own:
//!
//! ```
//! use async_trait::async_trait;
//! use contextfit::chat::{ChatMessage, ChatRequest};
//! use contextfit::{Fitter, SummarizeError, Summarizer, Summary, SummaryJob};
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
//! let words = "We talked for long. ".repeat(12);
//! let talk = |port: u16| ChatMessage::user(format!("{words}\nDecision: port {port}."));
//! let mut request = fitter.fit(ChatRequest::new("a-model", (1..=40).map(talk))).await?.request;
//! request.messages.extend((41..=80).map(talk));
//!
//! let report = fitter.fit(request).await?.report.expect("it is too long again");
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
//!   where a model reads data; [`prompt`] does.
//! - No reservation of the wrapped service is held while it works. It may go through the same inner
//!   limits; see [`limits`](super::limits).
//! - Its future may be dropped at any await. What it must not leave half done, it must not do.
//!
//! [`Summarizer`]: crate::Summarizer
//! [`SummaryJob`]: crate::SummaryJob
//! [`Summary`]: crate::Summary
//! [`History`]: crate::SummaryKind::History
//! [`TurnStart`]: crate::SummaryKind::TurnStart
//! [`SplitTurn::Apart`]: crate::SplitTurn::Apart
//! [`count`]: crate::SummaryJob::count
//! [`head`]: crate::SummaryJob::head
//! [`system`]: crate::SummaryJob::system
//! [`prompt`]: crate::SummaryJob::prompt
//! [`summary_calls`]: crate::FitterBuilder::summary_calls
//! [`degraded`]: crate::FitReport::degraded
//! [`SummarizerExt`]: crate::SummarizerExt
//! [`attempts`]: crate::SummarizerExt::attempts
//! [`stall_timeout`]: crate::SummarizerExt::stall_timeout
//! [`or_else`]: crate::SummarizerExt::or_else
//! [`Timer`]: crate::Timer
//! [`Archive`]: crate::Archive
//! [`Prompts`]: crate::Prompts
//! [`instructions`]: crate::FitterBuilder::instructions
//! [`Hints::instructions`]: crate::request::Hints::instructions
//! [`item_caps`]: crate::FitterBuilder::item_caps
//! [`redact`]: crate::FitterBuilder::redact
//! [`calls_tool`]: crate::Summary::calls_tool
//! [`summary_bound`]: crate::FitterBuilder::summary_bound
//! [`ChatRequest`]: crate::chat::ChatRequest
//! [`chat_summarizer`]: crate::chat_summarizer
//! [`cut_off`]: crate::Summary::cut_off
//! [`ExtractiveSummarizer`]: crate::ExtractiveSummarizer
//! [`FailedSummary`]: crate::FailedSummary
//! [`SummarizeError::abort`]: crate::SummarizeError::abort
//! [`summarizer_fn`]: crate::summarizer_fn
