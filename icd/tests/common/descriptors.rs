//! The tests of a program once more, in a process of its own where buffers are descriptors (`CALDERA_ABI`).

use std::process::Command;

/// Whether this is that process.
pub fn chosen() -> bool {
    std::env::var("CALDERA_ABI").is_ok_and(|v| v == "descriptor")
}

/// Runs all tests of the program that is running in that process; they must pass there, too.
pub fn run_all_tests() {
    if chosen() {
        return;
    }
    let exe = std::env::current_exe().expect("a running test has a path");
    let out = Command::new(exe)
        .args(["--test-threads=2", "--color=never"])
        .env("CALDERA_ABI", "descriptor")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && text.contains("test result: ok"), "{text}");
}
