use std::hash::{BuildHasher, Hash, Hasher};

use contextfit_core::request::Conversation;
use rapidhash::quality::RandomState;

/// Fingerprints of a prompt and of all its starts, one for each number of messages.
///
/// A fingerprint covers the model, what stands beside the messages, and so many messages. Two
/// prompts with the same one are the same, but for an accident of 1 in 2^64.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    /// Of the prompt without any message, with one, and so on. Never empty.
    starts: Vec<u64>,
}

impl Fingerprints {
    /// Reads all of a conversation once. `key` makes it impossible to aim at a fingerprint.
    pub(crate) fn of<V: Conversation>(view: &V, key: &RandomState) -> Self {
        let mut hasher = key.build_hasher();
        view.model().hash(&mut hasher);
        view.fixed(&mut |piece| piece.hash(&mut hasher));
        let mut starts = Vec::with_capacity(view.len() + 1);
        starts.push(hasher.finish());
        for index in 0..view.len() {
            // The number tells where a message starts, so that its pieces can't be another's.
            (index, view.message(index).role).hash(&mut hasher);
            view.pieces(index, &mut |piece| piece.hash(&mut hasher));
            starts.push(hasher.finish());
        }
        Self { starts }
    }

    /// The fingerprint of the whole prompt.
    pub(crate) fn whole(&self) -> u64 {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The fingerprint of the start with so many messages, or of the whole prompt if it has fewer.
    pub(crate) fn of_start(&self, messages: usize) -> u64 {
        let start = self.starts.get(messages).copied();
        start.unwrap_or_else(|| self.whole())
    }

    /// The number of messages of each start, and its fingerprint; the whole prompt first.
    pub(crate) fn longest_first(&self) -> impl Iterator<Item = (usize, u64)> {
        self.starts.iter().copied().enumerate().rev()
    }
}
