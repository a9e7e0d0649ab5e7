use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a summarizer says that its model puts something out, for whoever waits for it.
///
/// A clone says it to the same. Cheap enough for every chunk of a stream.
#[derive(Clone, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// The model put something out, be it words or thoughts. The headers of a response are nothing
    /// that it put out.
    pub fn output(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How often anything was put out.
    pub(super) fn outputs(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&self.outputs()).finish()
    }
}
