//! The frame around every entry point: it runs the body, catches panics, logs the call, and returns the result in
//! the form of the C API.
//!
//! `entry!` declares an exported function. Its body is ordinary Rust code that returns a [`Result`]:
//!
//! ```text
//! entry! {
//!     /// CL 5.9 — clCreateUserEvent
//!     fn clCreateUserEvent(context: cl_context; errcode_ret) -> cl_event { … Result<cl_event> … }
//! }
//! entry! {
//!     /// CL 5.9 — clSetUserEventStatus
//!     fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) { … Result<()> … }
//! }
//! ```
//!
//! A panic in a body is a bug of Caldera. [`run`] catches it, so it does not unwind into the application. What it left half
//! changed is never used again: the locks that it unwound through are closed, so calls in progress on other threads fail
//! when they need one of them (`lock.rs` of the runtime). Every later call returns CL_OUT_OF_RESOURCES before it looks at
//! its arguments ([`process::fails`]). Only the `clRelease*` functions succeed; they do nothing, because destructors would
//! use the objects.
//!
//! A pointer argument has its extent in brackets after the type: `devices: *const cl_device_id [num_devices]`. In the
//! body it is a value of one of the types of [`args`](crate::args), which permit access to this extent only.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::time::Instant;

use caldera_runtime::config::config;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::{object, observe, process};

use crate::abi::cl_int;
use crate::args::Ptr;
use crate::out;

/// Initialises the library. The first call does this, because loading the library runs no code.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        object::set_dispatch(std::ptr::from_ref(&crate::dispatch::TABLE).cast());
        crate::process::watch();
        caldera_runtime::trace::install();
        observe::begin();
        // The library has its own copy of the standard library, so this does not replace a hook of the application.
        std::panic::set_hook(Box::new(|panic| {
            let trace = std::backtrace::Backtrace::force_capture();
            log::error!(target: "api", "internal error: {panic}\n{trace}");
        }));
    });
}

/// Logs the error that a call returns: as an error with `CALDERA_DEBUG=error`, otherwise at the level `debug`.
#[cold]
fn report(name: &str, e: &Error) {
    if config().debug.error {
        log::error!(target: "api", "{name}: {}", e.chain());
    } else {
        log::debug!(target: "api", "{name}: {}", e.chain());
    }
}

/// Runs the body of an entry point and logs the call. A panic becomes CL_OUT_OF_RESOURCES, so it does not unwind
/// into the application.
///
/// The library has one copy of this function, and not one for each entry point: the compiler would put all of it into
/// each of them.
fn run(
    name: &'static str,
    describe: &dyn Fn() -> String,
    body: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    if process::has_failed() {
        return Err(Error::new(
            ClCode::OutOfResources,
            "an earlier internal error, see the log",
        ));
    }
    if process::is_over() {
        // The log must not be used either: a forked child may have inherited its lock in the locked state.
        return Err(Error::new(
            ClCode::OutOfResources,
            "the process exits, or was forked",
        ));
    }
    catch_unwind(AssertUnwindSafe(|| {
        let _inside = process::enter();
        prepare();
        let call = observe::call(name);
        let trace = log::log_enabled!(target: "api", log::Level::Trace);
        let start = trace.then(Instant::now);
        let result = body();
        if let Some(start) = start {
            let code = match &result {
                Ok(()) => "CL_SUCCESS",
                Err(e) => e.code.name(),
            };
            let arguments = describe();
            let arguments = arguments.trim_end_matches(", ");
            log::trace!(target: "api", "{name}({arguments}) = {code} [{} µs]", start.elapsed().as_micros());
        }
        if let Some(call) = call {
            call.end(result.as_ref().err().map(|e| e.code.name()));
        }
        if let Err(e) = &result {
            report(name, e);
        }
        result
    }))
    .unwrap_or_else(|_| {
        // The panic hook has logged the message and the backtrace.
        process::fails();
        Err(Error::new(ClCode::OutOfResources, "internal error, see the log"))
    })
}

/// Runs a body like [`run`], and returns the error code.
fn code(name: &'static str, describe: &dyn Fn() -> String, body: &mut dyn FnMut() -> Result<()>) -> cl_int {
    match run(name, describe, body) {
        Ok(()) => out::SUCCESS,
        Err(e) => out::number(e.code),
    }
}

/// Runs an entry point that returns `cl_int`. `describe` returns the arguments for a trace line, each followed by
/// a comma and a space.
pub(crate) fn status(
    name: &'static str,
    describe: impl Fn() -> String,
    body: impl FnOnce() -> Result<()>,
) -> cl_int {
    // Destructors of the application's global objects may release handles after the exit has begun, or after an
    // internal error. That succeeds.
    if name.starts_with("clRelease") && (process::is_over() || process::has_failed()) {
        return out::SUCCESS;
    }
    let mut body = Some(body);
    code(name, &describe, &mut || body.take().map_or(Ok(()), |body| body()))
}

