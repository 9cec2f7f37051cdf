//! The exit of the process and its forks (`caldera_runtime::process` says what they mean).

use std::ffi::c_int;
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

extern "C" fn forked() {
    process::forked();
}

/// Runs [`exits`] before whatever has been registered up to now.
fn register() {
    // SAFETY: a function of this library, which is never unloaded (`build.rs`).
    unsafe { atexit(exits) };
}

/// Once, at the first call.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        process::on_load(register);
        // SAFETY: as above.
        unsafe { pthread_atfork(None, None, Some(forked)) };
    });
}
