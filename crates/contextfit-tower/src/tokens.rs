//! What a text of ours costs.

use contextfit_core::estimate::{Estimator, TokenCount};
use contextfit_core::plan::clip_text;
use contextfit_core::request::{Piece, Role, Str};

/// Tokens of a text by itself, rounded up: what a bound means.
pub(crate) fn text_tokens(estimator: &dyn Estimator, text: &str) -> u64 {
    estimator.count(Piece::Text(Str::plain(text))).ceil()
}

/// Tokens of a user message with one text, as estimators round it.
pub(crate) fn user_message_tokens(estimator: &dyn Estimator, text: &str) -> u64 {
    let count: TokenCount =
        estimator.message_overhead(Role::User) + estimator.count(Piece::Text(Str::plain(text)));
    count.floor()
}

/// A text as far as it fits into so many tokens, as they are counted, with a marker for the rest;
/// empty where not even that fits.
pub(crate) fn shortened(text: &str, most: u64, count: impl Fn(&str) -> u64) -> String {
    if count(text) <= most {
        return text.to_owned();
    }
    clip_text(text, most, count)
        .map(|(shorter, _)| shorter)
        .unwrap_or_default()
}
