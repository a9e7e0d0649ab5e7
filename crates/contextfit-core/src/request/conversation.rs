use super::{Piece, Role};

/// A request, seen as a conversation.
///
/// The view is made once per request and borrows from it; every method is cheap and none
/// copies text. Messages are numbered from 0 in the order in which the provider sees them.
///
/// Implement it for a request type of your own, with [`EditConversation`](super::EditConversation)
/// beside it, and [`Native`](super::Native) does the rest; for a foreign type implement
/// [`RequestAdapter`](super::RequestAdapter) instead.
pub trait Conversation {
    /// The model that is asked, if the request names one.
    fn model(&self) -> Option<&str>;

    /// How many messages there are.
    fn len(&self) -> usize;

    /// Whether there is no message.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What kind of message number `index` is. Called in a loop over all messages: O(1).
    fn message(&self, index: usize) -> MessageRef;

    /// Shows the ties of message `index` to others, in the order in which they stand.
    ///
    /// Only the adapter knows how calls and results name each other on its wire; the core
    /// builds the groups from it, see [`Table`](crate::table::Table).
    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>));

    /// Shows the countable pieces of message `index`, in the order in which they stand.
    ///
    /// The order is part of the contract: a plan names a clipped piece by its number in it.
    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>));

    /// Shows what is sent beside the messages and costs input tokens: a system prompt that is
    /// no message, tool schemas, the schema of the response.
    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        let _ = visit;
    }

    /// The output the request asks for, in tokens, a thinking budget included.
    fn max_output_tokens(&self) -> Option<u32> {
        None
    }
}

impl<C: Conversation + ?Sized> Conversation for &C {
    fn model(&self) -> Option<&str> {
        (**self).model()
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn message(&self, index: usize) -> MessageRef {
        (**self).message(index)
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        (**self).links(index, visit);
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        (**self).pieces(index, visit);
    }

    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        (**self).fixed(visit);
    }

    fn max_output_tokens(&self) -> Option<u32> {
        (**self).max_output_tokens()
    }
}

/// What is known of a message without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageRef {
    /// Who speaks.
    pub role: Role,
    /// Whether the message carries a mark that it must stay verbatim.
    pub pinned: bool,
}

impl MessageRef {
    /// A message of a role, not pinned.
    #[must_use]
    pub const fn new(role: Role) -> Self {
        Self {
            role,
            pinned: false,
        }
    }

    /// Pins it, or not.
    #[must_use]
    pub const fn pinned(mut self, pinned: bool) -> Self {
        self.pinned = pinned;
        self
    }
}

/// A tie between two messages that must stay or go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Link<'a> {
    /// This message calls a tool under this id.
    Calls(&'a str),
    /// This message answers the call of this id.
    Answers(&'a str),
    /// This message means nothing without the next one: a reasoning item, say.
    BindsNext,
}
