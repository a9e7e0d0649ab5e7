use super::{Stop, Usage};

/// What a provider reports of a request, in its own terms.
///
/// Providers differ in whether the tokens of the prompt include those of a cache, in which numbers
/// they leave out, and client crates in the types they put them in. Here is the one place that makes
/// a [`Usage`] of it.
///
/// ```
/// use contextfit_tower::{CacheTokens, ReportedUsage};
///
/// // Anthropic: 9 new tokens, 24 that were read from the cache.
/// let usage = ReportedUsage::new(CacheTokens::Beside).input(9_u32).cache_read(Some(24_u32)).output(15_u32);
/// assert_eq!(usage.usage().map(|usage| (usage.input, usage.cached)), Some((33, 24)));
///
/// // OpenAI counts the 24 into its 33.
/// let usage = ReportedUsage::new(CacheTokens::Within).input(33_u32).cache_read(24_u32).output(15_u32);
/// assert_eq!(usage.usage().map(|usage| (usage.input, usage.cached)), Some((33, 24)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReportedUsage {
    cache: CacheTokens,
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_written: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
    stop: Option<Stop>,
}

/// Where a provider counts the tokens that were read from a cache or written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheTokens {
    /// They are part of the tokens of the prompt: OpenAI and all that follow it, Gemini.
    Within,
    /// They come on top: Anthropic, Bedrock.
    Beside,
}

impl ReportedUsage {
    /// Nothing is reported yet.
    #[must_use]
    pub const fn new(cache: CacheTokens) -> Self {
        Self {
            cache,
            input: None,
            cache_read: None,
            cache_written: None,
            output: None,
            total: None,
            stop: None,
        }
    }

    /// Tokens of the prompt.
    #[must_use]
    pub fn input(mut self, tokens: impl ReportedCount) -> Self {
        self.input = tokens.reported();
        self
    }

    /// Tokens that were read from a cache.
    #[must_use]
    pub fn cache_read(mut self, tokens: impl ReportedCount) -> Self {
        self.cache_read = tokens.reported();
        self
    }

    /// Tokens that were written to a cache.
    #[must_use]
    pub fn cache_written(mut self, tokens: impl ReportedCount) -> Self {
        self.cache_written = tokens.reported();
        self
    }

    /// Tokens of output, thoughts included.
    #[must_use]
    pub fn output(mut self, tokens: impl ReportedCount) -> Self {
        self.output = tokens.reported();
        self
    }

    /// Tokens of all, for providers that leave out one of the two.
    #[must_use]
    pub fn total(mut self, tokens: impl ReportedCount) -> Self {
        self.total = tokens.reported();
        self
    }

    /// Why the model stopped.
    #[must_use]
    pub const fn stop(mut self, stop: Option<Stop>) -> Self {
        self.stop = stop;
        self
    }

    /// The usage; `None` if nothing says how many tokens the prompt had.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        let (read, written) = (
            self.cache_read.unwrap_or(0),
            self.cache_written.unwrap_or(0),
        );
        let from_total = || {
            let (total, output) = self.total.zip(self.output)?;
            total.checked_sub(output)
        };
        let input = match (self.cache, self.input) {
            (CacheTokens::Within, Some(input)) => input,
            (CacheTokens::Beside, Some(input)) => {
                input.saturating_add(read).saturating_add(written)
            }
            (_, None) => from_total()?,
        };
        let usage = Usage::new(input, self.output.unwrap_or(0));
        Some(
            usage
                .cached(read.min(input))
                .cache_written(written.min(input))
                .stop(self.stop),
        )
    }
}

/// A number of tokens in whatever type a client crate has it. A negative one is none.
pub trait ReportedCount {
    /// The number, if there is one.
    fn reported(self) -> Option<u64>;
}

macro_rules! reported_counts {
    ($($number:ty),*) => {$(
        impl ReportedCount for $number {
            fn reported(self) -> Option<u64> {
                u64::try_from(self).ok()
            }
        }
    )*};
}
reported_counts!(u16, u32, u64, usize, i32, i64, isize);

impl<T: ReportedCount> ReportedCount for Option<T> {
    fn reported(self) -> Option<u64> {
        self?.reported()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(reported: ReportedUsage) -> Option<u64> {
        reported.usage().map(|usage| usage.input)
    }

    #[test]
    fn a_cache_counts_once_wherever_it_is_counted() {
        for (cache, real) in [(CacheTokens::Within, 100), (CacheTokens::Beside, 170)] {
            let reported = ReportedUsage::new(cache)
                .input(100_u32)
                .cache_read(Some(40_i64))
                .cache_written(30_usize);
            let usage = reported.usage().expect("reported");
            assert_eq!(
                (usage.input, usage.cached, usage.cache_written),
                (real, 40, 30)
            );
        }
    }

    #[test]
    fn what_is_left_out_follows_from_the_total() {
        let reported = ReportedUsage::new(CacheTokens::Within);
        assert_eq!(input(reported.total(90_u32).output(20_u32)), Some(70));
        assert_eq!(input(reported.total(10_u32).output(20_u32)), None);
        assert_eq!(input(reported.total(90_u32)), None);
    }

    #[test]
    fn what_is_not_told_is_not_known() {
        let reported = ReportedUsage::new(CacheTokens::Beside);
        assert_eq!(input(reported), None);
        assert_eq!(input(reported.input(0_u32)), Some(0));
        assert_eq!(input(reported.input(-1_i32)), None);
        assert_eq!(input(reported.input(None::<u32>)), None);
        assert_eq!(
            input(reported.input(u64::MAX).cache_read(5_u32)),
            Some(u64::MAX)
        );
    }
}
