//! Deciding what to cut of a history over its limit, by its messages, and the plain way to do it.

use std::hint::black_box;

use contextfit_benches::{Rendering, history, plainly, planners};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const TOKENS_EACH: usize = 280;

fn check_and_plan(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("check_and_plan");
    for messages in [10, 100, 1_000, 3_600, 10_000] {
        let tokens = messages * TOKENS_EACH;
        let request = history(messages, tokens);
        group.throughput(Throughput::Elements(messages as u64));
        for planner in planners() {
            let id = BenchmarkId::new(planner.name, messages);
            group.bench_with_input(id, &request, |bencher, request| {
                bencher.iter(|| planner.check_and_plan(black_box(request), tokens as u64 / 4));
            });
        }
        for rendering in [Rendering::Json, Rendering::Text] {
            let name = format!("the plain way, as {}", rendering.name());
            let id = BenchmarkId::new(name, messages);
            group.bench_with_input(id, &request, |bencher, request| {
                bencher.iter(|| plainly(black_box(request), rendering, tokens / 4).len());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, check_and_plan);
criterion_main!(benches);
