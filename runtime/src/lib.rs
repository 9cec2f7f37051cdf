//! OpenCL objects, scheduling and Vulkan dispatch.
#![deny(unsafe_code)]

pub mod error;
pub mod object;
