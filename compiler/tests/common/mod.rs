//! Functions that the test programs share.

use caldera_compiler::reflect;
use caldera_compiler::target::SpirvVersion;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the environments that support a version of SPIR-V, the oldest first.
fn environments(version: SpirvVersion) -> &'static [&'static str] {
    match version.minor {
        0 => &["vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3"],
        1..=3 => &["vulkan1.1", "vulkan1.2", "vulkan1.3"],
        4 => &["vulkan1.1spv1.4", "vulkan1.2", "vulkan1.3"],
        5 => &["vulkan1.2", "vulkan1.3"],
        _ => &["vulkan1.3"],
    }
}

/// Checks that a module is valid for the oldest Vulkan version that supports its SPIR-V version.
pub(crate) fn validate(words: &[u32], version: SpirvVersion) {
    validate_for(words, environments(version)[0]);
}

/// Checks that a module is valid for each Vulkan version that supports its SPIR-V version.
#[allow(dead_code, reason = "not every test program does")]
pub(crate) fn validate_everywhere(words: &[u32], version: SpirvVersion) {
    for env in environments(version) {
        validate_for(words, env);
    }
}

fn validate_for(words: &[u32], env: &str) {
    let run = |program: &str, args: &[&str], words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("{program} of SPIRV-Tools must be installed: {e}"));
        child
            .stdin
            .take()
            .expect("piped")
            .write_all(&bytes)
            .expect("it reads its input");
        child.wait_with_output().expect("it ends")
    };
    // Older validators support only older revisions of the reflection set; then the reflection is stripped
    // from all modules.
    static STRIP: AtomicBool = AtomicBool::new(false);
    let strip = || reflect::strip(words).expect("own modules are well-formed");
    let val = |words: &[u32]| run("spirv-val", &["--target-env", env, "-"], words);
    let mut out = if STRIP.load(Ordering::Relaxed) {
        val(&strip())
    } else {
        val(words)
    };
    if String::from_utf8_lossy(&out.stderr).contains("ClspvReflection import version") {
        STRIP.store(true, Ordering::Relaxed);
        out = val(&strip());
    }
    if !out.status.success() {
        let dis = run("spirv-dis", &["--raw-id", "-"], words);
        panic!(
            "spirv-val --target-env {env}: {}{}\n{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr),
            String::from_utf8_lossy(&dis.stdout)
        );
    }
}
