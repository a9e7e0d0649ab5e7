use std::fmt;
use std::sync::Arc;

/// A secret that envelopes are sealed with.
///
/// It is derived from the secret that is given, with a short id that tells which key sealed an
/// envelope and says nothing about it.
///
/// ```
/// use contextfit_core::summary::{EnvelopeKey, EnvelopeKeys};
///
/// // From a secret store, the same in every process that reads the same conversations.
/// let (new, old) = (b"a secret of 16 bytes or more", b"the secret of last year, say");
/// let keys = EnvelopeKeys::new(EnvelopeKey::new(new)?).retired(EnvelopeKey::new(old)?);
/// # Ok::<(), contextfit_core::summary::ShortSecret>(())
/// ```
#[derive(Clone)]
pub struct EnvelopeKey {
    id: String,
    key: [u8; 32],
}

impl EnvelopeKey {
    /// The fewest bytes of a secret.
    pub const LEAST: usize = 16;

    /// The key of a secret, which has to be hard to guess: random bytes, not a password.
    ///
    /// # Errors
    ///
    /// The secret has fewer than [`LEAST`](Self::LEAST) bytes.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ShortSecret> {
        let secret = secret.as_ref();
        if secret.len() < Self::LEAST {
            return Err(ShortSecret {
                bytes: secret.len(),
                least: Self::LEAST,
            });
        }
        let key = blake3::derive_key("contextfit 2026-11-30 envelope seal", secret);
        let id = blake3::derive_key("contextfit 2026-11-30 envelope key id", secret);
        let [a, b, c, d, ..] = id;
        Ok(Self {
            id: format!("{:08x}", u32::from_be_bytes([a, b, c, d])),
            key,
        })
    }

    /// What an envelope names it by, in eight hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    fn of_tenant(&self, tenant: &str) -> Self {
        let key = blake3::keyed_hash(&self.key, tenant.as_bytes());
        Self {
            id: self.id.clone(),
            key: blake3::derive_key("contextfit 2026-11-30 envelope tenant", key.as_bytes()),
        }
    }

    pub(super) fn hasher(&self) -> blake3::Hasher {
        blake3::Hasher::new_keyed(&self.key)
    }
}

/// A secret is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret of {bytes} bytes can be guessed: use {least} random bytes or more")]
pub struct ShortSecret {
    /// Bytes that it has.
    pub bytes: usize,
    /// Bytes that it must have.
    pub least: usize,
}

/// The key that envelopes are sealed with, and older ones that still open them.
///
/// A clone costs one count of references.
#[derive(Clone)]
pub struct EnvelopeKeys {
    keys: Arc<[EnvelopeKey]>,
}

impl EnvelopeKeys {
    /// Seals and opens envelopes with one key.
    #[must_use]
    pub fn new(current: EnvelopeKey) -> Self {
        Self {
            keys: Arc::new([current]),
        }
    }

    /// Also opens envelopes of an older key. What is written anew is sealed with the current one.
    #[must_use]
    pub fn retired(self, old: EnvelopeKey) -> Self {
        let keys = self.keys.iter().cloned().chain([old]);
        Self {
            keys: keys.collect(),
        }
    }

    /// The keys of one tenant: no other one's open its envelopes.
    #[must_use]
    pub fn of_tenant(&self, tenant: &str) -> Self {
        let keys = self.keys.iter().map(|key| key.of_tenant(tenant));
        Self {
            keys: keys.collect(),
        }
    }

    pub(super) fn current(&self) -> &EnvelopeKey {
        // Made of one key, and only ever given more.
        &self.keys[0]
    }

    pub(super) fn by_id(&self, id: &str) -> impl Iterator<Item = &EnvelopeKey> {
        self.keys.iter().filter(move |key| key.id == id)
    }
}

impl From<EnvelopeKey> for EnvelopeKeys {
    fn from(key: EnvelopeKey) -> Self {
        Self::new(key)
    }
}

impl fmt::Debug for EnvelopeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key itself stays out of logs.
        f.debug_struct("EnvelopeKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for EnvelopeKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_to_be_long_and_stays_out_of_logs() {
        let error = EnvelopeKey::new([7; 15]).unwrap_err();
        assert_eq!((error.bytes, error.least), (15, 16));
        let key = EnvelopeKey::new([7; 16]).unwrap();
        assert_eq!(key.id().len(), 8);
        let printed = format!("{:?}", EnvelopeKeys::new(key.clone()));
        assert!(
            printed.contains(key.id()) && !printed.contains("key: ["),
            "{printed}"
        );
    }
}
