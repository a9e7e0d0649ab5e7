//! The laws that hold for any cut policy and any estimator, as checks to call from a property test.
//!
//! Each check of a policy runs it as the layers do, works out by itself what must be true of the
//! result, and says which law is broken at which row. [`check_estimator`] asks an estimator about
//! two texts. The module `strategies`, behind the feature `proptest`, makes the inputs.
//!
//! ```
//! use contextfit_core::budget::{Budget, BudgetRules, Window};
//! use contextfit_core::cut::{Cut, cut_policy_fn};
//! use contextfit_core::request::Role;
//! use contextfit_core::table::{Row, Table};
//! use contextfit_testing::laws::{check_cut, check_lawful};
//!
//! let table = Table::new([
//!     Row::new(Role::Assistant, 20),
//!     Row::new(Role::Tool, 300).joined(),
//!     Row::new(Role::User, 5),
//! ]);
//! let budget = Budget::new(Window::new(100), &BudgetRules::default(), 0, None, None)?;
//! let careless = cut_policy_fn(|table, _| Some(Cut::of(table.len(), 0..1)));
//! // The engine makes lawful what a policy returns …
//! assert_eq!(check_cut(&table, &budget, &careless), Ok(()));
//! // … which it wasn't.
//! let broken = check_lawful(&table, &Cut::of(3, 0..1)).unwrap_err();
//! assert!(broken.contains("groups whole: row 1"), "{broken}");
//! # Ok::<(), contextfit_core::budget::BudgetError>(())
//! ```

mod cut;
mod draft;
mod estimator;

pub use self::cut::{check_cut, check_lawful};
pub use self::draft::check_draft;
pub use self::estimator::check_estimator;
