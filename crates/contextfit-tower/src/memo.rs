use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};

use contextfit_core::estimate::{Estimator, TokenCount};
use contextfit_core::request::{Piece, Role};
use quick_cache::UnitWeighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use rapidhash::quality::RandomState;

/// An estimator that remembers what it counted.
///
/// A conversation comes back with every request, a little longer. A tokenizer would count all of
/// it again each time; behind a memo it counts what is new. To find that a million tokens are
/// known takes less than a thousandth of a second. It doesn't pay for estimators as fast as
/// [`CharEstimator`](contextfit_core::estimate::CharEstimator).
///
/// Share one among requests, in an `Arc` or in the estimator of a fitter. No lock is held while
/// the inner estimator counts: requests that bring the same new text at the same moment may each
/// count it.
///
/// What is remembered is a number for each piece, under a hash of its kind and all its texts
/// (rapidhash, because it reads as fast as memory does). Its key is drawn at random for each memo,
/// so that nobody can prepare two texts that are taken for one another; by chance it happens to one
/// in 2⁶⁴ pairs of the same length. No text is kept.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use contextfit_core::estimate::{Estimator, TokenCount, estimator_fn};
/// use contextfit_core::request::{Piece, Str};
/// use contextfit_tower::Memo;
///
/// let counted = AtomicU64::new(0);
/// let estimator = Memo::new(estimator_fn(|piece| {
///     counted.fetch_add(1, Ordering::Relaxed);
///     let mut words = 0;
///     piece.for_each_text(|text| words += text.decode().split_whitespace().count() as u64);
///     TokenCount::tokens(words)
/// }));
/// let piece = Piece::Text(Str::plain("one two three"));
/// assert_eq!(estimator.count(piece), estimator.count(piece));
/// assert_eq!(counted.into_inner(), 1);
/// ```
pub struct Memo<E> {
    inner: E,
    counts: Cache<Key, TokenCount, UnitWeighter, RandomState>,
    hash: RandomState,
}

/// What a piece is remembered under.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    hash: u64,
    /// Bytes of its texts, as they are written.
    bytes: u64,
}

impl<E> Memo<E> {
    /// Pieces that are remembered, unless set: about 6 MB. A conversation of a million tokens has
    /// some thousand.
    pub const ENTRIES: usize = 1 << 16;

    /// A memo that remembers [`ENTRIES`](Self::ENTRIES) pieces, and nothing yet.
    #[must_use]
    pub fn new(inner: E) -> Self {
        Self::with_entries(inner, Self::ENTRIES)
    }

    /// A memo that remembers so many pieces, at about 90 bytes each. When it is full, those go
    /// that weren't asked for again.
    #[must_use]
    pub fn with_entries(inner: E, entries: usize) -> Self {
        Self {
            inner,
            counts: Cache::with(
                entries,
                entries as u64,
                UnitWeighter,
                RandomState::new(),
                DefaultLifecycle::default(),
            ),
            hash: RandomState::new(),
        }
    }

    /// The inner estimator.
    pub const fn get_ref(&self) -> &E {
        &self.inner
    }

    /// Gives the inner estimator back, and forgets.
    pub fn into_inner(self) -> E {
        self.inner
    }

    /// Pieces that are remembered now.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// `None` for media: they cost by more than text, and nothing worth remembering.
    fn key(&self, piece: Piece<'_>) -> Option<Key> {
        if let Piece::Media(_) = piece {
            return None;
        }
        let mut hasher = self.hash.build_hasher();
        let mut bytes = 0_u64;
        piece.kind().hash(&mut hasher);
        piece.for_each_text(|text| {
            let written = text.written().as_bytes();
            let length = written.len() as u64;
            // With its length no text runs into the next.
            hasher.write_u64(length << 1 | u64::from(text.is_escaped()));
            hasher.write(written);
            bytes += length;
        });
        Some(Key {
            hash: hasher.finish(),
            bytes,
        })
    }
}

impl<E: Estimator> Estimator for Memo<E> {
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        let Some(key) = self.key(piece) else {
            return self.inner.count(piece);
        };
        self.counts.get(&key).unwrap_or_else(|| {
            let count = self.inner.count(piece);
            self.counts.insert(key, count);
            count
        })
    }

    fn message_overhead(&self, role: Role) -> TokenCount {
        self.inner.message_overhead(role)
    }

    fn request_overhead(&self, schemas: usize) -> TokenCount {
        self.inner.request_overhead(schemas)
    }

    /// Known counts answer. Of what isn't known no more is counted than the inner estimator needs
    /// for the answer, and nothing is remembered.
    fn exceeds(&self, piece: Piece<'_>, limit: TokenCount) -> bool {
        let known = self.key(piece).and_then(|key| self.counts.get(&key));
        known.map_or_else(|| self.inner.exceeds(piece, limit), |count| count > limit)
    }
}

