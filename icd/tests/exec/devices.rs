//! Runs some of the tests of this program with the descriptions of other devices (`runtime/docs/devices.md`). What such a
//! device lacks is not enabled in Vulkan, so the validation layer, whose messages end the process, shows that nothing
//! uses it.

use crate::common::again::{UNOPTIMIZED, run_exactly_with, run_tests};

/// Tests that use every kind of instruction, memory and command.
const TESTS: [&str; 9] = [
    "aliases::arguments_share_memory",
    "atomics::on_int",
    "ended_loops::ended_loops_are_never_silent",
    "files",
    "images::of_2d",
    "printf::output",
    "subgroups::of_several_dimensions",
    "subgroups::what_they_compute",
    "times::commands_run_between_the_calls",
];

/// Tests whose kernels use neither more than four buffers nor more than 128 work-items in a work-group: the least that a
/// Vulkan device may have.
const SMALL_TESTS: [&str; 11] = [
    "aliases::arguments_share_memory",
    "atomics::on_int",
    "conversions::from_float",
    "conversions::from_long",
    "descriptors::ignored_buffers_need_no_descriptors",
    "ended_loops::ended_loops_are_never_silent",
    "images::of_2d",
    "integer_functions::of_ulong",
    "layouts::random_layouts",
    "printf::output",
    "times::commands_run_between_the_calls",
];

/// Runs these tests with the description of a device.
fn pretend(device: &str, tests: &[&str]) {
    let flag = format!("device={device}");
    run_exactly_with(tests, &[("CALDERA_DEBUG", &flag), UNOPTIMIZED]);
}

#[test]
fn with_vulkan_1_1_and_fences() {
    pretend("vulkan-1.1", &TESTS);
}

#[test]
fn with_an_intel_gen9() {
    pretend("intel-gen9", &TESTS);
}

#[test]
fn without_buffer_addresses() {
    pretend("no-addresses", &TESTS);
}

#[test]
fn without_narrow_integers() {
    pretend("no-narrow-integers", &TESTS);
}

#[test]
fn with_accesses_by_words_only() {
    pretend("words-only", &TESTS);
}

#[test]
fn with_moltenvk() {
    pretend("moltenvk", &TESTS);
}

#[test]
fn with_a_mali_g610() {
    pretend("mali-g610", &TESTS);
}

#[test]
fn with_an_adreno_650() {
    pretend("adreno-650", &TESTS);
}

#[test]
fn without_swizzles() {
    run_tests("images::", "CALDERA_DEBUG", "device=no-swizzles");
}

#[test]
fn without_int64() {
    pretend("no-int64", &TESTS);
}

#[test]
fn with_a_raspberry_pi_5() {
    pretend("raspberry-pi-5", &TESTS);
}

#[test]
fn with_the_desktop_baseline() {
    pretend("desktop-2022", &TESTS);
}

#[test]
fn with_the_android_baseline() {
    pretend("android-2022", &SMALL_TESTS);
}

/// Without measurements, all modules for llvmpipe get work-groups of one dimension (compiler ADR 13), and functions rely on no
/// property of the arithmetic.
#[test]
fn without_measurements() {
    let tests = [
        "files",
        "subgroups::of_known_sizes",
        "subgroups::of_several_dimensions",
    ];
    run_exactly_with(&tests, &[("CALDERA_CALIBRATION", "off"), UNOPTIMIZED]);
}
