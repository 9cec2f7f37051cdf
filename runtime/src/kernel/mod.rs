//! Kernels.

pub mod launch;
pub mod pipeline;
