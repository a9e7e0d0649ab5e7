use std::fmt;
use std::sync::Arc;

use super::{LateReport, Overflow, Sent};
use crate::{Usage, UsageReader};

/// Recognises that a provider found a request too long.
///
/// It sees the whole result, because an overflow comes as a success too: with a stop reason that
/// says so, or with usage above the window. It decides on what is certain: an error that it
/// doesn't know is `None`, and a rate limit ("too many tokens per minute") is no overflow.
///
/// Closures come in through [`classifier_fn`]; two classifiers are tried one after the other with
/// [`or`](Self::or).
///
/// ```
/// use contextfit_tower::{Overflow, OverflowClassifier, Sent};
///
/// struct ByStatus;
///
/// impl<Res> OverflowClassifier<Res, u16> for ByStatus {
///     fn classify(&self, _: &Sent<'_>, result: &Result<Res, u16>) -> Option<Overflow> {
///         matches!(result, Err(413)).then(Overflow::new)
///     }
/// }
/// ```
pub trait OverflowClassifier<Res, Err>: Send + Sync {
    /// The overflow that a result means, or `None`.
    fn classify(&self, sent: &Sent<'_>, result: &Result<Res, Err>) -> Option<Overflow>;

    /// What the provider counted, where the classifier knows how to read it from a response: a
    /// [`Calibrator`](crate::Calibrator) learns from it.
    fn usage(&self, response: &Res) -> Option<Usage> {
        let _ = response;
        None
    }

    /// Takes what reports on a response later, because the response is a stream, say, and tells at
    /// its end what it cost: a classifier that knows how puts it into the response.
    ///
    /// Called for a response that is no overflow and of which [`usage`](Self::usage) reads nothing,
    /// just before it is handed on.
    fn report_later(&self, response: &mut Res, report: LateReport) {
        let _ = (response, report);
    }

    /// Whether it may recognise anything at all. For one that doesn't, no copy of a request is kept
    /// to be sent again.
    fn recovers(&self) -> bool {
        true
    }

    /// Asks this classifier first and then, if it sees no overflow, another.
    fn or<C>(self, other: C) -> Either<Self, C>
    where
        Self: Sized,
        C: OverflowClassifier<Res, Err>,
    {
        Either::new(self, other)
    }
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        impl<Res, Err, C> OverflowClassifier<Res, Err> for $pointer
        where
            C: OverflowClassifier<Res, Err> + ?Sized,
        {
            fn classify(&self, sent: &Sent<'_>, result: &Result<Res, Err>) -> Option<Overflow> {
                (**self).classify(sent, result)
            }

            fn usage(&self, response: &Res) -> Option<Usage> {
                (**self).usage(response)
            }

            fn report_later(&self, response: &mut Res, report: LateReport) {
                (**self).report_later(response, report);
            }

            fn recovers(&self) -> bool {
                (**self).recovers()
            }
        }
    )*};
}
forward_to_inner!(Arc<C>, Box<C>);

/// Makes a classifier of a closure.
///
/// ```
/// use contextfit_tower::{Overflow, Scope, classifier_fn};
///
/// struct TooLong { tokens: u64, window: u64 }
///
/// let classifier = classifier_fn(|_, result: &Result<String, TooLong>| {
///     let error = result.as_ref().err()?;
///     Some(Overflow::new().input(error.tokens).limit(error.window, Scope::Input))
/// });
/// ```
pub fn classifier_fn<F, Res, Err>(classify: F) -> ClassifierFn<F>
where
    F: Fn(&Sent<'_>, &Result<Res, Err>) -> Option<Overflow> + Send + Sync,
{
    ClassifierFn { classify }
}

/// A classifier made of a closure. See [`classifier_fn`].
#[derive(Clone, Copy)]
pub struct ClassifierFn<F> {
    classify: F,
}

impl<F> fmt::Debug for ClassifierFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClassifierFn").finish_non_exhaustive()
    }
}

impl<F, Res, Err> OverflowClassifier<Res, Err> for ClassifierFn<F>
where
    F: Fn(&Sent<'_>, &Result<Res, Err>) -> Option<Overflow> + Send + Sync,
{
    fn classify(&self, sent: &Sent<'_>, result: &Result<Res, Err>) -> Option<Overflow> {
        (self.classify)(sent, result)
    }
}

/// Two classifiers, asked one after the other. [`OverflowClassifier::or`] makes one, too.
#[derive(Clone, Copy, Debug)]
pub struct Either<A, B> {
    first: A,
    second: B,
}

impl<A, B> Either<A, B> {
    /// Asks `first`, and then, if it sees no overflow, `second`.
    pub const fn new(first: A, second: B) -> Self {
        Self { first, second }
    }
}

impl<A, B, Res, Err> OverflowClassifier<Res, Err> for Either<A, B>
where
    A: OverflowClassifier<Res, Err>,
    B: OverflowClassifier<Res, Err>,
{
    fn classify(&self, sent: &Sent<'_>, result: &Result<Res, Err>) -> Option<Overflow> {
        self.first
            .classify(sent, result)
            .or_else(|| self.second.classify(sent, result))
    }

    fn usage(&self, response: &Res) -> Option<Usage> {
        let first = self.first.usage(response);
        first.or_else(|| self.second.usage(response))
    }

    /// Both get one: what is read later differs by classifier.
    fn report_later(&self, response: &mut Res, report: LateReport) {
        self.first.report_later(response, report.clone());
        self.second.report_later(response, report);
    }

    fn recovers(&self) -> bool {
        self.first.recovers() || self.second.recovers()
    }
}

/// Sees no overflow anywhere: what [`ContextFit`](crate::ContextFit) has when it is used without
/// a retry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoRetry;

impl<Res, Err> OverflowClassifier<Res, Err> for NoRetry {
    fn classify(&self, _: &Sent<'_>, _: &Result<Res, Err>) -> Option<Overflow> {
        None
    }

    fn recovers(&self) -> bool {
        false
    }
}

/// Reads usage beside what another classifier does. Made by
/// [`ContextFitLayer::usage`](crate::ContextFitLayer::usage).
#[derive(Clone, Copy, Debug)]
pub struct WithUsage<C, U> {
    classifier: Option<C>,
    reader: U,
}

impl<C, U> WithUsage<C, U> {
    pub(crate) const fn new(classifier: Option<C>, reader: U) -> Self {
        Self { classifier, reader }
    }
}

impl<C, U, Res, Err> OverflowClassifier<Res, Err> for WithUsage<C, U>
where
    C: OverflowClassifier<Res, Err>,
    U: UsageReader<Res>,
{
    fn classify(&self, sent: &Sent<'_>, result: &Result<Res, Err>) -> Option<Overflow> {
        self.classifier.as_ref()?.classify(sent, result)
    }

    fn usage(&self, response: &Res) -> Option<Usage> {
        self.reader.usage(response)
    }

    fn report_later(&self, response: &mut Res, report: LateReport) {
        if let Some(classifier) = &self.classifier {
            classifier.report_later(response, report);
        }
    }

    fn recovers(&self) -> bool {
        let classifier = self.classifier.as_ref();
        classifier.is_some_and(OverflowClassifier::recovers)
    }
}
