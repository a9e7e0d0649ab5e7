use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};
use std::sync::Arc;

/// Counts of texts that were counted before.
///
/// Keyed by the texts themselves, so it is never wrong; when it is full it forgets everything,
/// which no replay of a conversation ever brings about.
#[derive(Default)]
pub(super) struct Memo {
    counts: HashMap<Arc<str>, u64, BuildHasherDefault<Sampling>>,
    bytes: usize,
}

impl Memo {
    /// The most it holds, in bytes.
    const MOST: usize = 256 << 20;
    /// About what an entry costs beside its text.
    const ENTRY: usize = 64;

    pub(super) fn get(&self, text: &str) -> Option<u64> {
        self.counts.get(text).copied()
    }

    pub(super) fn put(&mut self, text: Arc<str>, count: u64) {
        self.put_bounded(text, count, Self::MOST);
    }

    fn put_bounded(&mut self, text: Arc<str>, count: u64, most: usize) {
        let bytes = text.len() + Self::ENTRY;
        if bytes > most || self.counts.contains_key(&text) {
            return;
        }
        if self.bytes + bytes > most {
            *self = Self::default();
        }
        self.counts.insert(text, count);
        self.bytes += bytes;
    }
}

/// Hashes a sample of a long text.
///
/// A replay looks up the same megabytes over and over, in builds without optimisation too.
/// Texts that differ elsewhere only are told apart by comparing them.
#[derive(Default)]
struct Sampling(DefaultHasher);

impl Sampling {
    const SAMPLES: usize = 8;
    const SAMPLE: usize = 32;
}

impl Hasher for Sampling {
    fn write(&mut self, bytes: &[u8]) {
        if bytes.len() <= Self::SAMPLES * Self::SAMPLE {
            self.0.write(bytes);
            return;
        }
        let last = bytes.len() - Self::SAMPLE;
        for sample in 0..Self::SAMPLES {
            let start = last / (Self::SAMPLES - 1) * sample;
            self.0.write(&bytes[start..start + Self::SAMPLE]);
        }
        self.0.write(&bytes[last..]);
        self.0.write_usize(bytes.len());
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_the_same_sample_are_told_apart() {
        let mut memo = Memo::default();
        let mut text = "a".repeat(10_000);
        memo.put(text.as_str().into(), 1);
        for at in [0, 33, 5_000, 9_900, 9_999] {
            text.replace_range(at..=at, "b");
            assert_eq!(memo.get(&text), None);
        }
        memo.put(text.as_str().into(), 2);
        assert_eq!(memo.get(&text), Some(2));
        assert_eq!(memo.get(&"a".repeat(10_000)), Some(1));
    }

    #[test]
    fn a_full_memo_starts_anew() {
        let most = 2 * (Memo::ENTRY + 1);
        let mut memo = Memo::default();
        for (text, count) in [("a", 1), ("b", 2), ("b", 2), ("c", 3)] {
            memo.put_bounded(text.into(), count, most);
        }
        assert_eq!((memo.get("a"), memo.get("c")), (None, Some(3)));
        memo.put_bounded("too long to be kept".repeat(10).into(), 4, most);
        assert_eq!((memo.counts.len(), memo.bytes), (1, most / 2));
    }
}
