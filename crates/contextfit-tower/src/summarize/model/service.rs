use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tower_service::Service;

use super::known::Model;
use crate::BoxError;
use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};

/// Makes a summarizer of a service: a model of its own, behind a stack of its own.
///
/// `request` makes the service's request of a job, most often of [`SummaryJob::system`],
/// [`SummaryJob::prompt`] and [`SummaryJob::max_output_tokens`]; `summary` reads the response. The service is cloned for each call and driven to readiness
/// first. It may share limits with the wrapped service: while a summary is written, the layers
/// hold no reservation.
///
/// An error of the service, or of `summary`, is a failed summary, unless it is a
/// [`SummarizeError`] itself: that stays what it is.
///
/// ```
/// use contextfit_tower::{Summary, SummaryJob, summarizer_service};
/// use tower::service_fn;
///
/// let model = service_fn(|prompt: String| async move {
///     Ok::<_, std::io::Error>(format!("{} characters were read", prompt.len()))
/// });
/// let summarizer = summarizer_service(
///     model,
///     |job: &SummaryJob| job.prompt(),
///     |response: String| Ok::<_, std::io::Error>(Summary::new(response)),
/// );
/// ```
pub fn summarizer_service<S, R, Q, P, E>(
    service: S,
    request: Q,
    summary: P,
) -> ServiceSummarizer<S, R, Q, P>
where
    S: Service<R>,
    Q: Fn(&SummaryJob) -> R,
    P: Fn(S::Response) -> Result<Summary, E>,
    E: Into<BoxError>,
{
    ServiceSummarizer {
        service: Mutex::new(service),
        request,
        summary,
        model: Model::default(),
        makes: PhantomData,
    }
}

/// A summarizer made of a service. See [`summarizer_service`].
pub struct ServiceSummarizer<S, R, Q, P> {
    // Only ever locked to clone the service: it needn't be `Sync`.
    service: Mutex<S>,
    request: Q,
    summary: P,
    model: Model,
    makes: PhantomData<fn() -> R>,
}

impl<S, R, Q, P> ServiceSummarizer<S, R, Q, P> {
    say_model!();
}

impl<S, R, Q, P> fmt::Debug for ServiceSummarizer<S, R, Q, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceSummarizer").finish_non_exhaustive()
    }
}

#[async_trait]
impl<S, R, Q, P, E> Summarizer for ServiceSummarizer<S, R, Q, P>
where
    S: Service<R> + Clone + Send,
    S::Future: Send,
    S::Response: Send,
    S::Error: Into<BoxError>,
    R: Send,
    Q: Fn(&SummaryJob) -> R + Send + Sync,
    P: Fn(S::Response) -> Result<Summary, E> + Send + Sync,
    E: Into<BoxError>,
{
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let response = call(&self.service, (self.request)(&job)).await?;
        (self.summary)(response).map_err(SummarizeError::failed)
    }

    tell_model!();
}

/// Calls a clone of a service, once that is ready.
pub(in crate::summarize) async fn call<S, R>(
    service: &Mutex<S>,
    request: R,
) -> Result<S::Response, SummarizeError>
where
    S: Service<R> + Clone,
    S::Error: Into<BoxError>,
{
    let mut service = service
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    poll_fn(|cx| service.poll_ready(cx))
        .await
        .map_err(SummarizeError::failed)?;
    service.call(request).await.map_err(SummarizeError::failed)
}
