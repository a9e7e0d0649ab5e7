//! Numbers on the command line, and what is said of those that mean nothing.

/// A number of tokens.
pub(super) fn tokens(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "must be a whole number of tokens".to_owned())
}

/// A window that something fits.
pub(super) fn window(text: &str) -> Result<u64, String> {
    match tokens(text)? {
        0 => Err("must be at least 1".to_owned()),
        window => Ok(window),
    }
}

/// A factor that something can be counted with.
pub(super) fn factor(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|factor| (0.001..=1_000.0).contains(factor))
        .ok_or_else(|| "must be a number between 0.001 and 1000".to_owned())
}
