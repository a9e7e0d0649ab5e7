use allocation_counter::AllocationInfo;
use contextfit_benches::{fits_ways, history, planners, roomy_fitter};

use crate::print::{cells, title};

const HISTORIES: [(&str, usize, usize); 4] = [
    ("360", 360, 100_000),
    ("3 600", 3_600, 1_000_000),
    ("36 000", 36_000, 10_000_000),
    ("3 600 of 10x text", 3_600, 10_000_000),
];

/// What check, and check and plan, allocate. The goals are tests of the package.
pub(crate) fn print() {
    let fitter = roomy_fitter();
    let requests = HISTORIES.map(|(_, messages, tokens)| history(messages, tokens));
    title("Allocations and their bytes, by messages");
    cells("", HISTORIES.map(|(name, ..)| name), "");
    for (name, mut way) in fits_ways(&fitter) {
        let counted = requests.each_ref().map(|request| {
            let mut held = Some(request.clone());
            cell(allocation_counter::measure(|| {
                held = held.take().map(&mut way);
            }))
        });
        cells(&format!("check: {name}"), counted, "");
    }
    for planner in planners() {
        let requests = requests.iter().zip(HISTORIES);
        let counted = requests.map(|(request, (_, _, tokens))| {
            cell(allocation_counter::measure(|| {
                let _ = planner.check_and_plan(request, tokens as u64 / 4);
            }))
        });
        cells(&format!("check + plan: {}", planner.name), counted, "");
    }
}

fn cell(counted: AllocationInfo) -> String {
    format!("{} / {}", counted.count_total, counted.bytes_total)
}
