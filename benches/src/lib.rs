//! What contextfit costs, as ratios to what can't be avoided.
//!
//! ```text
//! cargo run --release -p contextfit-benches --bin ratios
//! cargo bench -p contextfit-benches [--bench fits_check | layer_overhead | plan]
//! ```
//!
//! - **`ratios`** measures all of the below in seconds, and prints each cost beside its goal. The
//!   sides of a comparison [take turns](take_turns), so that whatever else the machine does slows
//!   all of them. Quote its ratios: times belong to one machine, and those of two benches to two
//!   moments. It never fails; a goal that is missed is marked.
//! - **`fits_check`**: finding out that a [history](history()) of 1 000 000 tokens in 3 600
//!   messages fits, against counting the characters of its [`texts`]. With the estimator's type
//!   known, behind a pointer, and all the way through a [`Fitter`](contextfit_tower::Fitter).
//!   Goal: 1.3 times the count.
//! - **`layer_overhead`**: a [`small`] request through [`ContextFit`](contextfit_tower::ContextFit),
//!   with and without the retry, against the bare service. Goal: less than 1 µs more.
//! - **`plan`**: deciding what to cut of the same history over its limit, for both policies. No
//!   goal, just the number.
//!
//! Allocations are counted, not timed, so the goal for them is a test: a request that fits costs
//! none, and a copy for the retry costs nothing that grows with the text.

mod history;
mod planning;
mod random;
mod service;
mod turns;

pub use self::history::{chars, history, small, texts};
pub use self::planning::plan;
pub use self::service::{Way, bare, fits_ways, roomy_fitter};
pub use self::turns::{Times, take_turns};
