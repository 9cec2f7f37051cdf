//! The hooks of the C library for exit and fork of the process, and the questions about its rights.
//! `caldera_runtime::process` has the rules.

use std::ffi::{c_int, c_ulong};
use std::sync::Once;

use caldera_runtime::process;

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

extern "C" fn exits() {
    process::exits();
}

extern "C" fn before_fork() {
    // A panic must not unwind into the C library.
    let _ = std::panic::catch_unwind(process::before_fork);
}

extern "C" fn after_fork() {
    process::after_fork();
}

extern "C" fn forked() {
    process::forked();
}

/// Registers [`exits`]. At exit it runs before every function that has been registered up to now.
fn register() {
    // SAFETY: `exits` is a function of this library, which is never unloaded (`build.rs`).
    unsafe { atexit(exits) };
}

/// Returns whether the process has rights that the user who started it lacks (setuid, setgid, file capabilities).
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_privileged() -> bool {
    const AT_SECURE: c_ulong = 23;
    unsafe extern "C" {
        fn getauxval(kind: c_ulong) -> c_ulong;
    }
    // SAFETY: the function has no preconditions: it reads a value that the kernel gave the process at its start.
    unsafe { getauxval(AT_SECURE) != 0 }
}

/// Returns whether the process has rights that the user who started it lacks.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn is_privileged() -> bool {
    unsafe extern "C" {
        fn issetugid() -> c_int;
    }
    // SAFETY: the function has no preconditions.
    unsafe { issetugid() != 0 }
}

/// Returns the user whose rights the process has.
fn user() -> u32 {
    unsafe extern "C" {
        fn geteuid() -> u32;
    }
    // SAFETY: the function has no preconditions.
    unsafe { geteuid() }
}

/// Installs the hooks. The first call of the application does this before anything else.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if is_privileged() {
            caldera_runtime::config::distrust_environment();
        }
        process::on_user(user);
        process::on_load(register);
        // SAFETY: these are functions of this library, which is never unloaded (`build.rs`).
        unsafe { pthread_atfork(Some(before_fork), Some(after_fork), Some(forked)) };
    });
}
