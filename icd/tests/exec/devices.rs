//! Runs some of the tests of this program with the descriptions of other devices (`runtime/docs/devices.md`). What such a
//! device lacks is not enabled in Vulkan, so the validation layer, whose messages end the process, shows that nothing
//! uses it.

use crate::common::again::run_exactly;

/// Tests that use every kind of instruction, memory and command.
const TESTS: [&str; 6] = [
    "aliases::arguments_share_memory",
    "atomics::on_int",
    "files",
    "images::of_2d",
    "printf::output",
    "subgroups::what_they_compute",
];

fn pretend(device: &str) {
    run_exactly(&TESTS, "CALDERA_DEBUG", &format!("device={device}"));
}

#[test]
fn with_vulkan_1_1_and_fences() {
    pretend("vulkan-1.1");
}

#[test]
fn with_an_intel_gen9() {
    pretend("intel-gen9");
}

#[test]
fn without_buffer_addresses() {
    pretend("no-addresses");
}

#[test]
fn without_narrow_integers() {
    pretend("no-narrow-integers");
}

#[test]
fn with_accesses_by_words_only() {
    pretend("words-only");
}

#[test]
fn with_moltenvk() {
    pretend("moltenvk");
}
