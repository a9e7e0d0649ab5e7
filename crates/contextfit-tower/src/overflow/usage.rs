use super::{Overflow, OverflowClassifier, Scope, Sent};
use crate::{Stop, Usage, UsageReader};

/// Recognises a success that is an overflow, by its usage.
///
/// Some providers answer a request that is too long as if nothing had happened. It is one if
///
/// - the model stopped because its context window was full, by its own word,
/// - the prompt has more tokens than the window,
/// - the output was full with nothing generated and the prompt at 99 % of the window or more,
/// - the output was full, shorter than what was asked for, and together with the prompt just as long
///   as the window: llama.cpp ends so.
///
/// Two more are so only where that is known of the provider, and have to be asked for: output that
/// is full before the window is ([`trust_short_stops`](Self::trust_short_stops)), and a prompt of
/// which the provider read a part ([`trust_truncation`](Self::trust_truncation)).
///
/// The window is the one that is configured. Where that is below the model's own, answers that are
/// none are taken for overflows.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatResponse};
/// use contextfit_tower::{ChatUsageReader, OverflowClassifier, UsageOverflow, classifier_fn};
///
/// let errors = classifier_fn(|_, result: &Result<ChatResponse, String>| None);
/// let classifier = errors.or(UsageOverflow::new(ChatUsageReader));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct UsageOverflow<U> {
    reader: U,
    trust_short_stops: bool,
    trust_truncation: bool,
}

impl<U> UsageOverflow<U> {
    /// Recognises by what `reader` reads.
    pub const fn new(reader: U) -> Self {
        Self {
            reader,
            trust_short_stops: false,
            trust_truncation: false,
        }
    }

    /// Whether output that is full below what the caller asked for means an overflow, also where a
    /// fitter lowered that. Off unless set: many providers cap the output by themselves.
    #[must_use]
    pub const fn trust_short_stops(mut self, trust: bool) -> Self {
        self.trust_short_stops = trust;
        self
    }

    /// Whether a prompt that was [counted far too low](Sent::is_far_above) means an overflow: the
    /// provider cut it, and answered what was left. Off unless set: then the observer hears of it,
    /// by [`FitEvent::Truncated`](crate::FitEvent::Truncated), and the answer is passed on.
    ///
    /// To be set for a server that is known to cut, such as Ollama's, and that counts the whole
    /// prompt also where it has a part of it in its cache.
    #[must_use]
    pub const fn trust_truncation(mut self, trust: bool) -> Self {
        self.trust_truncation = trust;
        self
    }

    #[cfg(feature = "stream")]
    pub(crate) fn read<T>(&self, item: &T) -> Option<Usage>
    where
        U: UsageReader<T>,
    {
        self.reader.usage(item)
    }

    /// The overflow that usage means, wherever it was read: at the end of a stream, say.
    #[must_use]
    pub fn overflow(&self, sent: &Sent<'_>, usage: &Usage) -> Option<Overflow> {
        if self.is_too_long(sent, usage) {
            let overflow = Overflow::new()
                .input(usage.input)
                .limit(sent.window, Scope::Input);
            Some(overflow)
        } else if let Some(asked) = cut_off_by_the_window(sent, usage) {
            let overflow = Overflow::new().input(usage.input);
            Some(match asked {
                Some(asked) => overflow.output(asked).limit(sent.window, Scope::Total),
                None => overflow.limit(sent.window, Scope::Input),
            })
        } else if self.trust_truncation && sent.is_far_above(usage.input) {
            // What it read is about what it takes. How long all of it was, it doesn't say.
            Some(Overflow::new().limit(usage.input, Scope::Input))
        } else {
            None
        }
    }

    fn is_too_long(&self, sent: &Sent<'_>, usage: &Usage) -> bool {
        let full = usage.stop == Some(Stop::Length);
        let nearly_all = u128::from(sent.window) * 99;
        usage.stop == Some(Stop::ContextWindow)
            || usage.input > sent.window
            || full
                && usage.output == 0
                && usage.input > 0
                && u128::from(usage.input) * 100 >= nearly_all
            || self.trust_short_stops
                && full
                && usage.output > 0
                && sent
                    .asked_output
                    .is_some_and(|asked| usage.output < u64::from(asked))
    }
}

/// The output that was asked for, if it was less than the window, where the output ended because
/// nothing was left of that; `None` where it ended for another reason.
///
/// One that was as long as it was asked to be is none. Where nobody bounded it, one that took more
/// than the prompt isn't either: it went on and on, and a smaller prompt wouldn't have ended it. And
/// a total above the window tells of a larger one, which something else filled.
fn cut_off_by_the_window(sent: &Sent<'_>, usage: &Usage) -> Option<Option<u64>> {
    let total = usage.input.saturating_add(usage.output);
    if usage.stop != Some(Stop::Length) || usage.input == 0 || total != sent.window {
        return None;
    }
    match sent.max_output.map(u64::from) {
        Some(asked) if usage.output >= asked => None,
        Some(asked) if asked < sent.window => Some(Some(asked)),
        _ => (usage.input >= usage.output).then_some(None),
    }
}

