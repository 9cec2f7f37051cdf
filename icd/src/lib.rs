//! The C ABI of Caldera: `libcaldera.so`.
//!
//! Exported are every entry point of OpenCL 1.0 to 1.2, `clIcdGetPlatformIDsKHR`, and those few later ones that
//! are implemented; nothing else. So the library works behind an OpenCL loader (which finds everything through
//! [`dispatch`]), preloaded, and under the name `libOpenCL.so.1`.
//!
//! Guarantees: loading the library runs no code, and it is never unloaded, since threads and drivers use it; the first call that needs Vulkan loads it; nothing is printed
//! unless `CALDERA_LOG` asks for it; no handle, however wrong, is dereferenced before it is known to be one of ours
//! ([`handle`]); a panic becomes CL_OUT_OF_RESOURCES and a line in the log ([`mod@entry`]); nothing is torn down when the
//! process exits: calls after that, and those of a forked child whose parent uses Vulkan, give CL_OUT_OF_RESOURCES ([`process`]).
//!
//! An entry body converts arguments ([`args`]), calls the runtime, converts the result ([`out`]). What the
//! specification demands of a call is checked there or in the runtime function of the same name.
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
mod out;
mod process;
