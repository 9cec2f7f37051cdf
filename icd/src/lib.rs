//! The C ABI of Caldera: `libcaldera.so`.
//!
//! The library exports every entry point of OpenCL 1.0 to 1.2, `clIcdGetPlatformIDsKHR`, the entry points of later
//! versions and of extensions that it implements, and the other functions that OpenCL loaders export, which return an
//! error (`absent`). It can be used in three ways: through an OpenCL loader, which calls through `dispatch`; preloaded;
//! and under the name `libOpenCL.so.1`.
//!
//! Guarantees:
//! - Loading the library runs no code. The first call that needs Vulkan loads the Vulkan loader.
//! - The library is never unloaded, since threads and drivers use it.
//! - It prints nothing except the output of kernels and what `CALDERA_LOG`, `CALDERA_DEBUG=error`, `CALDERA_CAPTURE`,
//!   `CALDERA_CHECK`, `CALDERA_PROFILE` and `CALDERA_VALIDATION` ask for.
//! - It does not dereference a handle before the handle is known to be one of Caldera's (`handle`).
//! - A panic becomes CL_OUT_OF_RESOURCES and an entry in the log. Every later call returns CL_OUT_OF_RESOURCES too,
//!   except `clRelease*`, which do nothing: nothing that the panic left half changed is used (`entry`).
//! - Nothing is torn down when the process exits. Calls after the exit has begun, and calls of a forked child whose
//!   parent has created a context, return CL_OUT_OF_RESOURCES (`process`).
//!
//! The body of an entry point converts the arguments (`args`), calls the runtime and converts the result
//! (`out`). The errors that the specification lists for a call are checked in that body or in the runtime function
//! that it calls.
#![allow(
    non_snake_case,
    non_camel_case_types,
    reason = "entry points and C types have the names of the OpenCL headers"
)]

mod abi;
mod absent;
pub mod api;
mod args;
mod callback;
mod dispatch;
mod entry;
mod handle;
mod os;
mod out;
mod process;
mod updates;
