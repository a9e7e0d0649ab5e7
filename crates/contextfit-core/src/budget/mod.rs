//! How many tokens a conversation may use, and what follows from the settings for it.

mod error;
mod of_request;
mod rules;
mod share;
mod window;

pub use self::error::BudgetError;
pub use self::of_request::Budget;
pub use self::rules::{BudgetRules, OversizedOutput};
pub use self::share::share_of;
pub use self::window::Window;
