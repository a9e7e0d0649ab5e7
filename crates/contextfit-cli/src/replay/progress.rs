use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error; a hidden one if nobody watches.
pub(crate) fn bar(requests: usize) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40.cyan/dim} {human_pos}/{human_len} requests");
    ProgressBar::new(requests as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
