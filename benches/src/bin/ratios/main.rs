//! Prints what contextfit costs beside its goals. See the docs of the package.

use std::hint::black_box;

use contextfit_benches::{
    bare, chars, fits_ways, history, plan, roomy_fitter, small, take_turns, texts,
};
use contextfit_core::cut::{RecentBudget, TopicAndRecent};
use contextfit_core::estimate::{CharEstimator, Estimator, measure};
use contextfit_core::table::Pins;

/// The fits-check takes at most so many times the count of characters.
const MOST_TIMES: f64 = 1.3;
/// The layers take fewer nanoseconds over the bare service than these.
const MOST_OVERHEAD: f64 = 1_000.0;

const ROUNDS: usize = 400;

fn main() {
    fits_check();
    layer_overhead();
    allocations();
}

fn fits_check() {
    let request = history(3_600, 1_000_000);
    let texts = texts(&request);
    let typed = CharEstimator::default();
    let erased: &dyn Estimator = &typed;
    let fitter = roomy_fitter();

    let mut names = Vec::new();
    let mut sides: Vec<Box<dyn FnMut()>> = Vec::new();
    let mut side = |name, goal, run| {
        names.push((name, goal));
        sides.push(run);
    };
    let count = || {
        black_box(chars(black_box(&texts)));
    };
    side("counting its characters", None, Box::new(count));
    side("the same again: the noise", None, Box::new(count));
    side(
        "measure, typed",
        Some(MOST_TIMES),
        Box::new(|| {
            black_box(measure(black_box(&request), black_box(&typed)));
        }),
    );
    side(
        "measure, erased",
        Some(MOST_TIMES),
        Box::new(|| {
            black_box(measure(black_box(&request), black_box(erased)));
        }),
    );
    for (name, mut way) in fits_ways(&fitter) {
        let goal = (name != "ContextFit with retry").then_some(MOST_TIMES);
        // Its texts are shared with the others.
        let mut held = Some(request.clone());
        let run = move || held = held.take().map(&mut way);
        side(name, goal, Box::new(run));
    }
    side(
        "plan, TopicAndRecent",
        None,
        Box::new(|| {
            black_box(plan(&request, 256_000, &TopicAndRecent, Pins::BOTH));
        }),
    );
    side(
        "plan, RecentBudget",
        None,
        Box::new(|| {
            let policy = RecentBudget::default();
            black_box(plan(&request, 256_000, &policy, Pins::NONE));
        }),
    );

    let times = take_turns(ROUNDS, &mut sides);
    println!("A history of 1 000 000 tokens in 3 600 messages, as multiples\n");
    for ((name, goal), time) in names.into_iter().zip(&times) {
        let ratio = time.ratio(&times[0]);
        let goal = goal.map_or_else(String::new, |most| {
            format!("at most {most}: {}", mark(ratio <= most))
        });
        println!("{name:28}{ratio:6.2}  {goal}");
    }
}

fn layer_overhead() {
    const BATCH: u32 = 1_000;

    let fitter = roomy_fitter();
    let layers = fits_ways(&fitter)
        .into_iter()
        .filter(|(name, _)| name.starts_with("ContextFit"));
    let (names, mut sides): (Vec<_>, Vec<_>) = [bare()]
        .into_iter()
        .chain(layers)
        .map(|(name, mut way)| {
            let mut held = Some(small());
            let run = move || {
                for _ in 0..BATCH {
                    held = held.take().map(&mut way);
                }
            };
            (name, Box::new(run) as Box<dyn FnMut()>)
        })
        .unzip();

    let times = take_turns(ROUNDS, &mut sides);
    println!("\nA request of 6 messages that fits, in nanoseconds over the bare service\n");
    for (name, time) in names.into_iter().zip(&times).skip(1) {
        let over = time.nanoseconds_over(&times[0]) / f64::from(BATCH);
        let met = mark(over < MOST_OVERHEAD);
        println!("{name:28}{over:6.0}  below {MOST_OVERHEAD}: {met}");
    }
}

fn allocations() {
    const HISTORIES: [(&str, usize, usize); 4] = [
        ("360", 360, 100_000),
        ("3 600", 3_600, 1_000_000),
        ("36 000", 36_000, 10_000_000),
        ("3 600 of 10x text", 3_600, 10_000_000),
    ];

    println!("\nAllocations of a request that fits, and their bytes, by its messages\n");
    print!("{:22}", "");
    for (name, ..) in HISTORIES {
        print!("{name:>20}");
    }
    println!();
    let fitter = roomy_fitter();
    let requests = HISTORIES.map(|(_, messages, tokens)| history(messages, tokens));
    for (name, mut way) in fits_ways(&fitter) {
        print!("{name:22}");
        for request in &requests {
            let mut held = Some(request.clone());
            let counted = allocation_counter::measure(|| held = held.take().map(&mut way));
            let cell = format!("{} / {}", counted.count_total, counted.bytes_total);
            print!("{cell:>20}");
        }
        println!();
    }
}

const fn mark(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}
