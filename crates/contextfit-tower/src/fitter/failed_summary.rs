use super::compose::Composed;
use super::rewrite::{Rewrite, Stand};
use super::{FailedSummary, Fitter, WhenStuck};
use crate::{FitError, SummarizeError};

impl<A> Fitter<A> {
    /// What to do without a usable summary; `None` if the request stays as it is.
    pub(super) fn without_summary(
        &self,
        rewrite: &mut Rewrite,
        error: SummarizeError,
    ) -> Result<Option<Composed>, FitError> {
        let settings = &self.shared.settings;
        if let SummarizeError::Abort(_) = error {
            return Err(error.into());
        }
        if rewrite.optional {
            return Ok(None);
        }
        let left_out = || Composed {
            stand: Stand::default(),
            degraded: true,
        };
        match settings.failed_summary {
            FailedSummary::Omit | FailedSummary::Archive => Ok(Some(left_out())),
            FailedSummary::Refuse => Err(error.into()),
            FailedSummary::Untouched if rewrite.fits_as_it_is() => Ok(None),
            FailedSummary::Untouched if rewrite.fits_without_a_cut() => Ok(Some(left_out())),
            FailedSummary::Untouched => match settings.when_stuck {
                WhenStuck::Refuse => Err(error.into()),
                WhenStuck::Send => Ok(None),
            },
        }
    }
}
