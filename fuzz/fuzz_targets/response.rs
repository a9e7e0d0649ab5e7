//! A body comes out as it went in, whatever its pieces.

#![no_main]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use contextfit_providers::http::PeekBodyLayer;
use http_body::{Body, Frame};
use libfuzzer_sys::fuzz_target;
use tower::{Layer, Service, service_fn};

/// A body in pieces, with waits among them.
struct Pieces(VecDeque<Option<Bytes>>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.0.pop_front() {
            None => Poll::Ready(None),
            Some(None) => Poll::Pending,
            Some(Some(data)) => Poll::Ready(Some(Ok(Frame::data(data)))),
        }
    }
}

fuzz_target!(|input: (u8, u8, Vec<(u16, bool)>, &[u8])| {
    let (status, kind, cuts, whole) = input;
    let status = [200, 200, 200, 400, 429, 500][usize::from(status) % 6];
    let kinds = ["text/event-stream", "application/json", "application/x-ndjson", "text/plain", ""];
    let mut pieces = VecDeque::new();
    let mut rest = whole;
    for (cut, waits) in cuts {
        let (piece, after) = rest.split_at(usize::from(cut).min(rest.len()));
        pieces.push_back(Some(Bytes::copy_from_slice(piece)));
        pieces.extend(waits.then_some(None));
        rest = after;
    }
    pieces.push_back(Some(Bytes::copy_from_slice(rest)));
    let response = http::Response::builder()
        .status(status)
        .header("content-type", kinds[usize::from(kind) % kinds.len()])
        .body(Pieces(pieces))
        .expect("a response");
    let mut response = Some(response);
    let mut service = PeekBodyLayer::new().layer(service_fn(move |()| {
        std::future::ready(response.take().ok_or(()))
    }));
    let mut cx = Context::from_waker(Waker::noop());
    let mut call = pin!(service.call(()));
    let response = loop {
        if let Poll::Ready(response) = call.as_mut().poll(&mut cx) {
            break response.expect("a response");
        }
    };
    let mut body = pin!(response.into_body());
    let mut out = Vec::new();
    loop {
        match body.as_mut().poll_frame(&mut cx) {
            Poll::Pending => {}
            Poll::Ready(None) => break,
            Poll::Ready(Some(frame)) => {
                let Ok(frame) = frame;
                out.extend_from_slice(&frame.into_data().expect("data"));
            }
        }
    }
    assert_eq!(out, whole);
});
