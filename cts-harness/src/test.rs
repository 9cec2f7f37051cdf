//! `cargo harness test`: runs the checks of continuous integration.

use crate::artifacts::{cargo, quiet_in_logs, root};
use crate::child::{Background, End, Report};
use crate::packages::{
    C_COMPILER, CLINFO, LAVAPIPE, MLIR_TOOLS, Need, OPENCL_HEADERS, OPENCL_LINK, OPENCL_LOADER, SPIRV_TOOLS,
    VALIDATION_LAYERS, VULKAN_LOADER, ensure,
};
use crate::{Failure, Outcome, artifacts, child, deny, files, package, progress};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests need.
pub(crate) const NEEDS: [&Need; 10] = [
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
];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the tests whose name contains this text, as `cargo test FILTER` does, without formatting and
    /// lints
    filter: Option<String>,
}

/// Checks formatting and lints, and runs every test.
pub(crate) fn run(args: &Args) -> Outcome {
    ensure(&NEEDS)?;
    if let Some(filter) = &args.filter {
        build()?;
        return progress::shown("tests", cargo().args(["test", "--workspace", filter]));
    }
    let before = changes();
    child::catch_interrupts()?;
    // Much of the release build uses one processor only, so it takes the time that the other steps leave.
    let release = package::start()?;
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
    lints_for_others()?;
    progress::step("Dependencies");
    deny::check()?;
    progress::step("Documentation");
    // The compiler's documentation is for users of the library, so its public items must not link to private
    // ones. The comments of private items are checked, too: what they link to must exist.
    documentation("-D warnings", &["--package", "caldera-compiler"])?;
    documentation(
        "-D warnings -A rustdoc::private_intra_doc_links",
        &["--workspace", "--document-private-items"],
    )?;
    build()?;
    progress::step("Tests");
    progress::shown("tests", cargo().args(["test", "--workspace"]))?;
    progress::step("Stress");
    stress()?;
    progress::step("Release build");
    finish(release)?;
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

/// Checks the library and the offline compiler for other targets, which needs Rust's standard library for each. A target
/// for which it cannot be had is not checked, and the output says so. One run of cargo checks all, because most of a check
/// uses one processor only.
fn lints_for_others() -> Outcome {
    let mut targets = Vec::new();
    for target in OTHER_TARGETS {
        match artifacts::has_target(target) {
            true => targets.extend(["--target", target]),
            false => {
                say!("not checked: Rust's target {target} is not installed, and `rustup target add` failed");
            }
        }
    }
    if targets.is_empty() {
        return Ok(());
    }
    let packages = ["--package", "caldera-icd", "--package", "caldera-compiler"];
    progress::shown(
        "cargo clippy",
        cargo()
            .arg("clippy")
            .args(targets)
            .args(quiet_in_logs())
            .args(packages)
            .args(["--", "-D", "warnings"]),
    )
}

/// Waits for the release build, whose output is printed only if it fails.
fn finish(release: Background) -> Outcome {
    let Report { end, cpu, .. } = release.finish()?;
    let log = package::start_log();
    if end != End::Code(0) {
        say!("{}", std::fs::read_to_string(&log)?);
        return fail!("the release build failed: {end}");
    }
    say!(
        "built beside the other steps, in {:.1} s of processor time",
        cpu.as_secs_f32()
    );
    Ok(())
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
