//! Runs the tests of a program once more, in a process of their own with another environment.

use std::process::Command;

/// The variable that marks such a process, so that it does not start further ones.
const MARK: &str = "CALDERA_TEST_AGAIN";

/// The variable with which llvmpipe leaves out LLVM's optimizations, which take most of the time of the tests.
///
/// It is for processes that repeat tests with other code: the first run of a test has the optimizations, and so has a run
/// with the same code, which finds the results of the first run in the driver's cache. What the driver makes of a module
/// before LLVM does not depend on the variable.
pub const UNOPTIMIZED: (&str, &str) = ("GALLIVM_PERF", "nopt");

/// Returns whether this process uses the descriptor ABI, because `CALDERA_ABI` asks for it or because the device has no
/// addresses.
pub fn with_descriptors() -> bool {
    std::env::var("CALDERA_ABI").is_ok_and(|v| v == "descriptor")
        || std::env::var("CALDERA_DEBUG").is_ok_and(|v| {
            [
                "adreno-650",
                "android-2022",
                "desktop-2022",
                "no-addresses",
                "raspberry-pi-5",
                "words-only",
            ]
            .iter()
            .any(|device| v.contains(device))
        })
}

/// Runs all tests of the running program in a process in which the variable `name` has the value. They must pass.
pub fn run_all_tests(name: &str, value: &str) {
    run_all_tests_but(name, value, &[]);
}

/// Runs the tests whose names contain `filter` in a process in which the variable `name` has the value. They must pass.
pub fn run_tests(filter: &str, name: &str, value: &str) {
    run(name, value, &[filter]);
}

/// Does what [`run_all_tests`] does, without the tests whose names contain one of the texts.
pub fn run_all_tests_but(name: &str, value: &str, without: &[&str]) {
    let skipped: Vec<&str> = without.iter().flat_map(|text| ["--skip", text]).collect();
    run(name, value, &skipped);
}

/// Does what [`run_all_tests_but`] does, for a variable with which the compiler generates other code ([`UNOPTIMIZED`]).
pub fn run_all_tests_with_other_code_but(name: &str, value: &str, without: &[&str]) {
    if std::env::var(name).is_ok_and(|v| v == value) {
        return;
    }
    let skipped: Vec<&str> = without.iter().flat_map(|text| ["--skip", text]).collect();
    run_with(&[(name, value), UNOPTIMIZED], &skipped);
}

/// Runs the tests of these names in a process in which the variable `name` has the value. They must pass.
pub fn run_exactly(tests: &[&str], name: &str, value: &str) {
    run(name, value, &[&["--exact"], tests].concat());
}

fn run(name: &str, value: &str, arguments: &[&str]) {
    if std::env::var(name).is_ok_and(|v| v == value) {
        return;
    }
    run_with(&[(name, value)], arguments);
}

/// Runs the tests of these names in a process in which the variables have these values. They must pass.
pub fn run_exactly_with(tests: &[&str], variables: &[(&str, &str)]) {
    run_with(variables, &[&["--exact"], tests].concat());
}

fn run_with(variables: &[(&str, &str)], arguments: &[&str]) {
    if std::env::var_os(MARK).is_some() {
        return;
    }
    let exe = std::env::current_exe().expect("a running test has a path");
    let out = Command::new(exe)
        .args(["--test-threads=2", "--color=never"])
        .args(arguments)
        .envs(variables.iter().copied())
        .env(MARK, "1")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    let passed = out.status.success() && text.contains("test result: ok");
    assert!(passed, "{}", without_passing_tests(&text));
}

/// Returns what a test program printed without the lines of the tests that passed, which hide the failure where a
/// log is shortened.
fn without_passing_tests(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.ends_with("... ok"));
    lines.collect::<Vec<_>>().join("\n")
}
