//! What contextfit costs, as ratios to what can't be avoided.
//!
//! ```text
//! cargo run --release -p contextfit-benches --bin ratios
//! cargo run --release -p contextfit-benches --bin accuracy
//! cargo run --release -p contextfit-benches --bin recall
//! cargo bench -p contextfit-benches [--bench fits_check | layer_overhead | plan]
//! ```
//!
//! - **`ratios`** measures all of the below in about two minutes, and prints each cost beside its
//!   goal. The sides of a comparison [take turns](take_turns), so that whatever else the machine
//!   does slows all of them. Quote its ratios: times belong to one machine, and those of two benches
//!   to two moments. It never fails; a goal that is missed is marked.
//! - **`fits_check`**: finding out that a [history](history()) of 1 000 000 tokens in 3 600
//!   messages fits, against counting the characters of its [`texts`]. With the estimator's type
//!   known, behind a pointer, and all the way through a [`Fitter`](contextfit_tower::Fitter).
//!   Goal: 1.3 times the count.
//! - **`plan`**: [check and plan](Planner::check_and_plan), which is the same and then deciding what
//!   to cut, for both policies. Goals for the same history: 1.5 times the count, and four times as
//!   fast as [the plain way](plainly()) with its messages written as JSON. (As bare text they are
//!   written much faster; that ratio is printed too, without a goal.) And over 10, 100, 1 000 and
//!   10 000 messages of the same size, both the check alone and check and plan grow with an
//!   [exponent](growth_exponent) of at most 1.05.
//! - **`layer_overhead`**: a [`small`] request through [`ContextFit`](contextfit_tower::ContextFit),
//!   with and without the retry, against the bare service. Goal: less than 1 µs more.
//! - Of `ratios` alone: a request of `async-openai` with 800 KB of text, measured through its adapter
//!   against a count of its characters (goal: three times); the second exact count of that history
//!   through a [`Memo`](contextfit_tower::Memo), against the first (goal: a three-hundredth);
//!   [`hostile()`] text, 1 and 16 MB of each, against as much usual text (goal: five times); a body of
//!   4 MB as it comes over the wire, read, measured and planned, against one borrowed parse (goal: 1.3
//!   times); looking into a response over HTTP, plain or streamed, against one parse of it that keeps
//!   nothing (goal: three times); and seeing what the body of an error says, of 4 KiB (goal: 20 µs).
//!
//! - **`accuracy`** isn't about costs: how far the
//!   [`WeightedEstimator`](contextfit_core::estimate::WeightedEstimator) is from real tokenizers, by
//!   family and kind of text, on a corpus that `tools/estimator-fit/` fetches. What it costs is in
//!   `ratios`. Goals: 40 times a count of characters from 4 KiB on, 80 times below, and a 20th of
//!   what `tiktoken-rs` takes.
//! - **`recall`** isn't either: what share of the facts of a conversation is left after compactions
//!   without a model, by each way to do without. Goal: the extractive summary ahead of the others.
//! - **`visits`** is a part of the fit, which `tools/estimator-fit/` runs.
//!
//! Allocations are counted, not timed, so the goals for them are tests: to find out that a request
//! fits costs one allocation, of 16 bytes for each message, and neither that nor a plan nor a copy
//! for the retry costs anything that grows with the text.

mod feedback;
mod growth;
mod history;
mod hostile;
mod plain;
mod planning;
mod random;
pub mod recall;
mod service;
mod turns;

pub use self::feedback::{Errors, Reported, play};
pub use self::growth::growth_exponent;
pub use self::history::{chars, history, small, texts};
pub use self::hostile::hostile;
pub use self::plain::{Rendering, plainly};
pub use self::planning::{Planner, planners};
pub use self::service::{Way, bare, fits_ways, now, over_limit_fitters, roomy_fitter};
pub use self::turns::{Times, median_of_rounds, take_turns};
