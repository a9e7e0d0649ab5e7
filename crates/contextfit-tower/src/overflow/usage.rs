use super::{Overflow, OverflowClassifier, Scope, Sent};
use crate::{Stop, Usage, UsageReader};

/// Recognises a success that is an overflow, by its usage.
///
/// Some providers answer a request that is too long as if nothing had happened. It is one if
///
/// - the model stopped because its context window was full, by its own word,
/// - the prompt has more tokens than the window,
/// - the output was full with nothing generated and the prompt at 99 % of the window or more.
///
/// Output that is full and shorter than what the caller asked for is one too, also where a fitter
/// lowered it, but only where the provider doesn't cap the output by itself: say so with
/// [`trust_short_stops`](Self::trust_short_stops).
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
}

impl<U> UsageOverflow<U> {
    /// Recognises by what `reader` reads.
    pub const fn new(reader: U) -> Self {
        Self {
            reader,
            trust_short_stops: false,
        }
    }

    /// Whether output that is full below what was asked for means an overflow. Off unless set.
    #[must_use]
    pub const fn trust_short_stops(mut self, trust: bool) -> Self {
        self.trust_short_stops = trust;
        self
    }

    fn is_overflow(&self, sent: &Sent<'_>, usage: &Usage) -> bool {
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

impl<Res, Err, U: UsageReader<Res>> OverflowClassifier<Res, Err> for UsageOverflow<U> {
    fn classify(&self, sent: &Sent<'_>, result: &Result<Res, Err>) -> Option<Overflow> {
        let usage = self.reader.usage(result.as_ref().ok()?)?;
        self.is_overflow(sent, &usage).then(|| {
            Overflow::new()
                .input(usage.input)
                .limit(sent.window, Scope::Input)
        })
    }

    fn usage(&self, response: &Res) -> Option<Usage> {
        self.reader.usage(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Itself;

    impl UsageReader<Usage> for Itself {
        fn usage(&self, response: &Usage) -> Option<Usage> {
            Some(*response)
        }
    }

    fn overflows(usage: Usage, asked_output: Option<u32>) -> bool {
        let sent = Sent {
            model: None,
            window: 1_000,
            max_output: None,
            asked_output,
            estimated: 0,
            fixed: 0,
        };
        UsageOverflow::new(Itself)
            .trust_short_stops(true)
            .classify(&sent, &Ok::<_, ()>(usage))
            .is_some()
    }

    #[test]
    fn each_shape_of_a_full_window_is_recognised() {
        let length = Some(Stop::Length);
        assert!(overflows(Usage::new(1_001, 5), None));
        assert!(overflows(
            Usage::new(10, 5).stop(Some(Stop::ContextWindow)),
            None
        ));
        assert!(overflows(Usage::new(990, 0).stop(length), None));
        assert!(overflows(Usage::new(500, 40).stop(length), Some(41)));
    }

    #[test]
    fn a_full_output_alone_is_none() {
        let length = Some(Stop::Length);
        assert!(!overflows(
            Usage::new(1_000, 5).stop(Some(Stop::Done)),
            Some(100)
        ));
        assert!(!overflows(Usage::new(989, 0).stop(length), None));
        assert!(!overflows(Usage::new(0, 0).stop(length), Some(100)));
        assert!(!overflows(Usage::new(500, 41).stop(length), Some(41)));
        assert!(!overflows(Usage::new(500, 40).stop(length), None));
    }
}
