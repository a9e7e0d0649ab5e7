use std::error::Error;
use std::fmt;
use std::iter::successors;
use std::marker::PhantomData;
use std::sync::Arc;

use contextfit_tower::{Either, FitError, Overflow, OverflowClassifier, Sent};

use super::excerpt::Excerpt;
use super::{AsError, OverflowTemplates, Verdict};

/// Errors of a chain that are read. A chain that is longer goes round in a circle.
const LONGEST_CHAIN: usize = 64;

/// Reads something from an error, if it is of a type it knows.
type Read<T> = Arc<dyn Fn(&(dyn Error + 'static)) -> T + Send + Sync>;

/// Recognises an error that is an overflow, by its text and by the texts of the errors it came
/// from.
///
/// It takes any error type, and boxes like `BoxError`; as a type, the latter is
/// `TextOverflow<Boxed>`. By itself it knows what providers say; tell it how to read the HTTP status
/// of your client's errors, and it knows more of them for certain.
/// The [module docs](super) say how it decides. A [`FitError`] is never an overflow: the fitter
/// that it comes from has done what could be done.
///
/// ```
/// use contextfit_core::chat::{ChatRequest, ChatResponse};
/// use contextfit_providers::TextOverflow;
/// use contextfit_tower::{ChatUsageReader, ContextFitLayer, Fitter, UsageOverflow};
/// use tower::{Layer, Service};
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("the provider answered with status {status}: {body}")]
/// struct ApiError {
///     status: u16,
///     body: String,
/// }
///
/// fn fitted<S>(provider: S, fitter: Fitter) -> impl Service<ChatRequest, Response = ChatResponse>
/// where
///     S: Service<ChatRequest, Response = ChatResponse, Error = ApiError> + Clone,
/// {
///     let too_long = TextOverflow::new()
///         .status(|error: &ApiError| Some(error.status))
///         .or(UsageOverflow::new(ChatUsageReader));
///     ContextFitLayer::new(fitter).overflow_retry(too_long).layer(provider)
/// }
/// ```
pub struct TextOverflow<Kind = super::Typed> {
    templates: OverflowTemplates,
    status: Read<Option<u16>>,
    verdict: Read<Verdict>,
    kind: PhantomData<fn() -> Kind>,
}

impl<Kind> TextOverflow<Kind> {
    /// Recognises by what providers are known to say.
    #[must_use]
    pub fn new() -> Self {
        Self {
            templates: OverflowTemplates::known(),
            status: Arc::new(|_| None),
            verdict: Arc::new(|_| Verdict::Unknown),
            kind: PhantomData,
        }
    }

    /// Sets what texts are compared with.
    #[must_use]
    pub fn templates(mut self, templates: OverflowTemplates) -> Self {
        self.templates = templates;
        self
    }

    /// Reads the HTTP status from errors of a type, wherever one is in the chain. May be called for
    /// several types.
    #[must_use]
    pub fn status<E: Error + 'static>(
        mut self,
        read: impl Fn(&E) -> Option<u16> + Send + Sync + 'static,
    ) -> Self {
        let others = self.status;
        self.status =
            Arc::new(move |error| others(error).or_else(|| error.downcast_ref().and_then(&read)));
        self
    }

    /// Decides on errors of a type, wherever one is in the chain. Where it knows, it decides alone,
    /// and no text is read. May be called for several types.
    ///
    /// ```
    /// use contextfit_providers::{TextOverflow, overflow::Verdict};
    /// use contextfit_tower::{BoxError, Overflow, OverflowClassifier, Scope};
    ///
    /// #[derive(Debug, thiserror::Error)]
    /// enum ApiError {
    ///     #[error("{tokens} tokens are more than {limit}")]
    ///     TooLong { tokens: u64, limit: u64 },
    ///     #[error("not allowed")]
    ///     Forbidden,
    ///     #[error("{0}")]
    ///     Other(String),
    /// }
    ///
    /// let classifier = TextOverflow::new().verdict(|error: &ApiError| match *error {
    ///     ApiError::TooLong { tokens, limit } => {
    ///         Verdict::Overflow(Overflow::new().input(tokens).limit(limit, Scope::Input))
    ///     }
    ///     ApiError::Forbidden => Verdict::NotOverflow,
    ///     ApiError::Other(_) => Verdict::Unknown,
    /// });
    /// # fn is_one<C: OverflowClassifier<(), BoxError>>(_: C) {}
    /// # is_one(classifier);
    /// ```
    #[must_use]
    pub fn verdict<E: Error + 'static>(
        mut self,
        decide: impl Fn(&E) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        let others = self.verdict;
        self.verdict = Arc::new(move |error| match others(error) {
            Verdict::Unknown => error.downcast_ref().map(&decide).unwrap_or_default(),
            known => known,
        });
        self
    }

    /// Asks this classifier first and then, if it sees no overflow, another.
    ///
    /// The same as [`OverflowClassifier::or`], but for that the response and the error need not be
    /// named.
    #[must_use]
    pub fn or<C>(self, other: C) -> Either<Self, C> {
        Either::new(self, other)
    }

    fn overflow(&self, error: &(dyn Error + 'static), max_output: Option<u32>) -> Option<Overflow> {
        let chain = || successors(Some(error), |&error| error.source()).take(LONGEST_CHAIN);
        if chain().any(|error| error.is::<FitError>()) {
            return None;
        }
        let mut verdicts = chain().map(&*self.verdict);
        match verdicts.find(|verdict| *verdict != Verdict::Unknown) {
            Some(Verdict::Overflow(overflow)) => return Some(overflow),
            Some(Verdict::NotOverflow) => return None,
            Some(Verdict::Unknown) | None => {}
        }
        let status = chain().find_map(&*self.status);
        let texts: Vec<_> = chain().map(Excerpt::of).collect();
        let classified = self.templates.classify_all(&texts, status);
        classified.overflow_of(max_output)
    }
}

