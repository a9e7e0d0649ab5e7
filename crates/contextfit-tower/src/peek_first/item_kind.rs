/// What an item of a stream means to somebody who waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ItemKind {
    /// Nothing that a user would see: the stream was opened, a message was started, a ping. An
    /// overflow may still come.
    Bookkeeping,
    /// Some of the answer. From here on, nothing can be taken back.
    Content,
    /// The answer is complete, whether it had any content or not.
    End,
}
