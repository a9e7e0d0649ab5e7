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
///
/// For a type of another crate, the view is a type of yours that borrows it:
///
/// ```
/// use contextfit_core::plan::Plan;
/// use contextfit_core::request::{
///     AdapterError, ApplyError, Conversation, Link, MessageRef, Piece, RequestAdapter, Role,
/// };
///
/// /// Stands for a type of another crate: who speaks, and what they say.
/// type Foreign = Vec<(bool, String)>;
///
/// struct View<'a>(&'a Foreign);
///
/// impl Conversation for View<'_> {
///     fn model(&self) -> Option<&str> {
///         None
///     }
///
///     fn len(&self) -> usize {
///         self.0.len()
///     }
///
///     fn message(&self, index: usize) -> MessageRef {
///         let (is_user, _) = self.0[index];
///         MessageRef::new(if is_user { Role::User } else { Role::Assistant })
///     }
///
///     fn links<'a>(&'a self, _: usize, _: &mut dyn FnMut(Link<'a>)) {}
///
///     fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
///         visit(Piece::Text(self.0[index].1.as_str().into()));
///     }
/// }
///
/// #[derive(Clone, Copy)]
/// struct ForForeign;
///
/// impl RequestAdapter<Foreign> for ForForeign {
///     type View<'a> = View<'a>;
///
///     fn view<'a>(&self, request: &'a Foreign) -> Result<View<'a>, AdapterError> {
///         Ok(View(request))
///     }
///
///     fn apply(&self, request: &mut Foreign, plan: &Plan) -> Result<(), ApplyError> {
///         *request = plan.rewrite(
///             request,
///             |summary| (true, summary.to_owned()),
///             |message, clips| {
///                 // Each message has one piece.
///                 let text = clips.first().map_or(&message.1, |clip| &clip.text);
///                 Ok((message.0, text.clone()))
///             },
///         )?;
///         Ok(())
///     }
///
///     fn try_clone(&self, request: &Foreign) -> Option<Foreign> {
///         Some(request.clone())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` doesn't know how to read requests of type `{R}`",
    note = "implement `EditConversation` for a type of your own; for a foreign type, give `FitterBuilder::adapter` a `RequestAdapter`"
)]
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
    /// Three things are asked of it, most easily done with [`Plan::rewrite`]:
    ///
    /// - The [summary](crate::plan::Step::Summary) becomes a message of the user that holds just
    ///   this text, so that a later view shows it as one [`Piece::Text`](super::Piece::Text) and
    ///   the next compaction knows it again.
    /// - A [`Clip`](crate::plan::Clip) replaces the piece that it names by its number, and that
    ///   alone.
    /// - [`Plan::lowered_output`], where it is set, is the output to ask for from now on.
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

    /// Adds a function that reads [`Hints`] from a request, beside those that the adapter reads.
    /// Where both name a [`Switch`](super::Switch), the function's counts, but for
    /// [`HistoryElsewhere`](super::Switch::HistoryElsewhere) and
    /// [`Unreadable`](super::Switch::Unreadable), which are no wishes.
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
///
/// See [`ChatRequest`](crate::chat::ChatRequest), which implements both, and the example
/// `own_request` of the repository.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a conversation that can be edited",
    note = "implement `Conversation` and `EditConversation` for a type of your own; for a foreign type, give `FitterBuilder::adapter` a `RequestAdapter`"
)]
pub trait EditConversation: Conversation + Clone {
    /// Carries out a plan: all of it or nothing. What is asked of it is said at
    /// [`RequestAdapter::apply`].
    ///
    /// # Errors
    ///
    /// The plan doesn't belong to this request, or asks for an edit the type can't carry.
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError>;

    /// Whether it can be read as a conversation: a type that takes whatever comes holds some that
    /// can't. [`RequestAdapter::view`] fails with this error.
    ///
    /// # Errors
    ///
    /// It can't; the error names the place.
    fn check(&self) -> Result<(), AdapterError> {
        Ok(())
    }

    /// What this request says of itself: that its history stands on the provider's server, say.
    fn hints(&self) -> Hints {
        Hints::default()
    }
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
        request.check()?;
        Ok(request)
    }

    fn apply(&self, request: &mut R, plan: &Plan) -> Result<(), ApplyError> {
        request.apply(plan)
    }

    fn try_clone(&self, request: &R) -> Option<R> {
        Some(request.clone())
    }

    fn hints(&self, request: &R) -> Hints {
        request.hints()
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
        let own = self.adapter.hints(request);
        own.asked((self.hints)(request))
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
