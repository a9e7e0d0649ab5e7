//! The faults that users of other systems met, as kinds.
//!
//! Each test is named by its fault: the group's letter, its number, and what must hold. The
//! README beside this folder says what each needs to fail.

mod a_structure;
mod b_loops;
mod c_summaries;
mod c_trust;
mod d_counting;
mod d_windows;
mod e_recognising;
mod e_texts;
mod f_losses;
mod g_operation;
