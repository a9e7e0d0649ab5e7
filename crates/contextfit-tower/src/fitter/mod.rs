//! The engine: measures a request, and makes it fit if it doesn't.

mod ask;
mod builder;
mod compose;
mod counted;
mod decide;
mod due;
mod explain;
mod failed_summary;
mod finish;
mod fit;
mod ledger;
mod lower_output;
mod parts;
mod process_keys;
mod refit;
mod refused;
mod rewrite;
mod settings;
mod shares;
mod start;
mod summary_cost;
mod tell;

pub use self::builder::{ConfigError, FitterBuilder};
pub(crate) use self::fit::Fit;
pub use self::settings::{
    FailedSummary, OversizedFixedPart, Replay, Schemas, SplitTurn, SummaryBound, UnknownWindow,
    WhenStuck, WithoutNumbers,
};
pub(crate) use self::start::Start;

use std::fmt;
use std::sync::Arc;

use contextfit_core::budget::Window;
use contextfit_core::cut::CutPolicy;
use contextfit_core::estimate::{Estimator, Measured};
use contextfit_core::request::{Conversation, Native, RequestAdapter};
use contextfit_core::summary::{EnvelopeKeys, LedgerRules};

use self::refused::RefusedJobs;
use self::settings::Settings;
use crate::overflow::{Learned, Size};
use crate::summarize::SummarySettings;
use crate::{
    Calibrator, FitError, FitEvent, FitFailure, FitReport, LateReport, Models, Observer, Overflow,
    Sent, Summarizer, UnknownModel,
};

/// Makes requests fit into their model's context window.
///
/// One fitter holds the strategies and settings, and may be shared by any number of layers; a
/// clone costs one count of references. The two layers, [`ContextFitLayer`](crate::ContextFitLayer)
/// and [`OverflowRetryLayer`](crate::OverflowRetryLayer), put it around a provider service; a
/// caller who owns the history and wants it rewritten calls [`fit`](Self::fit).
///
/// The strategies are held behind pointers, so the type names none of them; only the adapter, which
/// knows the request's type, is part of it.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_tower::{Fitter, HeadSummarizer};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fitter = Fitter::builder().window(2_000).summarizer(HeadSummarizer).build()?;
///
/// let long = (0..200).map(|turn| ChatMessage::user(format!("Fact {turn}: {}", "x".repeat(80))));
/// let fitted = fitter.fit(ChatRequest::new("a-model", long)).await?;
///
/// let report = fitted.report.expect("it was too long");
/// assert!(report.fits() && report.tokens_before > 4_000);
/// assert!(fitted.request.messages.len() < 200);
/// # Ok(()) }
/// ```
pub struct Fitter<A = Native> {
    shared: Arc<Shared>,
    adapter: A,
}

/// All that doesn't depend on the request's type.
struct Shared {
    models: Box<dyn Models>,
    estimator: Arc<dyn Estimator>,
    policy: Box<dyn CutPolicy>,
    summarizer: Option<Arc<dyn Summarizer>>,
    summaries: Arc<SummarySettings>,
    observer: Box<dyn Observer>,
    settings: Settings,
    learned: Learned,
    calibrator: Option<Calibrator>,
    refused: RefusedJobs,
    keys: EnvelopeKeys,
    ledger: LedgerRules,
}

/// The window of a model, and what counts for it.
type KnownModel = (Window, Arc<dyn Estimator>);

/// A request that was brought to [`Fitter::fit`].
#[derive(Clone)]
#[non_exhaustive]
pub struct Fitted<R> {
    /// The request, changed or not.
    pub request: R,
    /// What was changed; `None` if the request is as it was given.
    pub report: Option<FitReport>,
    pub(crate) size: Option<Size>,
}

impl Fitter {
    /// Starts to build a fitter, with the settings of
    /// [`topic_and_half`](FitterBuilder::topic_and_half).
    #[must_use]
    pub fn builder() -> FitterBuilder {
        FitterBuilder::default()
    }
}

