//! The layers in a Tower stack: readiness, back-pressure, shared limits, cancellation, clones.

mod backpressure;
mod budget;
mod cancel;
mod clones;
mod deadlock;
mod once;
mod passthrough;
mod readiness;
mod streams;
