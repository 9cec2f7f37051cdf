//! What the library needs of the C library and the kernel: functions that run at the exit and at forks of the process, and
//! the rights of the process. Systems that are not Unix need none of this. They have no forks, and when a process ends,
//! its other threads end before any library is unloaded.

pub(crate) use system::{at_exit, at_fork, is_privileged, user};

#[cfg(unix)]
mod system {
    use std::ffi::c_int;

    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
        fn pthread_atfork(
            prepare: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: Option<extern "C" fn()>,
        ) -> c_int;
        fn geteuid() -> u32;
    }

    /// Registers a function of this library. At exit it runs before every function that has been registered up to now.
    pub(crate) fn at_exit(function: extern "C" fn()) {
        // SAFETY: the function belongs to this library, which is never unloaded (`build.rs`).
        unsafe { atexit(function) };
    }

    /// Registers three functions of this library for each fork: `prepare` runs before it, `parent` after it in the parent,
    /// and `child` after it in the child.
    pub(crate) fn at_fork(prepare: extern "C" fn(), parent: extern "C" fn(), child: extern "C" fn()) {
        // SAFETY: the functions belong to this library, which is never unloaded (`build.rs`).
        unsafe { pthread_atfork(Some(prepare), Some(parent), Some(child)) };
    }

    /// Returns the user whose rights the process has.
    pub(crate) fn user() -> Option<u32> {
        // SAFETY: the function has no preconditions.
        Some(unsafe { geteuid() })
    }

    /// Returns whether the process has rights that the user who started it lacks (setuid, setgid, file capabilities).
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn is_privileged() -> bool {
        use std::ffi::c_ulong;
        const AT_SECURE: c_ulong = 23;
        unsafe extern "C" {
            fn getauxval(kind: c_ulong) -> c_ulong;
        }
        // SAFETY: the function has no preconditions: it reads a value that the kernel gave the process at its start.
        unsafe { getauxval(AT_SECURE) != 0 }
    }

    /// Returns whether the process has rights that the user who started it lacks.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn is_privileged() -> bool {
        unsafe extern "C" {
            fn issetugid() -> c_int;
        }
        // SAFETY: the function has no preconditions.
        unsafe { issetugid() != 0 }
    }
}

#[cfg(not(unix))]
mod system {
    pub(crate) fn at_exit(_: extern "C" fn()) {}

    pub(crate) fn at_fork(_: extern "C" fn(), _: extern "C" fn(), _: extern "C" fn()) {}

    pub(crate) fn user() -> Option<u32> {
        None
    }

    pub(crate) fn is_privileged() -> bool {
        false
    }
}