impl<A> Fitter<A> {
    /// Makes a request fit.
    ///
    /// A request that needs no change comes back as it is. The future may be dropped at any point.
    ///
    /// # Errors
    ///
    /// The request can't be fitted, or its model isn't known, or it is malformed. The error
    /// gives the request back, unchanged; no provider was called for it.
    pub async fn fit<R>(&self, request: R) -> Result<Fitted<R>, Box<FitFailure<R>>>
    where
        A: RequestAdapter<R> + Clone,
    {
        let start = self.start(&request, None);
        let fitted = Fit::new(self.clone(), request, start).await;
        fitted.inspect_err(|failure| self.tell_refused(failure))
    }

    /// Estimates what a request costs, as the fitter would.
    ///
    /// # Errors
    ///
    /// The request is malformed, or its model isn't known.
    pub fn measure<R>(&self, request: &R) -> Result<Measured, FitError>
    where
        A: RequestAdapter<R>,
    {
        let view = self.adapter.view(request)?;
        let counted = self.count(&view, None)?;
        let counted = counted.ok_or_else(|| UnknownModel::new(view.model()))?;
        Ok(counted.measured)
    }

    /// The adapter, which knows the request's type.
    pub const fn adapter(&self) -> &A {
        &self.adapter
    }

    /// What is known of a model, and what counts for it; `None` if nothing is, and its requests
    /// are to be left alone.
    fn model(&self, model: Option<&str>) -> Result<Option<KnownModel>, UnknownModel> {
        let shared = &self.shared;
        let own = || Arc::clone(&shared.estimator);
        let unknown = match shared.models.resolve(model) {
            Ok(spec) => return Ok(Some((spec.window, spec.estimator.unwrap_or_else(own)))),
            Err(unknown) => unknown,
        };
        let settings = &shared.settings;
        match (settings.unknown_window, settings.budget.max_context) {
            (UnknownWindow::CallersMaximum, Some(most)) => Ok(Some((Window::new(most), own()))),
            (UnknownWindow::LeaveAlone, _) => Ok(None),
            _ => Err(unknown),
        }
    }

    /// The numbers of a request that is sent as it is; `None` if it can't be known, or if the
    /// request asks to be left alone.
    pub(crate) fn size<R>(&self, request: &R) -> Option<Size>
    where
        A: RequestAdapter<R>,
    {
        if self.leaves_alone(request, self.adapter.hints(request).switch) {
            return None;
        }
        self.count_size(request)
    }

    fn count_size<R>(&self, request: &R) -> Option<Size>
    where
        A: RequestAdapter<R>,
    {
        let view = self.adapter.view(request).ok()?;
        Some(self.count(&view, None).ok()??.size)
    }

    /// A copy of a request to resend, if the settings and the request allow one.
    pub(crate) fn replay<R>(&self, request: &R, size: Size) -> Option<R>
    where
        A: RequestAdapter<R>,
    {
        if self.shared.settings.replay.applies(size) {
            self.adapter.try_clone(request)
        } else {
            None
        }
    }

    /// The model that a request names.
    pub(crate) fn model_of<R>(&self, request: &R) -> Option<Arc<str>>
    where
        A: RequestAdapter<R>,
    {
        self.adapter.view(request).ok()?.model().map(Arc::from)
    }

    /// Whether a request that can't be made smaller is sent again all the same.
    pub(crate) fn resends_unchanged(&self) -> bool {
        self.shared.settings.resend_unchanged
    }

    /// Learns from the numbers of an overflow. The tokens of the prompt, if the provider counted
    /// all of it.
    pub(crate) fn learn_overflow(
        &self,
        sent: &Sent<'_>,
        size: &Size,
        overflow: &Overflow,
    ) -> Option<u64> {
        self.shared.learned.learn(sent, overflow);
        let counted = overflow.counted()?;
        self.learn_count(sent.model, size, counted);
        Some(counted)
    }

    /// What reports later on a request of these numbers.
    pub(crate) fn late_report(&self, model: Option<Arc<str>>, size: Size) -> LateReport {
        let fitter = Fitter {
            shared: Arc::clone(&self.shared),
            adapter: (),
        };
        LateReport::new(fitter, model, size)
    }

    pub(crate) fn observe(&self, event: &FitEvent<'_>) {
        self.shared.observer.on_event(event);
    }
}

impl<R> fmt::Debug for Fitted<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Fitted")
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

impl<A: Clone> Clone for Fitter<A> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            adapter: self.adapter.clone(),
        }
    }
}

impl<A> fmt::Debug for Fitter<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fitter")
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}
