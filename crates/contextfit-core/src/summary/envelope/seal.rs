use super::coverage::half;
use super::{EnvelopeKeys, Place};

/// What shows who wrote an envelope: the id of a key, and 16 bytes that only its holder can make for
/// this text at this place.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Seal {
    pub(super) key: String,
    pub(super) mac: [u8; 16],
}

impl Seal {
    /// Seals a text.
    pub(super) fn of(text: &str, place: &Place, keys: &EnvelopeKeys) -> Self {
        let key = keys.current();
        Self {
            key: key.id().to_owned(),
            mac: mac(text, place, key.hasher()),
        }
    }

    /// Whether a holder of these keys sealed the text at this place; `None` if the key isn't known.
    pub(super) fn opens(&self, text: &str, place: &Place, keys: &EnvelopeKeys) -> Option<bool> {
        let opens = |mac| whole(mac) == whole(self.mac);
        keys.by_id(&self.key)
            .map(|key| opens(mac(text, place, key.hasher())))
            .reduce(|one, other| one | other)
    }
}

fn mac(text: &str, place: &Place, mut hasher: blake3::Hasher) -> [u8; 16] {
    place.hash_into(&mut hasher);
    hasher.update(text.as_bytes());
    half(hasher.finalize())
}

/// Compared in constant time: how long it takes mustn't say how much of it was guessed right.
fn whole(mac: [u8; 16]) -> blake3::Hash {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&mac);
    blake3::Hash::from_bytes(bytes)
}
