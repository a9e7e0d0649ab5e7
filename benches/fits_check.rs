//! Finding out that a history fits, against counting its characters.

use std::hint::black_box;

use contextfit_benches::{chars, fits_ways, history, roomy_fitter, texts};
use contextfit_core::estimate::{CharEstimator, Estimator, measure};
use criterion::{Criterion, criterion_group, criterion_main};

fn fits_check(criterion: &mut Criterion) {
    let request = history(3_600, 1_000_000);
    let texts = texts(&request);
    let typed = CharEstimator::default();
    let erased: &dyn Estimator = &typed;
    let fitter = roomy_fitter();

    let mut group = criterion.benchmark_group("fits_check");
    group.bench_function("counting its characters", |bencher| {
        bencher.iter(|| chars(black_box(&texts)));
    });
    group.bench_function("measure, typed", |bencher| {
        bencher.iter(|| measure(black_box(&request), black_box(&typed)));
    });
    group.bench_function("measure, erased", |bencher| {
        bencher.iter(|| measure(black_box(&request), black_box(erased)));
    });
    for (name, mut way) in fits_ways(&fitter) {
        let mut held = Some(request.clone());
        group.bench_function(name, |bencher| {
            bencher.iter(|| held = held.take().map(&mut way));
        });
    }
    group.finish();
}

criterion_group!(benches, fits_check);
criterion_main!(benches);
