//! Runs the tests of this program with the descriptor ABI.

use std::path::Path;

use crate::cl;
use crate::common::again::{run_all_tests_with_other_code_but, with_descriptors};
use crate::lab::{Arg, Lab};

const ONLY_PHYSICAL: &str = include_str!("only_physical.txt");

/// Returns the test files that the descriptor ABI cannot express, with the reasons.
fn only_physical() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = ONLY_PHYSICAL.lines().filter(|l| !l.starts_with('#'));
    lines.map(|l| l.split_once(": ").expect("a name and a reason"))
}

/// Returns whether a file must fail to build in this process.
pub(crate) fn is_inexpressible(path: &Path) -> bool {
    with_descriptors() && only_physical().any(|(name, _)| path.file_name().is_some_and(|n| n == name))
}

#[test]
fn with_a_descriptor_for_each_buffer() {
    run_all_tests_with_other_code_but("CALDERA_ABI", "descriptor", &[]);
}

#[test]
fn the_list_is_of_files_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dirs = ["tests/exec", "../compiler/tests/il"].map(|dir| root.join(dir));
    let names: Vec<&str> = only_physical().map(|(name, _)| name).collect();
    for name in &names {
        assert!(dirs.iter().any(|dir| dir.join(name).exists()), "{name}");
    }
    assert!(names.is_sorted(), "{names:?}");
}

/// A kernel with more buffers than a small device has descriptors for. Its code names two of them.
#[test]
fn ignored_buffers_need_no_descriptors() {
    let lab = Lab::new();
    let ignored: String = (0..40).map(|i| format!("global int *ignored_{i}, ")).collect();
    let source =
        format!("kernel void take(global int *to, {ignored}global const int *from) {{ *to = *from + 1; }}");
    let program = lab.build(&source);
    let ignored = (0..40).map(|_| Arg::In(&[0; 4]));
    let from = 41i32.to_le_bytes();
    let args: Vec<Arg<'_>> = [Arg::Out(4)]
        .into_iter()
        .chain(ignored)
        .chain([Arg::In(&from)])
        .collect();
    assert_eq!(lab.run(program, "take", 1, None, &args), [42i32.to_le_bytes()]);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
