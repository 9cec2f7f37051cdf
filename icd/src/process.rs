//! The exit of the process and its forks (`caldera_runtime::process` says what they mean).

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
    // Nothing unwinds into the C library.
    let _ = std::panic::catch_unwind(process::before_fork);
}

extern "C" fn after_fork() {
    process::after_fork();
}

extern "C" fn forked() {
    process::forked();
}

/// Runs [`exits`] before whatever has been registered up to now.
fn register() {
    // SAFETY: a function of this library, which is never unloaded (`build.rs`).
    unsafe { atexit(exits) };
}

/// Whether the process has rights that whoever started it lacks (setuid, setgid, file capabilities).
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_privileged() -> bool {
    const AT_SECURE: c_ulong = 23;
    unsafe extern "C" {
        fn getauxval(kind: c_ulong) -> c_ulong;
    }
    // SAFETY: it reads what the kernel gave the process at its start, and has no preconditions.
    unsafe { getauxval(AT_SECURE) != 0 }
}

/// As above, where the C library itself answers.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn is_privileged() -> bool {
    unsafe extern "C" {
        fn issetugid() -> c_int;
    }
    // SAFETY: no preconditions.
    unsafe { issetugid() != 0 }
}

/// The user whose rights the process has.
fn user() -> u32 {
    unsafe extern "C" {
        fn geteuid() -> u32;
    }
    // SAFETY: no preconditions.
    unsafe { geteuid() }
}

/// Once, at the first call, before anything else.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if is_privileged() {
            caldera_runtime::config::distrust_environment();
        }
        process::on_user(user);
        process::on_load(register);
        // SAFETY: as above.
        unsafe { pthread_atfork(Some(before_fork), Some(after_fork), Some(forked)) };
    });
}
