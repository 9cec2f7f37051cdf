//! The tests of this program once more, in a process of its own where buffers are descriptors (`CALDERA_ABI`).

use std::process::Command;

/// Whether this is that process.
pub(crate) fn chosen() -> bool {
    std::env::var("CALDERA_ABI").is_ok_and(|v| v == "descriptor")
}

/// Tests of programs that need addresses, and why. (Files say so themselves, in a line `// only physical: …`.) Each
/// must fail to build with a message that says what cannot be expressed.
const ONLY_PHYSICAL: &[(&str, &str)] = &[
    ("atomics::on_int", "its kernels ask which argument is NULL"),
    ("atomics::on_long", "its kernels ask which argument is NULL"),
    ("atomics::on_uint", "its kernels ask which argument is NULL"),
    ("atomics::on_ulong", "its kernels ask which argument is NULL"),
];

/// What computes the same however its operands come, and takes long.
const SKIPPED: &[&str] = &[
    "conversions::",
    "float_functions::",
    "integer_functions::",
    "images::",
    "math_functions::",
];

#[test]
fn with_a_descriptor_for_each_buffer() {
    // It takes as long as all the others.
    if chosen() || std::env::var_os("CALDERA_TEST_DESCRIPTORS").is_none() {
        return;
    }
    let exe = std::env::current_exe().expect("a running test has a path");
    let out = Command::new(exe)
        .args(["--test-threads=2", "--color=never"])
        .args(SKIPPED.iter().flat_map(|name| ["--skip", name]))
        .env("CALDERA_ABI", "descriptor")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    let mut failed: Vec<&str> = text
        .lines()
        .filter_map(|l| l.strip_prefix("test ")?.strip_suffix(" ... FAILED"))
        .collect();
    failed.sort_unstable();
    let expected: Vec<&str> = ONLY_PHYSICAL.iter().map(|(name, _)| *name).collect();
    assert_eq!(failed, expected, "{text}");
    assert!(text.contains("test result:"), "{text}");
    for name in failed {
        let head = format!("---- {name} stdout ----");
        let rest = text.split_once(&head).map_or("", |(_, rest)| rest);
        let own = rest.split("\n---- ").next().unwrap_or("");
        assert!(
            own.contains("the descriptor ABI cannot express it"),
            "{name}: {own}"
        );
    }
}
