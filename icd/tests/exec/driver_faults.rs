//! Runs the tests of this program with the code that avoids the faults of NVIDIA's driver, which no machine of
//! continuous integration has, and with the passes for GPUs. The driver for CPUs that executes the result needs
//! another pass for loops with more than 65,535 iterations, so the test of such loops is left out.

use crate::common::again::run_all_tests_but;

#[test]
fn with_the_code_for_nvidia() {
    run_all_tests_but("CALDERA_DEBUG", "nvidia-faults", &["long_loops", "ended_loops"]);
}