impl<E: fmt::Debug> fmt::Debug for Memo<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo")
            .field("inner", &self.inner)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier, Weak};
    use std::thread;

    use contextfit_core::request::{Media, MediaKind, Str};

    /// Counts characters, and how often it is asked.
    #[derive(Default)]
    struct Counted {
        counts: AtomicUsize,
        answers: AtomicUsize,
    }

    impl Estimator for Counted {
        fn count(&self, piece: Piece<'_>) -> TokenCount {
            self.counts.fetch_add(1, Ordering::SeqCst);
            let mut chars = 0;
            piece.for_each_text(|text| chars += text.char_count() as u64);
            TokenCount::tokens(chars)
        }

        fn message_overhead(&self, _: Role) -> TokenCount {
            TokenCount::tokens(5)
        }

        fn request_overhead(&self, schemas: usize) -> TokenCount {
            TokenCount::tokens(schemas as u64)
        }

        fn exceeds(&self, piece: Piece<'_>, limit: TokenCount) -> bool {
            self.answers.fetch_add(1, Ordering::SeqCst);
            let mut chars = 0;
            piece.for_each_text(|text| chars += text.char_count() as u64);
            TokenCount::tokens(chars) > limit
        }
    }

    fn text(text: &str) -> Piece<'_> {
        Piece::Text(Str::plain(text))
    }

    /// Pieces with the same bytes in the same order.
    fn look_alikes() -> Vec<Piece<'static>> {
        let call = |id, name, arguments| Piece::ToolCall {
            id: Str::plain(id),
            name: Str::plain(name),
            arguments: Str::plain(arguments),
        };
        let result = |call_id, name, content| Piece::ToolResult {
            call_id: Str::plain(call_id),
            name: Str::plain(name),
            content: Str::plain(content),
        };
        let ab = Str::plain(r"a\n");
        vec![
            Piece::Text(ab),
            Piece::Text(Str::escaped(r"a\n")),
            Piece::Thinking(ab),
            Piece::Speaker(ab),
            Piece::Schema(ab),
            Piece::Opaque(ab),
            call("a", r"\n", ""),
            call("", "a", r"\n"),
            call("a", "", r"\n"),
            call(r"a\", "n", ""),
            result("a", r"\n", ""),
        ]
    }

    #[test]
    fn what_is_known_is_not_counted_again() {
        let memo = Memo::new(Counted::default());
        for _ in 0..3 {
            assert_eq!(memo.count(text("abc")), TokenCount::tokens(3));
            assert_eq!(memo.count(text("")), TokenCount::ZERO);
        }
        assert_eq!(memo.get_ref().counts.load(Ordering::SeqCst), 2);
        assert_eq!(memo.len(), 2);
    }

    #[test]
    fn pieces_that_look_alike_are_told_apart() {
        let memo = Memo::new(Counted::default());
        let keys: HashSet<_> = look_alikes().into_iter().map(|it| memo.key(it)).collect();
        assert_eq!(keys.len(), look_alikes().len());
    }

    #[test]
    fn every_memo_has_a_key_of_its_own() {
        let [one, other] = [(); 2].map(|()| Memo::new(Counted::default()));
        assert!(one.key(text("abc")) != other.key(text("abc")));
        assert!(one.key(text("abc")) == one.key(text("abc")));
    }

    #[test]
    fn no_more_is_remembered_than_said() {
        let memo = Memo::with_entries(Counted::default(), 100);
        for number in 0..10_000 {
            let number = number.to_string();
            assert_eq!(memo.count(text(&number)).floor(), number.len() as u64);
        }
        assert!((50..=100).contains(&memo.len()), "{}", memo.len());
    }

    #[test]
    fn a_memo_without_room_still_counts() {
        let memo = Memo::with_entries(Counted::default(), 0);
        assert_eq!(memo.count(text("abc")), TokenCount::tokens(3));
        assert!(memo.is_empty());
    }

    #[test]
    fn a_known_count_answers_and_what_is_unknown_is_forwarded() {
        let memo = Memo::new(Counted::default());
        let [two, three] = [2, 3].map(TokenCount::tokens);
        assert!(memo.exceeds(text("abc"), two) && !memo.exceeds(text("abc"), three));
        assert_eq!(memo.get_ref().answers.load(Ordering::SeqCst), 2);
        assert!(memo.is_empty());
        memo.count(text("abc"));
        assert!(memo.exceeds(text("abc"), two) && !memo.exceeds(text("abc"), three));
        assert_eq!(memo.get_ref().answers.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn media_and_what_stands_beside_pieces_are_forwarded() {
        let memo = Memo::new(Counted::default());
        let image = Piece::Media(Media::new(MediaKind::Image));
        assert_eq!(memo.count(image), memo.count(image));
        assert_eq!(memo.get_ref().counts.load(Ordering::SeqCst), 2);
        assert_eq!(memo.message_overhead(Role::User).floor(), 5);
        assert_eq!(memo.request_overhead(7).floor(), 7);
    }

    /// Asks the memo it is in, for the same piece, while it counts.
    struct Reentrant(Weak<Memo<Self>>, AtomicUsize);

    impl Estimator for Reentrant {
        fn count(&self, piece: Piece<'_>) -> TokenCount {
            if self.1.fetch_add(1, Ordering::SeqCst) < 3 {
                return self.0.upgrade().unwrap().count(piece);
            }
            TokenCount::tokens(1)
        }

        fn message_overhead(&self, _: Role) -> TokenCount {
            TokenCount::ZERO
        }
    }

    #[test]
    fn no_lock_is_held_while_counting() {
        let memo = Arc::new_cyclic(|memo: &Weak<Memo<Reentrant>>| {
            Memo::new(Reentrant(memo.clone(), AtomicUsize::new(0)))
        });
        assert_eq!(memo.count(text("abc")), TokenCount::tokens(1));
        assert_eq!(memo.len(), 1);
    }

    #[test]
    fn threads_share_what_is_known_and_count_it_no_more_than_once_each() {
        const THREADS: usize = 4;
        let memo = Memo::new(Counted::default());
        let texts: Vec<String> = (0..200).map(|length| "x".repeat(length)).collect();
        let start = Barrier::new(THREADS);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    start.wait();
                    for (length, it) in texts.iter().enumerate() {
                        assert_eq!(memo.count(text(it)).floor(), length as u64);
                    }
                });
            }
        });
        let counted = memo.get_ref().counts.load(Ordering::SeqCst);
        assert!((200..=200 * THREADS).contains(&counted));
        for it in &texts {
            memo.count(text(it));
        }
        assert_eq!(memo.get_ref().counts.load(Ordering::SeqCst), counted);
    }
}
