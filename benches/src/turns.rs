use std::time::{Duration, Instant};

use crate::random::Random;

/// What one side of a comparison took, round by round.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// How many times as long as another side it took: the median over the rounds.
    #[must_use]
    pub fn ratio(&self, to: &Self) -> f64 {
        median_of_rounds([self, to], |[time, base]| time / base)
    }

    /// How many nanoseconds longer than another side it took: the median over the rounds.
    #[must_use]
    pub fn nanoseconds_over(&self, base: &Self) -> f64 {
        median_of_rounds([self, base], |[time, base]| (time - base) * 1e9)
    }
}

/// A number made of the seconds that several sides took: the median over the rounds. Only what
/// was measured in the same round is put together.
///
/// # Panics
///
/// There was no round.
pub fn median_of_rounds<const SIDES: usize>(
    sides: [&Times; SIDES],
    number: impl Fn([f64; SIDES]) -> f64,
) -> f64 {
    let rounds = sides.iter().map(|side| side.0.len()).min().unwrap_or(0);
    let mut numbers: Vec<f64> = (0..rounds)
        .map(|round| number(sides.map(|side| side.0[round].as_secs_f64())))
        .collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn times(seconds: [u64; 5]) -> Times {
        Times(seconds.map(Duration::from_secs).to_vec())
    }

    #[test]
    fn sides_are_compared_within_a_round_and_outliers_count_little() {
        // The machine slows down, and is interrupted once in each side.
        let (twice, once) = (times([2, 4, 8, 90, 32]), times([1, 2, 70, 8, 16]));
        assert_eq!(twice.ratio(&once), 2.0);
        assert_eq!(times([3, 5, 9, 90, 33]).nanoseconds_over(&twice), 1e9);
        let sum = median_of_rounds([&twice, &once], |[twice, once]| twice + once);
        assert_eq!(sum, 48.0);
    }

    #[test]
    fn every_side_takes_its_turn_in_every_round() {
        use std::cell::RefCell;

        let turns = RefCell::new(Vec::new());
        let side = |side: u32| -> Box<dyn FnMut() + '_> {
            let turns = &turns;
            Box::new(move || turns.borrow_mut().push(side))
        };
        let times = take_turns(20, &mut [side(0), side(1), side(2)]);
        assert!(times.iter().all(|times| times.0.len() == 20));
        let turns = turns.into_inner();
        for round in turns.chunks(3) {
            let mut round = round.to_vec();
            round.sort_unstable();
            assert_eq!(round, [0, 1, 2]);
        }
        // In another order each time.
        assert!(turns.chunks(3).any(|round| round != &turns[..3]));
    }
}
