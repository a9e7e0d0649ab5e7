use std::future::poll_fn;
use std::pin::pin;

use bytes::{Bytes, BytesMut};
use http_body::Body;

/// What was read of a body.
pub(super) struct Whole {
    /// All of it, or as many bytes as are read at most.
    pub(super) start: Bytes,
    /// There is more.
    pub(super) is_cut: bool,
}

/// Reads a body, so many bytes at most.
pub(super) async fn read_whole<B>(body: B, most: usize) -> Result<Whole, B::Error>
where
    B: Body<Data = Bytes>,
{
    let mut body = pin!(body);
    let mut read = BytesMut::new();
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        let room = most - read.len();
        let is_cut = data.len() > room;
        read.extend_from_slice(&data[..room.min(data.len())]);
        if is_cut {
            return Ok(Whole {
                start: read.freeze(),
                is_cut,
            });
        }
    }
    Ok(Whole {
        start: read.freeze(),
        is_cut: false,
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::Full;
    use tokio_test::block_on;

    use super::*;

    #[test]
    fn no_more_is_read_than_asked_for() -> Result<(), Infallible> {
        for (most, start, is_cut) in [(3, "abc", true), (4, "abcd", false), (9, "abcd", false)] {
            let body = Full::from(Bytes::from_static(b"abcd"));
            let whole = block_on(read_whole(body, most))?;
            assert_eq!((&whole.start[..], whole.is_cut), (start.as_bytes(), is_cut));
        }
        Ok(())
    }
}
