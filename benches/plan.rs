//! Deciding what to cut of a history over its limit.

use std::hint::black_box;

use contextfit_benches::{history, plan};
use contextfit_core::cut::{RecentBudget, TopicAndRecent};
use contextfit_core::table::Pins;
use criterion::{Criterion, criterion_group, criterion_main};

fn planning(criterion: &mut Criterion) {
    let request = history(3_600, 1_000_000);
    let mut group = criterion.benchmark_group("plan");
    group.bench_function("topic_and_recent", |bencher| {
        bencher.iter(|| plan(black_box(&request), 256_000, &TopicAndRecent, Pins::BOTH));
    });
    group.bench_function("recent_budget", |bencher| {
        let policy = RecentBudget::default();
        bencher.iter(|| plan(black_box(&request), 256_000, &policy, Pins::NONE));
    });
    group.finish();
}

criterion_group!(benches, planning);
criterion_main!(benches);
