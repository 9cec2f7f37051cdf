//! The hooks for exit and fork of the process. `caldera_runtime::process` has the rules.

use std::sync::Once;

use caldera_runtime::process;

use crate::os;

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
    os::at_exit(exits);
}

/// Installs the hooks. The first call of the application does this before it uses Vulkan or the environment.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if os::is_privileged() {
            caldera_runtime::config::distrust_environment();
        }
        process::on_user(os::user);
        process::on_load(register);
        os::at_fork(before_fork, after_fork, forked);
    });
}
