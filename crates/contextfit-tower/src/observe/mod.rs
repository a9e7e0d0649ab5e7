//! Whoever wants to hear what the layers do.

mod event;
mod function;
mod observer;
mod purpose;

pub use self::event::FitEvent;
pub use self::function::{ObserverFn, observer_fn};
pub use self::observer::Observer;
pub use self::purpose::Purpose;
