use bytes::Bytes;
use contextfit_tower::{
    Either, LateReport, Overflow, OverflowClassifier, Sent, Usage, UsageOverflow, UsageReader,
};
use http_body::Body;

use super::answer::Answer;
use super::{HttpUsage, Peeked};
use crate::json::Json;
use crate::overflow::OverflowTemplates;

/// Recognises an overflow in a response of HTTP, whose start [`PeekBody`](super::PeekBody) has read:
///
/// - an error status, by the text of its body,
/// - status 200 with an error in it: as the whole of the body, or as the first event of a stream
///   that is more than bookkeeping,
/// - an answer that says that the window was full, by its usage and by why the model stopped, as
///   [`UsageOverflow`] has it,
/// - a stream that ends with nothing in it, if the prompt was about as large as the window: some
///   servers swallow the error.
///
/// A response of which content was handed on is never sent again. What its stream says at the end is
/// reported: the usage, to a [`Calibrator`](contextfit_tower::Calibrator) and the observer, and an
/// overflow after all.
///
/// It says nothing of errors of the service itself, where there is no response:
/// `HttpOverflow::new().or(TextOverflow::new())` does.
///
/// ```
/// use bytes::Bytes;
/// use contextfit_core::chat::ChatRequest;
/// use contextfit_providers::http::{HttpOverflow, PeekBodyLayer, Peeked};
/// use contextfit_tower::{BoxError, ContextFitLayer, Fitter};
/// use http_body::Body;
/// use tower::{Layer, Service};
///
/// fn fitted<S, B>(
///     provider: S,
///     fitter: Fitter,
/// ) -> impl Service<ChatRequest, Response = http::Response<Peeked<B>>, Error = BoxError>
/// where
///     S: Service<ChatRequest, Response = http::Response<B>> + Clone,
///     S::Error: Into<BoxError>,
///     B: Body<Data = Bytes>,
/// {
///     let provider = PeekBodyLayer::new().layer(provider);
///     ContextFitLayer::new(fitter).overflow_retry(HttpOverflow::new()).layer(provider)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct HttpOverflow {
    templates: OverflowTemplates,
    usage: UsageOverflow<HttpUsage>,
    trust_empty: bool,
}

impl HttpOverflow {
    /// Recognises by what providers are known to say.
    #[must_use]
    pub fn new() -> Self {
        Self {
            templates: OverflowTemplates::known(),
            usage: UsageOverflow::new(HttpUsage),
            trust_empty: false,
        }
    }

    /// Sets what texts are compared with.
    #[must_use]
    pub fn templates(mut self, templates: OverflowTemplates) -> Self {
        self.templates = templates;
        self
    }

    /// Sets how an answer is judged by its usage.
    ///
    /// ```
    /// use contextfit_providers::http::{HttpOverflow, HttpUsage};
    /// use contextfit_tower::UsageOverflow;
    ///
    /// // llama.cpp caps no output itself: one that is cut short means that the window was full.
    /// let usage = UsageOverflow::new(HttpUsage).trust_short_stops(true);
    /// let classifier = HttpOverflow::new().usage(usage);
    /// ```
    #[must_use]
    pub const fn usage(mut self, usage: UsageOverflow<HttpUsage>) -> Self {
        self.usage = usage;
        self
    }

    /// Whether a stream that ends with nothing in it is an overflow however large the prompt was. Off
    /// unless set: then the prompt must have been estimated at nine tenths of the window or more.
    #[must_use]
    pub const fn trust_empty(mut self, trust: bool) -> Self {
        self.trust_empty = trust;
        self
    }

    /// Asks this classifier first and then, if it sees no overflow, another.
    ///
    /// The same as [`OverflowClassifier::or`], but for that the response and the error need not be
    /// named.
    #[must_use]
    pub const fn or<C>(self, other: C) -> Either<Self, C> {
        Either::new(self, other)
    }

    /// Reports what a stream said after it was handed on.
    pub(super) fn report(&self, report: &LateReport, usage: Option<Usage>, error: Option<&[u8]>) {
        let sent = report.sent();
        let said = error.and_then(|error| self.said(&sent, error, None));
        let overflow = said.or_else(|| self.usage.overflow(&sent, &usage?));
        match (overflow, usage) {
            (Some(overflow), _) => report.overflow(overflow),
            (None, Some(usage)) => report.usage(usage),
            (None, None) => {}
        }
    }

    /// By what a provider says.
    fn said(&self, sent: &Sent<'_>, text: &[u8], status: Option<u16>) -> Option<Overflow> {
        let status = status.or_else(|| status_in(text));
        let text = String::from_utf8_lossy(text);
        let classified = self.templates.classify(&text, status);
        classified.overflow_of(sent.max_output)
    }

    fn is_telling(&self, sent: &Sent<'_>) -> bool {
        let nearly_all = u128::from(sent.window) * 9;
        self.trust_empty || u128::from(sent.estimated) * 10 >= nearly_all
    }
}

/// The status that an error within a response of status 200 would have had.
fn status_in(text: &[u8]) -> Option<u16> {
    let mut status = None;
    let mut read = |value: &mut Json<'_>, name: &str| {
        if matches!(name, "code" | "status" | "status_code") {
            let code = value.count().and_then(|code| u16::try_from(code).ok());
            status = status.or(code.filter(|code| (400..600).contains(code)));
        }
    };
    Json::new(text).object(|value, name| match name {
        "error" => value.object(&mut read),
        _ => read(value, name),
    });
    status
}

impl Default for HttpOverflow {
    fn default() -> Self {
        Self::new()
    }
}

impl<B, E> OverflowClassifier<http::Response<Peeked<B>>, E> for HttpOverflow
where
    B: Body<Data = Bytes>,
{
    fn classify(
        &self,
        sent: &Sent<'_>,
        result: &Result<http::Response<Peeked<B>>, E>,
    ) -> Option<Overflow> {
        let response = result.as_ref().ok()?;
        let body = response.body();
        let is_empty = match body.answer()? {
            Answer::Begun => return None,
            Answer::Error(text) => {
                let status = response.status();
                let status = (!status.is_success()).then_some(status.as_u16());
                return self.said(sent, text, status);
            }
            Answer::Complete => false,
            Answer::Empty => true,
        };
        let usage = body.usage();
        let counted = usage.and_then(|usage| self.usage.overflow(sent, &usage));
        counted.or_else(|| (is_empty && self.is_telling(sent)).then(Overflow::new))
    }

    fn usage(&self, response: &http::Response<Peeked<B>>) -> Option<Usage> {
        HttpUsage.usage(response)
    }

    fn report_later(&self, response: &mut http::Response<Peeked<B>>, report: LateReport) {
        response.body_mut().report_later(report, self.clone());
    }
}
