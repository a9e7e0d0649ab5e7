//! The layers around a service of [`http::Request`] and [`http::Response`].
//!
//! [`PeekBody`] stands next to the provider's service and reads the start of each response, as far as
//! it takes to know whether it is an overflow; [`HttpOverflow`] says so to the layers, and reads what
//! the request cost, at the end of a stream too.

mod response;

pub use self::response::{
    HttpOverflow, HttpUsage, PeekBody, PeekBodyFuture, PeekBodyLayer, Peeked,
};
