//! A small request that fits, through the layer and past it.

use contextfit_benches::{bare, fits_ways, roomy_fitter, small};
use criterion::{Criterion, criterion_group, criterion_main};

fn layer_overhead(criterion: &mut Criterion) {
    let fitter = roomy_fitter();
    let mut group = criterion.benchmark_group("layer_overhead");
    for (name, mut way) in [bare()].into_iter().chain(fits_ways(&fitter)) {
        let mut held = Some(small());
        group.bench_function(name, |bencher| {
            bencher.iter(|| held = held.take().map(&mut way));
        });
    }
    group.finish();
}

criterion_group!(benches, layer_overhead);
criterion_main!(benches);
