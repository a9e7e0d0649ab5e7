use std::time::Duration;

use crate::Timer;
#[cfg(feature = "tokio")]
use crate::TokioTimer;
use crate::summarize::{Attempts, OrElse, StallTimeout, Summarizer};

/// What can be put around any [`Summarizer`].
///
/// ```
/// use std::time::Duration;
///
/// use contextfit_tower::{Archive, Fitter, Summarizer, SummarizerExt, Timer};
///
/// # fn build(
/// #     small: impl Summarizer + 'static,
/// #     large: impl Summarizer + 'static,
/// #     timer: impl Timer + 'static,
/// # ) -> Result<Fitter, contextfit_tower::ConfigError> {
/// let summarizer = small
///     .stall_timeout_with(Duration::from_secs(60), timer)
///     .attempts(2)
///     .or_else(large)
///     .or_else(Archive);
/// let fitter = Fitter::builder().window(128_000).summarizer(summarizer).build()?;
/// # Ok(fitter) }
/// ```
pub trait SummarizerExt: Summarizer + Sized {
    /// Asks again where a call failed or [stalled](crate::SummarizeError::Stalled), or where the
    /// summary is blank, cut off or the call of a tool: as often as that, in all. At least once.
    ///
    /// It is asked again at once. [`SummarizeError::Abort`](crate::SummarizeError::Abort) passes, and
    /// a summary over its bound isn't its affair: that is asked for once more anyway, in fewer
    /// tokens.
    fn attempts(self, most: usize) -> Attempts<Self> {
        Attempts::new(self, most)
    }

    /// Gives a call up when its model puts nothing out for so long.
    ///
    /// Whatever it puts out starts the time anew, thoughts too, and there is no time that all may
    /// take. Waiting to connect counts, and headers are no output. It is told of output by
    /// [`SummaryJob::progress`](crate::SummaryJob::progress): a summarizer that doesn't read a
    /// stream has so long for its whole answer.
    ///
    /// Time is Tokio's; the future has to be polled in its runtime, with time enabled.
    #[cfg(feature = "tokio")]
    fn stall_timeout(self, after: Duration) -> StallTimeout<Self, TokioTimer> {
        self.stall_timeout_with(after, TokioTimer)
    }

    /// [`stall_timeout`](Self::stall_timeout), with a clock of yours.
    fn stall_timeout_with<T: Timer>(self, after: Duration, timer: T) -> StallTimeout<Self, T> {
        StallTimeout::new(self, after, timer)
    }

    /// Asks another one where this one failed, or what it wrote is refused.
    ///
    /// Each reads the whole conversation in its own way, in chunks if its
    /// [window](Summarizer::window) asks for it. [`SummarizeError::Abort`](crate::SummarizeError)
    /// ends the request, whoever says it. Where none has a usable summary, the error has those of
    /// all: [`SummarizeError::Exhausted`](crate::SummarizeError::Exhausted).
    fn or_else<O: Summarizer>(self, other: O) -> OrElse<Self, O> {
        OrElse::new(self, other)
    }
}

impl<Z: Summarizer> SummarizerExt for Z {}