/// Runs an entry point that returns a handle or a pointer, and the error code through `errcode_ret`. `describe` is
/// that of [`status`].
pub(crate) fn created<T>(
    name: &'static str,
    errcode_ret: Ptr<cl_int>,
    describe: impl Fn() -> String,
    body: impl FnOnce() -> Result<*mut T>,
) -> *mut T {
    created_with(name, errcode_ret, describe, || Ok((body()?, Ok(()))))
}

/// Runs an entry point like [`created`]. The body returns the handle and, beside it, the result that `errcode_ret` reports,
/// because the call may return a handle together with an error code.
pub(crate) fn created_with<T>(
    name: &'static str,
    errcode_ret: Ptr<cl_int>,
    describe: impl Fn() -> String,
    body: impl FnOnce() -> Result<(*mut T, Result<()>)>,
) -> *mut T {
    let (created, code) = value(name, &describe, body);
    errcode_ret.write(code);
    created
}

/// Runs an entry point that returns a pointer and has no way to return an error code: null stands for every error.
/// `describe` is that of [`status`].
pub(crate) fn pointer<T>(
    name: &'static str,
    describe: impl Fn() -> String,
    body: impl FnOnce() -> Result<*mut T>,
) -> *mut T {
    value(name, &describe, || Ok((body()?, Ok(())))).0
}

/// Runs a body that returns a pointer and a result. Returns the pointer, which is null if the body fails, and the error code.
fn value<T>(
    name: &'static str,
    describe: &dyn Fn() -> String,
    body: impl FnOnce() -> Result<(*mut T, Result<()>)>,
) -> (*mut T, cl_int) {
    let mut value = std::ptr::null_mut();
    let mut body = Some(body);
    let code = code(name, describe, &mut || match body.take() {
        Some(body) => {
            let (pointer, result) = body()?;
            value = pointer;
            result
        }
        None => Ok(()),
    });
    (value, code)
}

/// Returns the arguments of an entry point as text, each followed by a comma and a space.
#[macro_export]
macro_rules! arguments {
    ($($arg:ident)*) => {
        format!(concat!($(stringify!($arg), "={:?}, ",)*), $($arg),*)
    };
}

/// Declares an entry point, as the documentation of the module shows.
#[macro_export]
macro_rules! entry {
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty $([$($extent:tt)+])?),* $(,)?) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointer arguments are null or valid as the clause says, for the extents declared here. Handles may be
        /// anything.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::abi::cl_int {
            #[allow(clippy::unused_unit, reason = "there are calls without arguments")]
            let ($($arg,)*) = ($($crate::adopt!($arg $($($extent)+)?),)*);
            $crate::entry::status(
                stringify!($name),
                || $crate::arguments!($($arg)*),
                move || -> caldera_runtime::error::Result<()> { $body },
            )
        }
    };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty $([$($extent:tt)+])?),* ; errcode_ret) -> ($ret:ty, Result<()>) $body:block) => {
        $crate::entry!(@created created_with, $ret, ($ret, Result<()>), $(#[$doc])* fn $name($($arg: $ty $([$($extent)+])?),*) $body);
    };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty $([$($extent:tt)+])?),* ; errcode_ret) -> $ret:ty $body:block) => {
        $crate::entry!(@created created, $ret, $ret, $(#[$doc])* fn $name($($arg: $ty $([$($extent)+])?),*) $body);
    };
    (@created $run:ident, $ret:ty, $value:ty, $(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty $([$($extent:tt)+])?),*) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointer arguments are null or valid as the clause says, for the extents declared here. Handles may be
        /// anything.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty,)* errcode_ret: *mut $crate::abi::cl_int) -> $ret {
            #[allow(clippy::unused_unit, reason = "there are calls without arguments")]
            let ($($arg,)*) = ($($crate::adopt!($arg $($($extent)+)?),)*);
            // SAFETY: the caller's duty, above.
            let errcode_ret = unsafe { $crate::args::Argument::adopt(errcode_ret) };
            $crate::entry::$run(
                stringify!($name),
                errcode_ret,
                || $crate::arguments!($($arg)*),
                move || -> caldera_runtime::error::Result<$value> { $body },
            )
        }
    };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty $([$($extent:tt)+])?),* $(,)?) -> () $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointer arguments are null or valid as the clause says, for the extents declared here. Handles may be
        /// anything.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) {
            let ($($arg,)*) = ($($crate::adopt!($arg $($($extent)+)?),)*);
            // The function has no way to return an error; the log has it.
            let _ = $crate::entry::status(
                stringify!($name),
                || $crate::arguments!($($arg)*),
                move || -> caldera_runtime::error::Result<()> { $body },
            );
        }
    };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty $([$($extent:tt)+])?),* $(,)?) -> $ret:ty $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointer arguments are null or valid as the clause says, for the extents declared here. Handles may be
        /// anything.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            #[allow(clippy::unused_unit, reason = "there are calls without arguments")]
            let ($($arg,)*) = ($($crate::adopt!($arg $($($extent)+)?),)*);
            $crate::entry::pointer(
                stringify!($name),
                || $crate::arguments!($($arg)*),
                move || -> caldera_runtime::error::Result<$ret> { $body },
            )
        }
    };
}
