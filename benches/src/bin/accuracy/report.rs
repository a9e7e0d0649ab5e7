use contextfit_core::estimate::Family;

use crate::corpus::{Corpus, KINDS, Sample};
use crate::figures::Figures;

const MEAN: f64 = 5.0;
const P95: f64 = 14.0;
/// Of the true count, the least that anything may be estimated at.
const LEAST: f64 = 0.5;

/// The errors of each family by kind, and over all kinds of the goals.
pub(crate) fn kinds(corpus: &Corpus) {
    title("Mean error by kind of text, in % of the true count");
    let mut all = Family::ALL.map(|_| Figures::default());
    for kind in KINDS {
        let of_kind = figures(corpus, kind);
        row(kind, &of_kind.each_ref().map(Figures::mean), None);
        for (all, of_kind) in all.iter_mut().zip(of_kind) {
            all.add(of_kind);
        }
    }
    println!();
    row("mean", &all.each_ref().map(Figures::mean), Some(MEAN));
    row(
        "95 % are within",
        &all.each_ref().map(Figures::p95),
        Some(P95),
    );
    row(
        "worst below",
        &all.each_ref().map(|all| all.worst().0),
        None,
    );
    row(
        "worst above",
        &all.each_ref().map(|all| all.worst().1),
        None,
    );
}

/// Kinds that only keep the weights of their scripts right.
pub(crate) fn other_kinds(corpus: &Corpus) {
    title("The same of other kinds, of which the fit takes less notice");
    for kind in corpus.other_kinds() {
        row(
            kind,
            &figures(corpus, kind).map(|figures| figures.mean()),
            None,
        );
    }
}

/// What is estimated lowest, of documents and of runs and random letters.
pub(crate) fn lowest(corpus: &Corpus) {
    lowest_of(&corpus.samples, "of documents in any script");
    lowest_of(
        &corpus.probes,
        "of runs, and of letters in no order that a language has",
    );
}

fn lowest_of(samples: &[Sample], what: &str) {
    println!("\nThe lowest estimates {what}, in times of the true count\n");
    for family in Family::ALL {
        let mut ratios: Vec<_> = samples.iter().map(|it| (it.ratio(family), it)).collect();
        ratios.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        let below = ratios.iter().filter(|(ratio, _)| *ratio < LEAST).count();
        if let Some((ratio, lowest)) = ratios.first() {
            let place = (&lowest.kind, lowest.start());
            println!(
                "{:18}{ratio:9.2}  at least {LEAST}: {below} of {} below, lowest {place:?}",
                family.name(),
                ratios.len()
            );
        }
    }
}

/// Whether headroom does what it says, and whether the widest is the widest.
pub(crate) fn headroom(corpus: &Corpus) {
    title("Texts that are underestimated, in %");
    let of_goals = Family::ALL.map(|family| {
        let mut all = Figures::default();
        for kind in KINDS {
            all.add(Figures::of_kind(
                corpus.of(kind).map(|sample| sample.ratio(family)),
            ));
        }
        (family, all)
    });
    let under = |percent: fn(Family) -> u32| {
        of_goals
            .each_ref()
            .map(|(family, all)| all.under(percent(*family)))
    };
    row("without headroom", &under(|_| 0), None);
    row("with that for 95 %", &under(Family::headroom_95), Some(5.0));
    row("with that for 99 %", &under(Family::headroom_99), Some(1.0));
    row(
        "headroom for 95 %",
        &Family::ALL.map(|it| f64::from(it.headroom_95())),
        None,
    );
    row(
        "headroom for 99 %",
        &Family::ALL.map(|it| f64::from(it.headroom_99())),
        None,
    );
}

fn figures(corpus: &Corpus, kind: &str) -> [Figures; Family::ALL.len()] {
    Family::ALL.map(|family| Figures::of_kind(corpus.of(kind).map(|sample| sample.ratio(family))))
}

/// Prints a title over columns, one for each family.
pub(crate) fn title(title: &str) {
    println!("\n{title}\n");
    print!("{:18}", "");
    for family in Family::ALL {
        print!("{:>9}", family.name());
    }
    println!();
}

/// Prints a number for each family, and which of them are above the goal.
pub(crate) fn row(name: &str, numbers: &[f64], most: Option<f64>) {
    print!("{name:18}");
    for number in numbers {
        print!("{number:9.1}");
    }
    if let Some(most) = most {
        let missed = numbers.iter().filter(|&&number| number > most).count();
        match missed {
            0 => print!("  at most {most}: met"),
            _ => print!("  at most {most}: MISSED by {missed}"),
        }
    }
    println!();
}
