use super::{Conversation, Hints};
use crate::plan::Plan;

/// Teaches the layers a request type.
///
/// The seam is a separate value, not a trait on the request, so that anybody can adapt a
/// foreign type. For a type of your own, implement [`Conversation`] and [`EditConversation`] and
/// use [`Native`], which is the default everywhere.
///
/// The trait is not object-safe by choice: a view borrows from the request, and an adapter is
/// chosen where the stack is built.
pub trait RequestAdapter<R> {
    /// The borrowed conversation.
    type View<'a>: Conversation
    where
        R: 'a;

    /// Reads the request as a conversation, without copying its text.
    ///
    /// # Errors
    ///
    /// The request is malformed; the error names the place.
    fn view<'a>(&self, request: &'a R) -> Result<Self::View<'a>, AdapterError>;

    /// Carries out a plan that was made from a view of this request: all of it or nothing.
    ///
    /// # Errors
    ///
    /// The plan doesn't belong to this request, or asks for an edit the type can't carry.
    /// The request is then unchanged.
    fn apply(&self, request: &mut R, plan: &Plan) -> Result<(), ApplyError>;

    /// A copy to resend after an overflow; `None` where the type can't be copied, and then
    /// an overflow is passed on.
    fn try_clone(&self, request: &R) -> Option<R>;

    /// What this one request asks for.
    fn hints(&self, request: &R) -> Hints {
        let _ = request;
        Hints::default()
    }

    /// Adds a function that reads [`Hints`] from a request.
    ///
    /// ```
    /// use contextfit_core::chat::ChatRequest;
    /// use contextfit_core::request::{Hints, Native, RequestAdapter, Switch};
    ///
    /// let adapter = RequestAdapter::<ChatRequest>::with_hints(Native, |request: &ChatRequest| {
    ///     if request.extra.contains_key("verbatim") {
    ///         Hints::default().switch(Switch::Off)
    ///     } else {
    ///         Hints::default()
    ///     }
    /// });
    /// let request = ChatRequest::new("a-model", []);
    /// assert_eq!(adapter.hints(&request).switch, Switch::Auto);
    /// ```
    fn with_hints<F>(self, hints: F) -> WithHints<Self, F>
    where
        Self: Sized,
        F: Fn(&R) -> Hints,
    {
        WithHints {
            adapter: self,
            hints,
        }
    }
}

/// What [`Native`] needs beyond [`Conversation`]: the editing half.
pub trait EditConversation: Conversation + Clone {
    /// See [`RequestAdapter::apply`].
    ///
    /// # Errors
    ///
    /// The plan doesn't belong to this request, or asks for an edit the type can't carry.
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError>;
}

/// The adapter of request types that are conversations themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Native;

impl<R: EditConversation> RequestAdapter<R> for Native {
    type View<'a>
        = &'a R
    where
        R: 'a;

    fn view<'a>(&self, request: &'a R) -> Result<&'a R, AdapterError> {
        Ok(request)
    }

    fn apply(&self, request: &mut R, plan: &Plan) -> Result<(), ApplyError> {
        request.apply(plan)
    }

    fn try_clone(&self, request: &R) -> Option<R> {
        Some(request.clone())
    }
}

/// An adapter with a function that reads hints. Made by [`RequestAdapter::with_hints`].
#[derive(Clone, Copy)]
pub struct WithHints<A, F> {
    adapter: A,
    hints: F,
}

impl<A: std::fmt::Debug, F> std::fmt::Debug for WithHints<A, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WithHints")
            .field("adapter", &self.adapter)
            .finish_non_exhaustive()
    }
}

impl<R, A, F> RequestAdapter<R> for WithHints<A, F>
where
    A: RequestAdapter<R>,
    F: Fn(&R) -> Hints,
{
    type View<'a>
        = A::View<'a>
    where
        R: 'a;

    fn view<'a>(&self, request: &'a R) -> Result<Self::View<'a>, AdapterError> {
        self.adapter.view(request)
    }

    fn apply(&self, request: &mut R, plan: &Plan) -> Result<(), ApplyError> {
        self.adapter.apply(request, plan)
    }

    fn try_clone(&self, request: &R) -> Option<R> {
        self.adapter.try_clone(request)
    }

    fn hints(&self, request: &R) -> Hints {
        (self.hints)(request)
    }
}

/// A request can't be read as a conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request can't be read at {place}: {problem}")]
pub struct AdapterError {
    place: String,
    problem: String,
}

impl AdapterError {
    /// What is wrong, and where: a path such as `messages[3].content`.
    pub fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            problem: problem.into(),
        }
    }

    /// Where the request is malformed.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

/// A plan can't be carried out on a request. The request is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The plan was made for a conversation of another length.
    #[error(
        "the plan is for {planned} messages, the request has {found}: apply it to the request it was made from"
    )]
    OtherRequest {
        /// Messages in the plan.
        planned: usize,
        /// Messages in the request.
        found: usize,
    },
    /// A clip names a piece that the message doesn't have, or that is no text of it.
    #[error(
        "the plan clips piece {piece} of message {message}, and no text of the message stands there: apply it to the request it was made from, and number pieces in the order in which they are shown"
    )]
    NoSuchPiece {
        /// The message, by its number.
        message: usize,
        /// The piece, by its number in the message.
        piece: usize,
    },
    /// The request type has no way to carry an edit.
    #[error("the request type can't carry the edit: {0}")]
    Unsupported(String),
}
