//! Runs the tests of this program with the code that avoids the faults of NVIDIA's driver, which no machine of
//! continuous integration has, and with the passes for GPUs. The driver for CPUs that executes the result needs
//! another pass for loops with more than 65,535 iterations, so the test of such loops is left out.

use crate::common::again::{run_all_tests_with_other_code_but, run_exactly_with};

#[test]
fn with_the_code_for_nvidia() {
    run_all_tests_with_other_code_but("CALDERA_DEBUG", "nvidia-faults", &["long_loops", "ended_loops"]);
}

/// llvmpipe rounds doubles incorrectly where a vector of them is no register. Processors with AVX-512 have registers of eight doubles, so
/// that the fault needs vectors of sixteen work-items there. The driver's cache would return code for other vectors.
#[test]
fn doubles_in_vectors_that_are_no_registers() {
    let variables = [
        ("CALDERA_TEST_FILE", "double_rounding"),
        ("LP_NATIVE_VECTOR_WIDTH", "512"),
        ("MESA_SHADER_CACHE_DISABLE", "true"),
    ];
    run_exactly_with(&["files"], &variables);
}
