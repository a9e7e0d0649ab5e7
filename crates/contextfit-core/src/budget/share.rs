/// A share of a number of tokens, rounded down and never more than all of it.
///
/// ```
/// use contextfit_core::budget::share_of;
///
/// assert_eq!(share_of(101, 0.5), 50);
/// assert_eq!(share_of(100, 2.0), 100);
/// assert_eq!(share_of(100, f64::NAN), 0);
/// ```
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a float to integer cast saturates, and the minimum bounds what precision loses"
)]
pub fn share_of(tokens: u64, share: f64) -> u64 {
    ((tokens as f64 * share) as u64).min(tokens)
}
