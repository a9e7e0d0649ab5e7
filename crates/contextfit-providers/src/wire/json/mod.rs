//! Reading a body in one pass, and remembering where in it things stand.

mod halves;
mod path;
mod reader;
mod span;

pub(super) use self::halves::without_halves;
pub(super) use self::path::Path;
pub(super) use self::reader::{Kind, Reader};
pub(super) use self::span::Span;
