use std::ops::RangeInclusive;

/// What the largest number of a range gives that gives anything; `None` if the least doesn't.
///
/// Steps are doubled until a number gives nothing, then halved: the work is that of a few numbers
/// near the one that is found, however long the range. Where a larger number gives something and
/// a smaller one doesn't, the one found may not be the largest.
pub(super) fn largest<T>(
    range: RangeInclusive<usize>,
    gives: impl Fn(usize) -> Option<T>,
) -> Option<T> {
    let (mut fits, mut most) = range.into_inner();
    let mut found = gives(fits)?;
    let mut step = 1_usize;
    let mut grows = true;
    while fits < most {
        let next = if grows {
            fits.saturating_add(step).min(most)
        } else {
            fits + (most - fits).div_ceil(2)
        };
        match gives(next) {
            Some(larger) => (found, fits) = (larger, next),
            None => (most, grows) = (next - 1, false),
        }
        step = step.saturating_mul(2);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_the_largest_that_gives_anything(least in 0_usize..50, more in 0_usize..200, limit in 0_usize..300) {
            let most = least + more;
            let found = largest(least..=most, |number| (number <= limit).then_some(number));
            prop_assert_eq!(found, (limit >= least).then_some(limit.min(most)));
        }
    }

    #[test]
    fn a_range_may_be_as_long_as_numbers_go() {
        assert_eq!(largest(0..=usize::MAX, Some), Some(usize::MAX));
        assert_eq!(largest(usize::MAX..=usize::MAX, Some), Some(usize::MAX));
    }

    #[test]
    fn little_more_is_tried_than_what_is_found() {
        let tried = std::cell::Cell::new(0);
        let found = largest(1..=1_000_000, |number| {
            tried.set(tried.get() + number);
            (number <= 100).then_some(number)
        });
        assert_eq!(found, Some(100));
        assert!(tried.get() < 1_500, "{}", tried.get());
    }
}
