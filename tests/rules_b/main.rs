//! What the second of the two systems that are covered does, rule by rule.
//!
//! A test is named by the rule's number.

mod overflow;
