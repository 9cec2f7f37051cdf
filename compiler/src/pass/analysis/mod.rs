//! Analyses: what passes ask about a function. An analysis changes nothing, and imports no pass (the test `layers` checks
//! this). Nothing is cached: a pass computes an analysis when it needs one, and again after it has changed the function.
//! Simpler questions, such as whether an instruction is pure or where a loop is left, are in [`crate::ir::analysis`].
//!
//! In this order each module needs only those before it:
//!
//! 1. Numbers: [`facts`] (the bits and the range of an integer), [`progression`] (the values of a counter), [`trip_count`]
//!    (how often a loop repeats), [`loop_tests`] (where a loop is tested and left), [`lanes`] (where the lanes of a vector
//!    come from).
//! 2. Memory: [`pointers`] (the objects that a pointer leads to, and whether two accesses may alias), then [`effects`] (what
//!    an instruction reads and writes). [`points_to`] answers the first question for the descriptor ABI, where an access must
//!    name its object; [`generic_spaces`] finds the address spaces that a generic pointer may lead to.
//! 3. Work-items: [`uniformity`] (what is the same for all work-items of a sub-group).
//!
//! Whether an answer is right is tested by `tests/oracle` (facts, with every operation of small integers), by unit tests
//! beside the code, and by the file tests of the passes that ask.

pub mod effects;
pub mod facts;
pub mod generic_spaces;
pub mod lanes;
pub mod loop_tests;
pub mod pointers;
pub mod points_to;
pub mod progression;
pub mod trip_count;
pub mod uniformity;
