//! Runs the tests of this program with the code that avoids the faults of NVIDIA's driver, which no machine of
//! continuous integration has.

use crate::common::again::run_all_tests;

#[test]
fn with_the_code_for_nvidia() {
    run_all_tests("CALDERA_DEBUG", "nvidia-faults");
}
