use std::hash::{BuildHasher, Hash, Hasher};

use ahash::RandomState;
use contextfit_core::request::{Conversation, Role};

/// Fingerprints of the places where a prompt may have ended before, in order: before each message
/// of the model, and at the end.
///
/// A fingerprint covers the model, what stands beside the messages, and all messages before the
/// place. Two prompts with the same one are the same, but for an accident of 1 in 2^64.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    /// How many messages stand before a place, and its fingerprint. Never empty.
    places: Vec<(usize, u64)>,
}

impl Fingerprints {
    /// Reads all of a conversation once. `key` makes it impossible to aim at a fingerprint.
    pub(crate) fn of<V: Conversation>(view: &V, key: &RandomState) -> Self {
        let mut hasher = key.build_hasher();
        view.model().hash(&mut hasher);
        view.fixed(&mut |piece| piece.hash(&mut hasher));
        let mut places = Vec::new();
        for index in 0..view.len() {
            let role = view.message(index).role;
            if role == Role::Assistant {
                places.push((index, hasher.finish()));
            }
            // The number tells where a message starts, so that its pieces can't be another's.
            (index, role).hash(&mut hasher);
            view.pieces(index, &mut |piece| piece.hash(&mut hasher));
        }
        places.push((view.len(), hasher.finish()));
        Self { places }
    }

    /// The fingerprint of the whole prompt.
    pub(crate) fn whole(&self) -> u64 {
        self.places
            .last()
            .map_or(0, |&(_, fingerprint)| fingerprint)
    }

    /// The places from the last to the first.
    pub(crate) fn longest_first(&self) -> impl Iterator<Item = (usize, u64)> {
        self.places.iter().rev().copied()
    }
}