impl<Res, Err, Kind> OverflowClassifier<Res, Err> for TextOverflow<Kind>
where
    Err: AsError<Kind>,
{
    fn classify(&self, sent: &Sent<'_>, result: &Result<Res, Err>) -> Option<Overflow> {
        self.overflow(result.as_ref().err()?.as_error(), sent.max_output)
    }
}

impl<Kind> Default for TextOverflow<Kind> {
    fn default() -> Self {
        Self::new()
    }
}

impl<Kind> Clone for TextOverflow<Kind> {
    fn clone(&self) -> Self {
        Self {
            templates: self.templates.clone(),
            status: Arc::clone(&self.status),
            verdict: Arc::clone(&self.verdict),
            kind: PhantomData,
        }
    }
}

impl<Kind> fmt::Debug for TextOverflow<Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextOverflow").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use contextfit_tower::{BoxError, Scope, SummarizeError};

    use super::*;

    /// An error with a status, and one it came from.
    #[derive(Debug, Default, thiserror::Error)]
    #[error("{text}")]
    struct Link {
        text: String,
        status: Option<u16>,
        source: Option<BoxError>,
    }

    /// An error of another type.
    #[derive(Debug, thiserror::Error)]
    #[error("error {0}")]
    struct Code(u16);

    fn link(text: &str) -> Link {
        let text = text.to_owned();
        Link {
            text,
            ..Link::default()
        }
    }

    fn over(text: &str, source: impl Into<BoxError>) -> Link {
        let source = Some(source.into());
        Link {
            source,
            ..link(text)
        }
    }

    fn with_status(text: &str, status: u16) -> Link {
        let status = Some(status);
        Link {
            status,
            ..link(text)
        }
    }

    fn finds(classifier: &TextOverflow, error: impl Error + 'static) -> bool {
        classifier.overflow(&error, None).is_some()
    }

    #[test]
    fn the_whole_chain_is_read() {
        let classifier = TextOverflow::new();
        assert!(finds(
            &classifier,
            over("a", over("b", link("prompt is too long")))
        ));
        assert!(finds(
            &classifier,
            over("a", over("prompt is too long", link("c")))
        ));
        assert!(!finds(&classifier, over("a", over("b", link("c")))));
    }

    #[test]
    fn an_exclusion_anywhere_in_the_chain_excludes() {
        let classifier = TextOverflow::new();
        assert!(!finds(
            &classifier,
            over("rate limit", link("too many tokens"))
        ));
        assert!(!finds(
            &classifier,
            over("too many tokens", link("rate limit"))
        ));
        assert!(finds(
            &classifier,
            over("request failed", link("too many tokens"))
        ));
    }

    #[test]
    fn a_status_counts_wherever_it_is_in_the_chain() {
        let classifier = TextOverflow::new();
        let error = || over("context window", with_status("bad request", 400));
        assert!(!finds(&classifier, error()));
        let classifier = classifier.status(|error: &Link| error.status);
        assert!(finds(&classifier, error()));
        assert!(!finds(
            &classifier,
            over("context window", with_status("", 500))
        ));
    }

    #[test]
    fn several_types_may_be_read() {
        let classifier = TextOverflow::new()
            .status(|error: &Link| error.status)
            .status(|error: &Code| Some(error.0));
        assert!(finds(&classifier, over("context window", Code(413))));
        assert!(finds(
            &classifier,
            over("", with_status("context window", 413))
        ));

        let classifier = TextOverflow::new()
            .verdict(|error: &Link| match error.status {
                Some(200) => Verdict::NotOverflow,
                _ => Verdict::Unknown,
            })
            .verdict(|error: &Code| match error.0 {
                1261 => Verdict::Overflow(Overflow::new().limit(8_000, Scope::Total)),
                _ => Verdict::Unknown,
            });
        let numbers = Overflow::new().limit(8_000, Scope::Total);
        assert_eq!(
            classifier.overflow(&over("rate limit", Code(1261)), None),
            Some(numbers)
        );
        assert!(!finds(&classifier, with_status("prompt is too long", 200)));
        assert!(finds(&classifier, with_status("prompt is too long", 400)));
        assert!(!finds(&classifier, over("any", Code(1))));
    }

    #[test]
    fn the_outermost_verdict_that_is_known_stands() {
        let classifier = TextOverflow::new().verdict(|error: &Code| match error.0 {
            0 => Verdict::Unknown,
            1 => Verdict::Overflow(Overflow::new()),
            _ => Verdict::NotOverflow,
        });
        assert!(finds(&classifier, Code(1)));
        assert!(!finds(&classifier, Code(2)));
        assert!(finds(&classifier, over("any", Code(1))));
        assert!(!finds(&classifier, over("prompt is too long", Code(2))));
        assert!(finds(&classifier, over("prompt is too long", Code(0))));
    }

    #[test]
    fn what_a_fitter_said_is_no_overflow() {
        let classifier = TextOverflow::new();
        let said = || link("prompt is too long");
        let source = said().into();
        assert!(!finds(&classifier, FitError::StillTooLong { source }));
        let summarizer = SummarizeError::failed(said());
        assert!(!finds(
            &classifier,
            over("failed", FitError::Summarize(summarizer))
        ));
    }

    #[test]
    fn a_chain_that_goes_round_in_a_circle_ends() {
        #[derive(Debug)]
        struct Circle(&'static str);

        impl fmt::Display for Circle {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.0)
            }
        }

        impl Error for Circle {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(self)
            }
        }

        assert!(!finds(&TextOverflow::new(), Circle("round")));
        assert!(finds(&TextOverflow::new(), Circle("prompt is too long")));
    }

    #[test]
    fn errors_of_a_type_and_in_a_box_are_read_alike() {
        fn finds<Kind>(error: impl AsError<Kind>) -> bool {
            TextOverflow::<Kind>::new()
                .overflow(error.as_error(), None)
                .is_some()
        }

        for (text, is_one) in [("prompt is too long", true), ("no", false)] {
            let error = || over("outer", link(text));
            assert_eq!(finds(error()), is_one);
            assert_eq!(finds(BoxError::from(error())), is_one);
            assert_eq!(finds(anyhow::Error::from(error())), is_one);
            let shared: Arc<dyn Error + Send + Sync> = Arc::new(error());
            assert_eq!(finds(shared), is_one);
        }
    }
}
