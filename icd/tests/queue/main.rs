//! The guarantees of a queue in difficult cases: several threads in one queue, host memory that other commands still
//! write, commands that fail after their enqueue call, and many commands in flight.
//!
//! The threads of a test share objects without locks. Each file names the invariant that it checks. A test fails at the
//! first result that no legal order of the commands gives.

#[path = "../common/mod.rs"]
mod common;

mod costs;
mod devices;
mod failures;
mod host_sources;
mod panics;
mod releases;
mod running;
mod status;
mod sub_buffers;
mod support;
mod torn;

/// Runs the tests where the device has memory of its own, so that staging memory, host copies and the BAR mapping are
/// used.
#[test]
fn with_memory_of_the_devices_own() {
    common::again::run_all_tests("CALDERA_DEBUG", "discrete");
}

/// Runs the tests with the commands between two barriers in reverse order, which shows barriers that are missing.
#[test]
fn in_reverse_order() {
    common::again::run_all_tests("CALDERA_DEBUG", "reorder");
}

/// Runs the tests of events in an observed process, in which each command has an event and time stamps. Those that take long, and those
/// that measure times, are left out.
#[test]
fn with_a_profile() {
    let others = ["costs", "running", "host_sources", "torn", "panics"];
    common::again::run_all_tests_but("CALDERA_PROFILE", "1", &others);
}
