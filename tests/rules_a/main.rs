//! What the first of the two systems that are covered does, rule by rule.
//!
//! A test is named by the rule's number.

mod archive;
mod calls;
mod cut_point;
mod engine_use;
mod exact;
mod overflow;
mod prepare_apply;
mod settings;
mod summaries;
mod summarizer_input;
mod transcripts;
mod writer;
