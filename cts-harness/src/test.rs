//! `cargo harness test`: runs the checks of continuous integration.

use crate::artifacts::{cargo, quiet_in_logs, root, rustc};
use crate::packages::{
    C_COMPILER, CLINFO, LAVAPIPE, MLIR_TOOLS, OPENCL_HEADERS, OPENCL_LINK, OPENCL_LOADER, SPIRV_TOOLS,
    VALIDATION_LAYERS, VULKAN_LOADER, ensure,
};
use crate::{Failure, Outcome, artifacts, files, package, progress};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the tests whose name contains this text, as `cargo test FILTER` does, without formatting and
    /// lints
    filter: Option<String>,
}

/// Checks formatting and lints, and runs every test.
pub(crate) fn run(args: &Args) -> Outcome {
    ensure(&[
        &C_COMPILER,
        &VULKAN_LOADER,
        &LAVAPIPE,
        &VALIDATION_LAYERS,
        &SPIRV_TOOLS,
        &MLIR_TOOLS,
        &OPENCL_LOADER,
        &OPENCL_HEADERS,
        &OPENCL_LINK,
        &CLINFO,
    ])?;
    if let Some(filter) = &args.filter {
        build()?;
        return progress::shown("tests", cargo().args(["test", "--workspace", filter]));
    }
    let before = changes();
    progress::step("Formatting");
    progress::shown("cargo fmt", cargo().args(["fmt", "--all", "--check"]))?;
    progress::step("Lints");
    progress::shown(
        "cargo clippy",
        cargo().arg("clippy").args(quiet_in_logs()).args([
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    progress::step("Lints for other systems");
    OTHER_TARGETS.into_iter().try_for_each(lints_for)?;
    // The compiler's documentation is for users of the library, so its public items must not link to private
    // ones.
    progress::step("Documentation");
    documentation("-D warnings", &["--package", "caldera-compiler"])?;
    documentation(
        "-D warnings -A rustdoc::private_intra_doc_links",
        &[
            "--workspace",
            "--exclude",
            "caldera-compiler",
            "--document-private-items",
        ],
    )?;
    build()?;
    progress::step("Tests");
    progress::shown("tests", cargo().args(["test", "--workspace"]))?;
    progress::step("Stress");
    stress()?;
    progress::step("Release build");
    let products = package::build(None)?;
    check_library(&products.path(package::LIBRARY))?;
    package::check(&products)?;
    progress::step("Generated files are current");
    match (before, changes()) {
        (Some(before), Some(after)) if before != after => {
            fail!("the tests have changed tracked files; `git diff` shows them")
        }
        _ => Ok(()),
    }
}

/// Rust's targets for which the library and the offline compiler must compile: another processor, words of 32 bits, and a
/// system that is not Unix.
const OTHER_TARGETS: [&str; 3] = [
    "aarch64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
];

/// Checks the library and the offline compiler for a target, which needs Rust's standard library for it. If it cannot be
/// had, nothing is checked, and the output says so.
fn lints_for(target: &str) -> Outcome {
    if !has_target(target) {
        // This fails without rustup and without a network.
        let _ = Command::new("rustup").args(["target", "add", target]).output();
    }
    if !has_target(target) {
        say!("not checked: Rust's target {target} is not installed, and `rustup target add` failed");
        return Ok(());
    }
    let packages = ["--package", "caldera-icd", "--package", "caldera-compiler"];
    progress::shown(
        "cargo clippy",
        cargo()
            .args(["clippy", "--target", target])
            .args(quiet_in_logs())
            .args(packages)
            .args(["--", "-D", "warnings"]),
    )
}

/// Returns whether Rust's standard library is installed for a target.
fn has_target(target: &str) -> bool {
    let output = rustc()
        .args(["--print", "target-libdir", "--target", target])
        .output();
    let Ok(output) = output else { return false };
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let is_std = |f: &PathBuf| f.to_string_lossy().contains("/libstd-");
    files::entries(Path::new(&folder)).iter().any(is_std)
}

/// Returns the changes since the last commit, or `None` outside of a git checkout.
fn changes() -> Option<Vec<u8>> {
    let diff = Command::new("git")
        .current_dir(root())
        .arg("diff")
        .output()
        .ok()?;
    diff.status.success().then_some(diff.stdout)
}

fn documentation(flags: &str, options: &[&str]) -> Outcome {
    progress::shown(
        "cargo doc",
        cargo()
            .env("RUSTDOCFLAGS", flags)
            .args(["doc", "--no-deps"])
            .args(quiet_in_logs())
            .args(options),
    )
}

/// Builds the library, which the tests of the C ABI load, and the layer, which the tests of `zoo` load.
fn build() -> Outcome {
    progress::step("Library");
    progress::shown(
        "cargo build",
        cargo()
            .args(["build", "--package", "caldera-icd", "--package", "caldera-layer"])
            .args(quiet_in_logs()),
    )
}

/// Runs the stress tests on the debug library, which checks its locks, with the validation layer. They run
/// on one device, and on two devices in one context if lavapipe's driver is found; with locks around shared
/// objects and without; and with Vulkan calls that fail.
fn stress() -> Outcome {
    let library = artifacts::debug_dir().join("libcaldera.so");
    let run = |arguments: &[&str], discrete: bool| -> Result<Command, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg("stress")
            .args(arguments)
            .arg("--platform")
            .arg(&library)
            .env("CALDERA_DEBUG", if discrete { "discrete" } else { "" })
            .env("CALDERA_VALIDATION", "abort")
            .env("CALDERA_CACHE", "off");
        Ok(command)
    };
    let locked = ["--wrong-handles", "--devices"];
    let locked = |devices, seconds| [&locked[..], &[devices, "--seconds", seconds]].concat();
    progress::shown("stress", &mut run(&locked("1", "12"), false)?)?;
    for discrete in [false, true] {
        let unlocked = ["--unlocked", "--seconds", "10"];
        progress::shown("stress without locks", &mut run(&unlocked, discrete)?)?;
    }
    // This takes about a minute, since only every 20th call site of each kind is tried.
    let faults = ["--inject", "--every", "20"];
    progress::shown("faults on purpose", &mut run(&faults, false)?)?;
    let Some(drivers) = two_drivers()? else {
        return Ok(());
    };
    progress::shown(
        "stress, two devices",
        run(&locked("2", "10"), false)?.env("VK_DRIVER_FILES", &drivers),
    )?;
    for discrete in [false, true] {
        let unlocked = ["--unlocked", "--devices", "2", "--seconds", "10"];
        progress::shown(
            "stress without locks, two devices",
            run(&unlocked, discrete)?.env("VK_DRIVER_FILES", &drivers),
        )?;
    }
    Ok(())
}

/// Returns a list of drivers that names lavapipe twice, for `VK_DRIVER_FILES`; `None` if lavapipe is not
/// installed.
fn two_drivers() -> Result<Option<String>, Failure> {
    let drivers = files::with_extension(Path::new("/usr/share/vulkan/icd.d"), "json");
    let is_lavapipe = |p: &PathBuf| p.to_string_lossy().contains("/lvp_icd");
    let Some(driver) = drivers.into_iter().find(is_lavapipe) else {
        return Ok(None);
    };
    let copy = artifacts::debug_dir().join("second-driver.json");
    std::fs::copy(&driver, &copy)?;
    Ok(Some(format!("{}:{}", driver.display(), copy.display())))
}

/// Checks the properties that packagers rely on: the library is small, depends only on the C library's
/// parts, exports OpenCL's functions only, and is never unloaded.
fn check_library(library: &Path) -> Outcome {
    const MOST_BYTES: u64 = 9_000_000;
    const NEEDED: [&str; 4] = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"];
    let size = library.metadata()?.len();
    say!("{}: {:.2} MB", library.display(), size as f64 / 1e6);
    if size >= MOST_BYTES {
        return fail!("the library has {size} bytes, more than {MOST_BYTES}");
    }
    let text = package::dynamic(library)?;
    if !text.contains("NODELETE") {
        return fail!("the library can be unloaded, under its threads");
    }
    let exports = package::exports(library)?;
    say!("it exports {} functions", exports.len());
    let is_opencl = |name: &&String| {
        let rest = name.strip_prefix("cl");
        rest.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    if exports.is_empty() {
        return fail!("the library exports nothing");
    }
    if let Some(other) = exports.iter().find(|n| !is_opencl(n)) {
        return fail!("the library exports {other}");
    }
    let needed: Vec<&str> = text
        .lines()
        .filter(|l| l.contains("(NEEDED)"))
        .filter_map(|l| l.split_once('[')?.1.strip_suffix(']'))
        .collect();
    say!("it needs {}", needed.join(", "));
    match needed.iter().find(|n| !NEEDED.contains(n)) {
        None if needed.is_empty() => fail!("readelf names no needed library"),
        None => Ok(()),
        Some(other) => fail!("the library needs {other}"),
    }
}
