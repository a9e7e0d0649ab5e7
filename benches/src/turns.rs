use std::time::{Duration, Instant};

use crate::random::Random;

/// What one side of a comparison took, round by round.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// How many times as long as another side it took: the median over the rounds.
    #[must_use]
    pub fn ratio(&self, to: &Self) -> f64 {
        self.median(to, |time, base| time.as_secs_f64() / base.as_secs_f64())
    }

    /// How many nanoseconds longer than another side it took: the median over the rounds.
    #[must_use]
    pub fn nanoseconds_over(&self, base: &Self) -> f64 {
        self.median(base, |time, base| {
            (time.as_secs_f64() - base.as_secs_f64()) * 1e9
        })
    }

    /// What it took itself, in seconds: the median over the rounds. For comparisons of sides that
    /// do the same amount of work.
    #[must_use]
    pub fn median_seconds(&self) -> f64 {
        median(self.0.iter().map(Duration::as_secs_f64).collect())
    }

    /// Compares only what was measured in the same round.
    fn median(&self, other: &Self, compare: impl Fn(Duration, Duration) -> f64) -> f64 {
        let rounds = self.0.iter().zip(&other.0);
        median(rounds.map(|(&one, &two)| compare(one, two)).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures several sides in turns: in each round every one, in an order that is shuffled anew,
/// because what runs before leaves its data in the caches.
pub fn take_turns(rounds: usize, sides: &mut [Box<dyn FnMut() + '_>]) -> Vec<Times> {
    let mut random = Random::new(1);
    let mut order: Vec<usize> = (0..sides.len()).collect();
    let mut times = vec![Times::default(); sides.len()];
    for _ in 0..rounds {
        random.shuffle(&mut order);
        for &side in &order {
            let start = Instant::now();
            sides[side]();
            times[side].0.push(start.elapsed());
        }
    }
    times
}
