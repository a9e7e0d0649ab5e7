//! What check and plan cost in allocations: the goals that no noise can hide.

use contextfit_benches::{fits_ways, history, planners, roomy_fitter};
use contextfit_core::chat::ChatRequest;
use contextfit_core::estimate::MessageTokens;

/// The numbers of allocations and of bytes of a request that fits, way by way.
fn of_checks(request: &ChatRequest) -> Vec<(&'static str, u64, u64)> {
    let fitter = roomy_fitter();
    let ways = fits_ways(&fitter).into_iter().map(|(name, mut way)| {
        let mut held = Some(request.clone());
        let counted = allocation_counter::measure(|| held = held.take().map(&mut way));
        (name, counted.count_total, counted.bytes_total)
    });
    ways.collect()
}

#[test]
fn a_check_keeps_a_small_entry_for_each_message_and_no_more() {
    for messages in [36, 3_600] {
        let bytes = (messages * size_of::<MessageTokens>()) as u64;
        for (name, count, total) in of_checks(&history(messages, messages * 100)) {
            if name != "ContextFit with retry" {
                assert_eq!((count, total), (1, bytes), "{name} of {messages} messages");
            }
        }
    }
}

#[test]
fn nothing_of_a_check_grows_with_the_text() {
    let little = of_checks(&history(360, 36_000));
    let much = of_checks(&history(360, 360_000));
    assert_eq!(little, much);
}

/// A copy shares what it copies, so their number doesn't grow with the messages either.
#[test]
fn a_retry_costs_as_many_allocations_for_any_number_of_messages() {
    let counts = |messages| -> Vec<u64> {
        let allocated = of_checks(&history(messages, messages * 100));
        allocated.into_iter().map(|(_, count, _)| count).collect()
    };
    assert_eq!(counts(36), counts(3_600));
}

/// A few numbers are kept of each message: less than the least of these texts takes.
#[test]
fn a_plan_costs_a_few_allocations_and_no_copy_of_the_text() {
    const BYTES_EACH: u64 = 256;
    const COUNT: u64 = 64;

    for tokens_each in [100, 1_000] {
        for messages in [360, 3_600] {
            let tokens = messages * tokens_each;
            let request = history(messages, tokens);
            for planner in planners() {
                let counted = allocation_counter::measure(|| {
                    let _ = planner.check_and_plan(&request, tokens as u64 / 4);
                });
                let most = BYTES_EACH * messages as u64;
                assert!(counted.bytes_total <= most, "{planner:?}: {counted:?}");
                assert!(counted.count_total <= COUNT, "{planner:?}: {counted:?}");
            }
        }
    }
}
