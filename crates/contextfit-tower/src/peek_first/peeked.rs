use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use futures_core::stream::FusedStream;
use futures_core::{Stream, TryStream};

/// A stream whose first items were looked at: the response of [`PeekFirst`](super::PeekFirst).
///
/// It gives what was held back, in order, and then each item as it comes. After its end the inner
/// stream isn't polled again.
pub struct Peeked<St: TryStream> {
    held: vec::IntoIter<St::Ok>,
    /// `None` once it has ended.
    stream: Option<St>,
    is_empty: bool,
    watch: Option<Box<dyn Watch<St::Ok, St::Error>>>,
}

/// Sees what comes out of a stream.
pub(super) trait Watch<T, E>: Send + Sync {
    /// An item is handed out.
    fn item(&mut self, item: &T);

    /// The stream failed, and is watched no longer. Gives the error back.
    fn error(self: Box<Self>, error: E) -> E;

    /// The stream has ended.
    fn end(self: Box<Self>);
}

impl<St: TryStream> Peeked<St> {
    /// What was held back, and the stream unless it has ended with that.
    pub(super) fn new(stream: Option<St>, held: Vec<St::Ok>) -> Self {
        Self {
            held: held.into_iter(),
            is_empty: stream.is_none(),
            stream,
            watch: None,
        }
    }

    /// Whether the stream ended before there was any content, without saying that it was complete.
    ///
    /// That is no answer, but it doesn't say what is wrong either. Some servers end so when they find
    /// a request too long, see [`StreamOverflow::trust_empty`](super::StreamOverflow::trust_empty).
    pub const fn is_empty(&self) -> bool {
        self.is_empty
    }

    pub(super) fn watch(&mut self, watch: Box<dyn Watch<St::Ok, St::Error>>) {
        self.watch = Some(watch);
    }
}

// Its items are never pinned.
impl<St: TryStream + Unpin> Unpin for Peeked<St> {}

impl<St: TryStream + Unpin> Stream for Peeked<St> {
    type Item = Result<St::Ok, St::Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let next = match (this.held.next(), &mut this.stream) {
            (Some(item), _) => Some(Ok(item)),
            (None, Some(stream)) => ready!(Pin::new(stream).try_poll_next(cx)),
            (None, None) => None,
        };
        Poll::Ready(match next {
            Some(Ok(item)) => {
                if let Some(watch) = &mut this.watch {
                    watch.item(&item);
                }
                Some(Ok(item))
            }
            Some(Err(error)) => Some(Err(match this.watch.take() {
                Some(watch) => watch.error(error),
                None => error,
            })),
            None => {
                this.stream = None;
                if let Some(watch) = this.watch.take() {
                    watch.end();
                }
                None
            }
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let held = self.held.len();
        let (least, most) = self.stream.as_ref().map_or((0, Some(0)), St::size_hint);
        let most = most.and_then(|most| most.checked_add(held));
        (least.saturating_add(held), most)
    }
}

impl<St: TryStream + Unpin> FusedStream for Peeked<St> {
    fn is_terminated(&self) -> bool {
        self.stream.is_none() && self.held.len() == 0
    }
}

impl<St: TryStream> fmt::Debug for Peeked<St> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The answer stays out of logs.
        f.debug_struct("Peeked")
            .field("held", &self.held.len())
            .field("is_empty", &self.is_empty)
            .finish_non_exhaustive()
    }
}
