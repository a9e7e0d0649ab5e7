/// The most tokens of messages that a summarizer can be given to read, by its model's window.
///
/// From the `window` go the `max_tokens` of the summary, those of the `prompt` without the
/// messages, and those of the `previous` summary. A tenth of the rest is kept free, because counts
/// are estimates. Never less than 1.
///
/// ```
/// use contextfit_core::summary::input_budget;
///
/// assert_eq!(input_budget(8_000, 1_000, 600, 400), 5_400);
/// ```
#[must_use]
pub const fn input_budget(window: u64, max_tokens: u64, prompt: u64, previous: u64) -> u64 {
    let taken = max_tokens.saturating_add(prompt).saturating_add(previous);
    let left = window.saturating_sub(taken);
    match left - left.div_ceil(10) {
        0 => 1,
        budget => budget,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a9_nine_tenths_of_what_summary_prompt_and_previous_summary_leave() {
        assert_eq!(input_budget(32_768, 4_096, 900, 1_000), 24_094);
        // Rounded down.
        assert_eq!(input_budget(11, 0, 0, 0), 9);
        assert_eq!(input_budget(19, 3, 2, 1), 11);
        for (window, taken) in [(0, 0), (1, 0), (100, 99), (100, 100), (100, u64::MAX)] {
            assert_eq!(input_budget(window, taken, taken, 0), 1);
        }
        assert_eq!(input_budget(u64::MAX, 0, 0, 0), u64::MAX / 10 * 9 + 4);
    }
}
