//! What differs between operating systems: one module for each concern, with a fallback for systems that none of its
//! forms knows.
//!
//! What a module needs of C functions of the system, which is unsafe code, is in the icd crate (`icd/src/os.rs`).
//! `device/system.rs` reads files that only Linux has; where they are missing, the answers are unknown.

pub(crate) mod files;
pub(crate) mod folders;
pub(crate) mod libraries;
