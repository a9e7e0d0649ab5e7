use std::marker::PhantomData;

use futures_core::TryStream;

use super::Peeked;
use super::peeked::Watch;
use crate::{LateReport, Overflow, OverflowClassifier, Sent, Usage, UsageOverflow, UsageReader};

/// Recognises an overflow of a service behind [`PeekFirst`](super::PeekFirst), before its first
/// content and after that.
///
/// - Until there is content, an error is one that the service returned, and `classifier` judges it as
///   any other: the request is made smaller and sent once more.
/// - After that, what `classifier` finds in an error of the stream is [reported](LateReport), and
///   what was learned helps the next request. Nothing is sent again.
/// - At the stream's end, [`usage`](Self::usage) is what the calibrator learns from, or an overflow
///   to be reported, if that is what it means.
///
/// A stream that is dropped before its end reports nothing.
///
/// See the [module docs](super) for an example.
#[derive(Clone, Copy, Debug)]
pub struct StreamOverflow<C, U = ()> {
    classifier: C,
    usage: UsageOverflow<U>,
    trust_empty: bool,
}

impl<C> StreamOverflow<C> {
    /// Judges errors by `classifier`, wherever they come.
    pub const fn new(classifier: C) -> Self {
        Self {
            classifier,
            usage: UsageOverflow::new(()),
            trust_empty: false,
        }
    }
}

impl<C, U> StreamOverflow<C, U> {
    /// What reads usage from the items of a stream, and judges it at the end. Providers may tell the
    /// tokens of the prompt, those of the output and the stop reason in different items, and some
    /// count up from item to item: the largest of each number stands, and the last reason.
    pub fn usage<V>(self, usage: UsageOverflow<V>) -> StreamOverflow<C, V> {
        StreamOverflow {
            classifier: self.classifier,
            usage,
            trust_empty: self.trust_empty,
        }
    }

    /// Whether a stream that [is empty](Peeked::is_empty) means an overflow. Off unless set: then it
    /// is passed on. To be set for a server that is known to swallow its error.
    #[must_use]
    pub const fn trust_empty(mut self, trust: bool) -> Self {
        self.trust_empty = trust;
        self
    }
}

impl<St, E, C, U> OverflowClassifier<Peeked<St>, E> for StreamOverflow<C, U>
where
    St: TryStream<Error = E> + 'static,
    C: OverflowClassifier<Peeked<St>, E> + Clone + 'static,
    U: UsageReader<St::Ok> + Clone + 'static,
{
    fn classify(&self, sent: &Sent<'_>, result: &Result<Peeked<St>, E>) -> Option<Overflow> {
        let is_empty = result.as_ref().is_ok_and(Peeked::is_empty);
        let of_empty = || (self.trust_empty && is_empty).then(Overflow::new);
        self.classifier.classify(sent, result).or_else(of_empty)
    }

    fn usage(&self, response: &Peeked<St>) -> Option<Usage> {
        self.classifier.usage(response)
    }

    fn report_later(&self, response: &mut Peeked<St>, report: LateReport) {
        response.watch(Box::new(Reporting {
            report,
            classifier: self.classifier.clone(),
            judge: self.usage.clone(),
            usage: None,
            stream: PhantomData::<fn() -> St>,
        }));
    }

    fn recovers(&self) -> bool {
        self.trust_empty || self.classifier.recovers()
    }
}

/// Reports what comes out of a stream after it was handed on.
struct Reporting<C, U, St> {
    report: LateReport,
    classifier: C,
    judge: UsageOverflow<U>,
    /// What the items told until now.
    usage: Option<Usage>,
    stream: PhantomData<fn() -> St>,
}

impl<St, C, U> Watch<St::Ok, St::Error> for Reporting<C, U, St>
where
    St: TryStream,
    C: OverflowClassifier<Peeked<St>, St::Error>,
    U: UsageReader<St::Ok>,
{
    fn item(&mut self, item: &St::Ok) {
        if let Some(more) = self.judge.read(item) {
            self.usage = Some(self.usage.map_or(more, |usage| usage.updated(more)));
        }
    }

    fn error(self: Box<Self>, error: St::Error) -> St::Error {
        let result = Err(error);
        if let Some(overflow) = self.classifier.classify(&self.report.sent(), &result) {
            self.report.overflow(overflow);
        }
        match result {
            Err(error) => error,
            Ok(_) => unreachable!("an error stays one"),
        }
    }

    fn end(self: Box<Self>) {
        let Some(usage) = self.usage else { return };
        match self.judge.overflow(&self.report.sent(), &usage) {
            Some(overflow) => self.report.overflow(overflow),
            None => self.report.usage(usage),
        }
    }
}
