//! What a request that fits costs in allocations: the goals that no noise can hide.

use contextfit_benches::{fits_ways, history, roomy_fitter};
use contextfit_core::chat::ChatRequest;

/// The numbers of allocations and of bytes, way by way.
fn allocated(request: &ChatRequest) -> Vec<(&'static str, u64, u64)> {
    let fitter = roomy_fitter();
    let ways = fits_ways(&fitter).into_iter().map(|(name, mut way)| {
        let mut held = Some(request.clone());
        let counted = allocation_counter::measure(|| held = held.take().map(&mut way));
        (name, counted.count_total, counted.bytes_total)
    });
    ways.collect()
}

#[test]
fn nothing_is_allocated_without_a_retry() {
    for messages in [36, 3_600] {
        for (name, count, bytes) in allocated(&history(messages, messages * 100)) {
            if name != "ContextFit with retry" {
                assert_eq!((count, bytes), (0, 0), "{name} of {messages} messages");
            }
        }
    }
}

#[test]
fn nothing_grows_with_the_text() {
    let little = allocated(&history(360, 36_000));
    let much = allocated(&history(360, 360_000));
    assert_eq!(little, much);
}

/// A copy shares what it copies, so their number doesn't grow with the messages either.
#[test]
fn a_retry_costs_as_many_allocations_for_any_number_of_messages() {
    let counts = |messages| -> Vec<u64> {
        let allocated = allocated(&history(messages, messages * 100));
        allocated.into_iter().map(|(_, count, _)| count).collect()
    };
    assert_eq!(counts(36), counts(3_600));
}
