//! What the tokens of a model cost.

use crate::Usage;

/// What tokens cost, each in micro-dollars per million tokens: 1 250 000 are $1.25 per million.
///
/// ```
/// use contextfit_tower::Rates;
///
/// // $3 for a million tokens of input, $0.30 if they come from the cache, $3.75 to write them
/// // there, and $15 for a million tokens of output.
/// let rates = Rates::new(3_000_000, 15_000_000).cached(300_000).cache_write(3_750_000);
/// assert_eq!(rates.input, 3_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rates {
    /// Input that comes from no cache and goes to none.
    pub input: u64,
    /// Input that is read from a cache. As other input unless set.
    pub cached: u64,
    /// Input that is written to a cache, for as long as the provider keeps it unless asked. As
    /// other input unless set.
    pub cache_write: u64,
    /// Output, thinking included.
    pub output: u64,
}

impl Rates {
    /// Prices of input and output. A cache changes nothing.
    #[must_use]
    pub const fn new(input: u64, output: u64) -> Self {
        Self {
            input,
            cached: input,
            cache_write: input,
            output,
        }
    }

    /// Sets the price of input that is read from a cache.
    #[must_use]
    pub const fn cached(mut self, price: u64) -> Self {
        self.cached = price;
        self
    }

    /// Sets the price of input that is written to a cache.
    #[must_use]
    pub const fn cache_write(mut self, price: u64) -> Self {
        self.cache_write = price;
        self
    }
}

/// What the tokens of a model cost, by the length of the prompt.
///
/// ```
/// use contextfit_tower::{Prices, Rates, Usage};
///
/// let prices = Prices::new(Rates::new(1_250_000, 10_000_000).cached(125_000))
///     .long(200_000, Rates::new(2_500_000, 15_000_000).cached(250_000));
/// // 40 000 new tokens for $0.05, 60 000 cached ones for $0.0075, 1 000 of output for $0.01.
/// let usage = Usage::new(100_000, 1_000).cached(60_000);
/// assert_eq!(prices.cost(&usage), 67_500);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prices {
    /// What holds for most prompts.
    pub rates: Rates,
    /// What holds for all tokens of a call whose prompt is long, where that makes a difference.
    pub long: Option<LongPrompts>,
}

/// What holds for long prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LongPrompts {
    /// Prompts of more tokens than this are long.
    pub above: u64,
    /// What the tokens of such a call cost.
    pub rates: Rates,
}

impl Prices {
    /// The same for any prompt.
    #[must_use]
    pub const fn new(rates: Rates) -> Self {
        Self { rates, long: None }
    }

    /// Sets what holds for prompts of more tokens than `above`.
    #[must_use]
    pub const fn long(mut self, above: u64, rates: Rates) -> Self {
        self.long = Some(LongPrompts { above, rates });
        self
    }

    /// What holds for a prompt of so many tokens.
    #[must_use]
    pub fn of_prompt(&self, tokens: u64) -> Rates {
        match self.long {
            Some(long) if tokens > long.above => long.rates,
            _ => self.rates,
        }
    }

    /// What a call costs, in micro-dollars, rounded up.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> u64 {
        let rates = self.of_prompt(usage.input);
        let cached = usage.cached.min(usage.input);
        let written = usage.cache_written.min(usage.input - cached);
        let parts = [
            (usage.input - cached - written, rates.input),
            (cached, rates.cached),
            (written, rates.cache_write),
            (usage.output, rates.output),
        ];
        let all = parts
            .into_iter()
            .map(|(tokens, price)| u128::from(tokens).saturating_mul(u128::from(price)))
            .fold(0, u128::saturating_add);
        u64::try_from(all.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

impl From<Rates> for Prices {
    fn from(rates: Rates) -> Self {
        Self::new(rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices = Prices::new(Rates::new(1_000_000, 5_000_000).cached(100_000))
        .long(1_000, Rates::new(2_000_000, 7_000_000));

    #[test]
    fn a_call_costs_its_fresh_input_what_a_cache_reads_and_writes_and_its_output() {
        let usage = Usage::new(1_000, 10).cached(400);
        assert_eq!(PRICES.cost(&usage), 600 + 40 + 50);
        let dear = Prices::new(PRICES.rates.cache_write(1_250_000));
        assert_eq!(dear.cost(&usage.cache_written(200)), 400 + 40 + 250 + 50);
        assert_eq!(dear.cost(&usage.cache_written(2_000)), 40 + 750 + 50);
        assert_eq!(PRICES.cost(&Usage::default()), 0);
    }

    #[test]
    fn all_of_a_call_with_a_long_prompt_costs_more() {
        let usage = Usage::new(1_001, 10).cached(1_001);
        assert_eq!(PRICES.cost(&usage), 2_002 + 70);
    }

    #[test]
    fn what_costs_something_never_costs_nothing() {
        let cheap = Prices::from(Rates::new(1, 1));
        assert_eq!(cheap.cost(&Usage::new(1, 0)), 1);
    }

    #[test]
    fn odd_usage_costs_something_odd() {
        assert_eq!(PRICES.cost(&Usage::new(10, 0).cached(20)), 1);
        let dear = Prices::new(Rates::new(u64::MAX, u64::MAX));
        assert_eq!(dear.cost(&Usage::new(u64::MAX, u64::MAX)), u64::MAX);
    }
}
