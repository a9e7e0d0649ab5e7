use contextfit_benches::recall::{FactKind, Moment, Share, Way};

/// After so many compactions it is looked what is left.
const AFTER: [usize; 3] = [1, 3, 10];
const NAME: usize = 22;

/// What a column counts.
type Column = fn(&Moment) -> Share;
const COLUMNS: [(&str, Column); 3] = [
    ("all facts", |moment| moment.all),
    ("named again later", |moment| moment.again),
    ("files of calls", |moment| moment.files),
];

/// A conversation, and what was left of it by each way.
pub(crate) type Played<'a> = (&'a str, [Vec<Moment>; Way::ALL.len()]);

/// What is left of conversations whose summaries have a bound.
pub(crate) struct Table<'a> {
    bound: u64,
    played: Vec<Played<'a>>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(bound: u64, played: Vec<Played<'a>>) -> Self {
        Self { bound, played }
    }

    pub(crate) fn print(&self) {
        println!(
            "\nOf the facts that were cut, % left in a summary of at most {} tokens",
            self.bound
        );
        println!("after n compactions by archive, head and extractive summary\n");
        print!("{:NAME$}{:>4}{:>7}", "", "n", "facts");
        for (column, _) in COLUMNS {
            print!("   {column:^20}");
        }
        println!();
        for (index, (name, _)) in self.played.iter().enumerate() {
            for after in AFTER {
                self.row(name, after, &self.played[index..=index]);
            }
        }
        println!();
        for after in AFTER {
            self.row("mean", after, &self.played);
        }
        for kind in FactKind::ALL {
            print!(
                "{:NAME$}{:>4}{:7}   ",
                format!("… of {}", kind.name()),
                AFTER[2],
                ""
            );
            self.cells(AFTER[2], &self.played, |moment| moment.kinds[kind as usize]);
            println!();
        }
    }

    fn row(&self, name: &str, after: usize, played: &[Played<'_>]) {
        let moments = played.iter().filter_map(|(_, ways)| ways[0].get(after - 1));
        let facts: usize = moments.map(|moment| moment.all.of).sum();
        if facts == 0 {
            return;
        }
        print!("{name:NAME$.NAME$}{after:>4}{facts:>7}");
        for (_, column) in COLUMNS {
            print!("   ");
            self.cells(after, played, column);
        }
        println!();
    }

    /// The mean of some conversations, by each way. The best is marked.
    fn cells(&self, after: usize, played: &[Played<'_>], share: impl Fn(&Moment) -> Share) {
        let means = [0, 1, 2].map(|way| {
            let moments = played
                .iter()
                .filter_map(|(_, ways)| ways[way].get(after - 1));
            let percents: Vec<f64> = moments
                .filter_map(|moment| share(moment).percent())
                .collect();
            percents.iter().sum::<f64>() / percents.len() as f64
        });
        let best = means.into_iter().fold(0.0, f64::max);
        for mean in means {
            match mean {
                mean if mean.is_nan() => print!("{:>6} ", "–"),
                mean if mean >= best => print!("{mean:>5.0}* "),
                mean => print!("{mean:>5.0}  "),
            }
        }
    }
}
