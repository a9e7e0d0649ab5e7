use std::fmt;

use tower_layer::Layer;

use super::PeekFirst;

/// Applies [`PeekFirst`] to a service.
///
/// See the [module docs](super) for an example.
#[derive(Clone, Copy)]
pub struct PeekFirstLayer<F> {
    look: F,
    most_held: usize,
}

impl<F> PeekFirstLayer<F> {
    /// Items that are held back at most, unless set.
    pub const MOST_HELD: usize = 64;

    /// Holds items back until `look`, which says what an item means, finds something else than
    /// bookkeeping: an [`ItemKind`](super::ItemKind).
    pub const fn new(look: F) -> Self {
        Self {
            look,
            most_held: Self::MOST_HELD,
        }
    }

    /// The most items to hold back. A stream with more bookkeeping than that is passed on with what
    /// there is. 64 unless set; with 0 as with 1, the first item decides.
    #[must_use]
    pub const fn most_held(mut self, items: usize) -> Self {
        self.most_held = items;
        self
    }
}

impl<S, F: Clone> Layer<S> for PeekFirstLayer<F> {
    type Service = PeekFirst<S, F>;

    fn layer(&self, inner: S) -> Self::Service {
        PeekFirst::new(inner, self.look.clone(), self.most_held)
    }
}

impl<F> fmt::Debug for PeekFirstLayer<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeekFirstLayer")
            .field("most_held", &self.most_held)
            .finish_non_exhaustive()
    }
}
