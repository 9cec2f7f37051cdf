//! OpenCL for the harness: implementations that are opened by path, their devices, objects and commands.
//!
//! ```text
//! library    a library → its platforms, each with a table of functions
//! device     the devices and their properties
//! locate     a name on the command line → a library and a device
//! handle     a handle that owns a reference; the creation of objects and the queries about them
//! memory     memory of the application that commands use after the call that enqueues them
//! commands   commands that wait for events and have an event
//! texels     the same for images
//! described  programs, images, samplers and launches as a captured launch describes them
//! blocking   commands of an in-order queue, for measurements: they block, or have no event
//! signature  the kernels of a program and their parameters
//! ```
//!
//! The harness enters an ICD in the same way as a loader does, through the dispatch table of its platforms.
//! Thus it can measure two implementations in one process regardless of the loader's configuration, and
//! without the loader's overhead. A library without `clIcdGetPlatformIDsKHR` (a loader or its replacement) is
//! entered through the functions that it exports.
#![allow(unsafe_code, reason = "OpenCL is a C interface, loaded at run time")]

mod blocking;
mod commands;
mod described;
mod device;
mod handle;
mod library;
mod locate;
mod memory;
mod signature;
mod texels;

pub(crate) use blocking::{Buffer, Context, Image, Mapping, Pixels, Queue, Range};
pub(crate) use commands::Side;
pub(crate) use described::{ImageForm, Sizes};
pub(crate) use device::{Device, context, open};
pub(crate) use handle::{Argument, Handle, Kind, abort_on_bad_release};
pub(crate) use library::{can_load, icd_files, reason};
pub(crate) use locate::{Choice, LOADER, Location, contains, find, locate, with_variables};
pub(crate) use memory::{Mapped, Memory, watch_memory};
pub(crate) use signature::{Parameter, Signature};
pub(crate) use texels::Place;

use crate::Failure;
use opencl_sys::{CL_SUCCESS, cl_event, cl_int};
use std::ptr::null;

/// Returns the result of a call that must return CL_SUCCESS.
fn check(code: cl_int, call: &str) -> Result<(), Failure> {
    match code {
        CL_SUCCESS => Ok(()),
        _ => fail!("{call} gave {code}"),
    }
}

fn lacks(function: &str) -> Failure {
    failure!("the ICD lacks {function}")
}

/// Returns the address of the events of a wait list; null if there are none, as OpenCL demands.
fn address(list: &[cl_event]) -> *const cl_event {
    if list.is_empty() { null() } else { list.as_ptr() }
}

/// Calls a function of the table of `$of`. The value is the function's result, or the failure that the table lacks it.
macro_rules! call {
    ($of:ident.$name:ident($($arg:expr),* $(,)?)) => {
        match $of.table.$name {
            #[allow(clippy::macro_metavars_in_unsafe, reason = "the arguments of a foreign function")]
            // SAFETY: a `Handle` keeps its object alive. Arrays have the lengths that are passed with them. Memory
            // that a command uses after the call is kept by the callers until the command is complete.
            Some(function) => Ok(unsafe { function($($arg),*) }),
            None => Err(crate::cl::lacks(stringify!($name))),
        }
    };
}

/// Calls a function that returns an error code, which must be CL_SUCCESS.
macro_rules! done {
    ($of:ident.$name:ident($($arg:expr),* $(,)?)) => {
        crate::cl::call!($of.$name($($arg),*)).and_then(|code| crate::cl::check(code, stringify!($name)))
    };
}

/// Calls a function that returns an object or an address, and stores an error code last.
macro_rules! created {
    ($of:ident.$name:ident($($arg:expr),* $(,)?)) => {{
        let mut code = 0;
        let made = crate::cl::call!($of.$name($($arg,)* &raw mut code));
        made.and_then(|raw| crate::cl::check(code, stringify!($name)).map(|()| raw))
    }};
}

/// Enqueues a command that waits for the events `$after`. The value is the command's own event.
macro_rules! enqueued {
    ($of:ident.$name:ident($($arg:expr),* $(,)?), $after:expr) => {{
        let list: Vec<cl_event> = $after.iter().map(Handle::raw).collect();
        let (count, at, mut event) = (list.len() as cl_uint, crate::cl::address(&list), null_mut());
        crate::cl::done!($of.$name($($arg,)* count, at, &raw mut event))
            .map(|()| Handle::new($of.table, event, Kind::Event))
    }};
}

/// Enqueues a command without a wait list and without an event.
macro_rules! plain {
    ($of:ident.$name:ident($($arg:expr),* $(,)?)) => {
        crate::cl::done!($of.$name($($arg,)* 0, null(), null_mut()))
    };
}

/// Makes a query, once to learn the length of the answer and once for the answer.
macro_rules! answer {
    ($of:ident.$name:ident($($arg:expr),* $(,)?)) => {{
        let mut size = 0;
        crate::cl::done!($of.$name($($arg,)* 0, null_mut(), &raw mut size)).and_then(|()| {
            let mut answer = vec![0u8; size];
            let to = answer.as_mut_ptr().cast();
            crate::cl::done!($of.$name($($arg,)* size, to, null_mut())).map(|()| answer)
        })
    }};
}

use {answer, call, created, done, enqueued, plain};

/// Returns the text of an answer, which ends at the first zero.
fn text(answer: &[u8]) -> String {
    let end = answer.iter().position(|b| *b == 0).unwrap_or(answer.len());
    String::from_utf8_lossy(&answer[..end]).into_owned()
}
