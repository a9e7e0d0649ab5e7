use std::fmt;
use std::sync::Arc;

use super::TokenCount;
use crate::request::{Piece, Role};

/// Counts tokens, exactly or not.
///
/// An estimator is asked once per piece of every request, on the caller's task: it must be
/// fast and must not block. It must be deterministic, give nothing for empty text, and may be
/// off at the seams between pieces: whoever uses the numbers leaves a reserve.
///
/// ```
/// use contextfit_core::estimate::{Estimator, TokenCount};
/// use contextfit_core::request::{Piece, Role, Str};
///
/// /// Three bytes a token: a cautious rule for source code.
/// struct ThreeBytes;
///
/// impl Estimator for ThreeBytes {
///     fn count(&self, piece: Piece<'_>) -> TokenCount {
///         let mut bytes = 0;
///         piece.for_each_text(|text| bytes += text.decode().len() as u64);
///         TokenCount::ratio(bytes, 3)
///     }
///
///     fn message_overhead(&self, _: Role) -> TokenCount {
///         TokenCount::tokens(4)
///     }
/// }
///
/// assert_eq!(ThreeBytes.count(Piece::Text(Str::plain("abcdef"))).floor(), 2);
/// ```
pub trait Estimator: Send + Sync {
    /// What a piece costs.
    fn count(&self, piece: Piece<'_>) -> TokenCount;

    /// What the framing of a message of this role costs, beyond its pieces.
    fn message_overhead(&self, role: Role) -> TokenCount;

    /// What a request costs once, whatever it says: what introduces the reply, and what comes
    /// with the first of its `schemas`. It counts as beside the messages. Nothing unless said.
    fn request_overhead(&self, schemas: usize) -> TokenCount {
        let _ = schemas;
        TokenCount::ZERO
    }

    /// Whether a piece costs more than `limit`. A tokenizer can stop early here; the answer
    /// must be the one [`count`](Self::count) gives.
    fn exceeds(&self, piece: Piece<'_>, limit: TokenCount) -> bool {
        self.count(piece) > limit
    }
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        impl<E: Estimator + ?Sized> Estimator for $pointer {
            fn count(&self, piece: Piece<'_>) -> TokenCount {
                (**self).count(piece)
            }

            fn message_overhead(&self, role: Role) -> TokenCount {
                (**self).message_overhead(role)
            }

            fn request_overhead(&self, schemas: usize) -> TokenCount {
                (**self).request_overhead(schemas)
            }

            fn exceeds(&self, piece: Piece<'_>, limit: TokenCount) -> bool {
                (**self).exceeds(piece, limit)
            }
        }
    )*};
}
forward_to_inner!(&E, Arc<E>, Box<E>);

/// Makes an estimator of a closure over pieces. Messages then have no overhead of their own.
///
/// ```
/// use contextfit_core::estimate::{Estimator, TokenCount, estimator_fn};
/// use contextfit_core::request::{Piece, Str};
///
/// let words = estimator_fn(|piece| {
///     let mut words = 0;
///     piece.for_each_text(|text| words += text.decode().split_whitespace().count() as u64);
///     TokenCount::tokens(words)
/// });
/// assert_eq!(words.count(Piece::Text(Str::plain("one two three"))).floor(), 3);
/// ```
pub fn estimator_fn<F>(count: F) -> EstimatorFn<F>
where
    F: Fn(Piece<'_>) -> TokenCount + Send + Sync,
{
    EstimatorFn { count }
}

/// An estimator made of a closure. See [`estimator_fn`].
#[derive(Clone, Copy)]
pub struct EstimatorFn<F> {
    count: F,
}

impl<F> fmt::Debug for EstimatorFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EstimatorFn").finish_non_exhaustive()
    }
}

impl<F> Estimator for EstimatorFn<F>
where
    F: Fn(Piece<'_>) -> TokenCount + Send + Sync,
{
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        (self.count)(piece)
    }

    fn message_overhead(&self, _: Role) -> TokenCount {
        TokenCount::ZERO
    }
}