impl<Res, Err, U: UsageReader<Res>> OverflowClassifier<Res, Err> for UsageOverflow<U> {
    fn classify(&self, sent: &Sent<'_>, result: &Result<Res, Err>) -> Option<Overflow> {
        let usage = self.reader.usage(result.as_ref().ok()?)?;
        self.overflow(sent, &usage)
    }

    fn usage(&self, response: &Res) -> Option<Usage> {
        self.reader.usage(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Option<Stop> = Some(Stop::Length);

    fn sent(max_output: Option<u32>) -> Sent<'static> {
        Sent {
            model: None,
            window: 1_000,
            max_output,
            asked_output: max_output,
            estimated: 900,
            counted: None,
            fixed: 0,
        }
    }

    /// Whether usage means an overflow to one who trusts nothing, and to one who trusts all.
    fn overflows(usage: Usage, max_output: Option<u32>) -> (bool, bool) {
        let sent = sent(max_output);
        let wary = UsageOverflow::new(());
        let trusting = wary.trust_short_stops(true).trust_truncation(true);
        let is = |classifier: UsageOverflow<()>| classifier.overflow(&sent, &usage).is_some();
        (is(wary), is(trusting))
    }

    #[test]
    fn each_shape_of_a_full_window_is_recognised() {
        let said = Usage::new(10, 5).stop(Some(Stop::ContextWindow));
        let nothing_written = Usage::new(990, 0).stop(LENGTH);
        for usage in [said, nothing_written, Usage::new(1_001, 5)] {
            assert_eq!(overflows(usage, None), (true, true), "{usage:?}");
        }
        let short = Usage::new(500, 40).stop(LENGTH);
        assert_eq!(overflows(short, Some(41)), (false, true));
    }

    #[test]
    fn output_that_ends_with_the_window_is_an_overflow() {
        let all = Usage::new(900, 100).stop(LENGTH);
        assert!(overflows(all, None).0);
        assert!(overflows(all, Some(101)).0);
        // It is as long as it was asked to be, and the window was just enough.
        assert_eq!(overflows(all, Some(100)), (false, false));
        assert_eq!(overflows(all.stop(Some(Stop::Done)), None), (false, false));
        for other in [99, 101] {
            assert!(!overflows(Usage::new(900, other).stop(LENGTH), None).0);
        }
    }

    #[test]
    fn output_that_nobody_bounded_may_have_filled_the_window_by_itself() {
        let endless = Usage::new(499, 501).stop(LENGTH);
        assert!(!overflows(endless, None).0);
        assert!(!overflows(endless, Some(1_000)).0);
        assert!(overflows(endless, Some(999)).0);
        assert!(overflows(Usage::new(500, 500).stop(LENGTH), None).0);
    }

    #[test]
    fn what_a_lowered_output_leaves_of_the_window_is_no_overflow() {
        let mut sent = sent(Some(100));
        sent.asked_output = Some(4_000);
        let all = Usage::new(900, 100).stop(LENGTH);
        assert_eq!(UsageOverflow::new(()).overflow(&sent, &all), None);
    }

    #[test]
    fn a_full_window_says_how_much_the_prompt_may_have() {
        let overflow = |max_output| {
            let usage = Usage::new(900, 100).stop(LENGTH);
            UsageOverflow::new(()).overflow(&sent(max_output), &usage)
        };
        let all = Overflow::new().input(900);
        let unbounded = all.limit(1_000, Scope::Input);
        assert_eq!(overflow(None), Some(unbounded));
        assert_eq!(overflow(Some(100_000)), Some(unbounded));
        let bounded = all.output(300).limit(1_000, Scope::Total);
        assert_eq!(overflow(Some(300)), Some(bounded));
    }

    #[test]
    fn a_full_output_alone_is_none() {
        let done = Usage::new(1_000, 5).stop(Some(Stop::Done));
        let nothing = Usage::new(0, 0).stop(LENGTH);
        let as_asked = Usage::new(500, 41).stop(LENGTH);
        for usage in [done, nothing, as_asked] {
            assert_eq!(overflows(usage, Some(41)), (false, false), "{usage:?}");
        }
        for usage in [
            Usage::new(989, 0).stop(LENGTH),
            Usage::new(500, 40).stop(LENGTH),
        ] {
            assert_eq!(overflows(usage, None), (false, false), "{usage:?}");
        }
    }

    #[test]
    fn a_prompt_that_was_read_in_part_is_an_overflow_only_where_that_is_trusted() {
        let sent = Sent {
            window: 128_000,
            estimated: 160_000,
            ..sent(None)
        };
        let cut = Usage::new(16_387, 50).stop(Some(Stop::Done));
        let classifier = UsageOverflow::new(());
        assert_eq!(classifier.overflow(&sent, &cut), None);
        let trusting = classifier.trust_truncation(true);
        let takes = Overflow::new().limit(16_387, Scope::Input);
        assert_eq!(trusting.overflow(&sent, &cut), Some(takes));
        let whole = Usage::new(90_000, 50).stop(Some(Stop::Done));
        assert_eq!(trusting.overflow(&sent, &whole), None);
    }
}
