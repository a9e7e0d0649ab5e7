use std::fmt;

use crate::{FitReport, Usage};

/// A response, with what was done to the request that it answers.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FittedResponse<Res> {
    /// The response.
    pub response: Res,
    /// What was done to the request; `None` if it was sent as the caller gave it.
    ///
    /// Its plan is made for the request as the caller gave it, also where a recovery made it
    /// smaller once more: there the report is of the recovery alone, whose
    /// [reason](FitReport::reason) is an overflow. What a summary cost that was made before is told
    /// by [`FitEvent::SummaryRun`](crate::FitEvent::SummaryRun).
    pub report: Option<FitReport>,
    /// What the answer cost, where somebody [reads](crate::OverflowClassifier::usage) that. `None`
    /// of a stream, which tells it later.
    pub usage: Option<Usage>,
}

impl<Res> FittedResponse<Res> {
    /// The same beside another response.
    pub fn map<T>(self, change: impl FnOnce(Res) -> T) -> FittedResponse<T> {
        FittedResponse {
            response: change(self.response),
            report: self.report,
            usage: self.usage,
        }
    }
}

impl<Res> fmt::Debug for FittedResponse<Res> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("FittedResponse")
            .field("report", &self.report)
            .field("usage", &self.usage)
            .finish_non_exhaustive()
    }
}
