use std::sync::OnceLock;

use contextfit_core::summary::{EnvelopeKey, EnvelopeKeys};

use super::ConfigError;

/// The keys of this process, for whoever supplies none: random, the same for all fitters, gone with
/// the process.
pub(super) fn process_keys() -> Result<EnvelopeKeys, ConfigError> {
    static KEYS: OnceLock<EnvelopeKeys> = OnceLock::new();
    if let Some(keys) = KEYS.get() {
        return Ok(keys.clone());
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| ConfigError::NoRandomness(error.to_string()))?;
    let key = EnvelopeKey::new(secret)?;
    Ok(KEYS.get_or_init(|| key.into()).clone())
}
