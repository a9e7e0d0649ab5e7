//! What is told of a request: by events, beside its response, in traces and in metrics.

mod decisions;
mod metrics;
mod privacy;
mod reporting;
mod traces;

use contextfit_tower::{Fitter, FitterBuilder};

/// A window of 4 000 tokens, of which the prompt may have 3 000.
fn small() -> FitterBuilder {
    Fitter::builder().window(4_000).reserve(1_000)
}

fn built(builder: FitterBuilder) -> Fitter {
    builder.build().expect("settings that work")
}
