use std::error::Error;
use std::ops::DerefMut;

/// An error that can be read: its text, and the errors it came from.
///
/// It is there for every type that implements [`Error`], and for every box around one, such as
/// `BoxError` or `anyhow::Error`, which doesn't implement it. `Kind` says which of the two an error
/// is, [`Typed`] or [`Boxed`]; the compiler finds it out.
#[diagnostic::on_unimplemented(
    message = "a `TextOverflow` can't read `{Self}`",
    note = "it reads errors that implement `std::error::Error`, and boxes around one",
    note = "change another with `map_err`, or classify it with `classifier_fn` and `is_overflow_text`"
)]
pub trait AsError<Kind> {
    /// The error.
    fn as_error(&self) -> &(dyn Error + 'static);
}

/// The [`AsError`] of errors that have a type of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {}

/// The [`AsError`] of errors in a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boxed {}

impl<E: Error + 'static> AsError<Typed> for E {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}

// A box owns its error. An `Arc` shares it, and implements `Error` itself.
impl<B: DerefMut<Target = dyn Error + Send + Sync>> AsError<Boxed> for B {
    fn as_error(&self) -> &(dyn Error + 'static) {
        &**self
    }
}
