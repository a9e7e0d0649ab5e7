use std::fmt;
use std::sync::Arc;

use super::{Overflow, Sent, Size};
use crate::fitter::Fitter;
use crate::{FitEvent, Usage};

/// What a response says only after it was handed on, told to the fitter that sent its request.
///
/// A stream gives its usage at its end, and may fail after its first items. Whoever wraps the stream
/// gets one of these by [`OverflowClassifier::report_later`](super::OverflowClassifier::report_later),
/// keeps it in the stream, and reports what it reads. That does just what is done for a response that
/// says so at once; nothing is sent again, because something was handed out. On whichever task the
/// stream is read, that is where the observer hears of it.
///
/// Dropped unused, as with a stream that is given up, it reports nothing.
#[derive(Clone)]
pub struct LateReport {
    fitter: Fitter<()>,
    model: Option<Arc<str>>,
    size: Size,
}

impl LateReport {
    pub(crate) const fn new(fitter: Fitter<()>, model: Option<Arc<str>>, size: Size) -> Self {
        Self {
            fitter,
            model,
            size,
        }
    }

    /// The request that the response answers.
    #[must_use]
    pub fn sent(&self) -> Sent<'_> {
        self.size.sent(self.model.as_deref())
    }

    /// Reports what the provider counted: once, when all of it is known.
    ///
    /// A [`Calibrator`](crate::Calibrator) learns from it, and the observer hears of it by
    /// [`FitEvent::Usage`].
    pub fn usage(&self, usage: Usage) {
        self.fitter.note_usage(self.sent(), &self.size, usage);
    }

    /// Reports that the request was too long after all.
    ///
    /// Its numbers are learned as those of any overflow, and the observer hears of it by
    /// [`FitEvent::Overflow`], which says that nothing is recovered.
    pub fn overflow(&self, overflow: Overflow) {
        let sent = self.sent();
        self.fitter.learn_overflow(&sent, &self.size, &overflow);
        self.fitter.observe(&FitEvent::Overflow {
            sent,
            overflow,
            recovering: false,
        });
    }
}

impl fmt::Debug for LateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LateReport")
            .field("sent", &self.sent())
            .finish_non_exhaustive()
    }
}
