use std::fmt;
use std::sync::Arc;

use super::{Overflow, Sent};

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
}

/// Sees no overflow anywhere: what [`ContextFit`](crate::ContextFit) has when it is used without
/// a retry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoRetry;

impl<Res, Err> OverflowClassifier<Res, Err> for NoRetry {
    fn classify(&self, _: &Sent<'_>, _: &Result<Res, Err>) -> Option<Overflow> {
        None
    }
}
