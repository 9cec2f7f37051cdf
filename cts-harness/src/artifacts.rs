//! The products of cargo's builds, and how programs are made to use them.

use crate::{Failure, files, progress};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the root folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Returns a command for the cargo that runs the harness, in the root folder.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Returns the option that keeps cargo's lines out of logs. On a terminal, cargo shows its progress.
pub(crate) fn quiet_in_logs() -> Option<&'static str> {
    (!std::io::stderr().is_terminal()).then_some("--quiet")
}

/// Returns a command for the compiler that cargo uses.
pub(crate) fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Returns flags for rustc, in the form of CARGO_ENCODED_RUSTFLAGS, with which a build does not contain the names
/// of this machine's folders. They follow the user's own flags.
pub(crate) fn release_flags() -> Result<String, Failure> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let sysroot = rustc().args(["--print", "sysroot"]).output()?;
    let sysroot = String::from_utf8_lossy(&sysroot.stdout).trim().to_owned();
    let own = std::env::var("RUSTFLAGS").unwrap_or_default();
    let mut flags: Vec<String> = own.split_whitespace().map(str::to_owned).collect();
    let folders = [
        (home, "/cargo"),
        (Some(sysroot.into()), "/rust"),
        (Some(root()), "/caldera"),
    ];
    for (folder, name) in folders {
        flags.extend(folder.map(|f| format!("--remap-path-prefix={}={name}", f.display())));
    }
    Ok(flags.join("\u{1f}"))
}

/// Returns the folder of all builds.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Returns the folder of release builds.
pub(crate) fn release_dir() -> PathBuf {
    target_dir().join("release")
}

/// Returns the folder of debug builds.
pub(crate) fn debug_dir() -> PathBuf {
    target_dir().join("debug")
}

/// Builds `libcaldera.so` in release mode and returns its path.
pub(crate) fn build_library() -> Result<PathBuf, Failure> {
    built("libcaldera.so", "caldera-icd", &[])
}

/// Builds the layer that times other programs in release mode and returns its path.
pub(crate) fn build_layer() -> Result<PathBuf, Failure> {
    built("libcaldera_layer.so", "caldera-layer", &[])
}

/// Builds `calderac` in release mode and returns its path.
pub(crate) fn build_calderac() -> Result<PathBuf, Failure> {
    built("calderac", "caldera-compiler", &["--bin", "calderac"])
}

/// Builds `calderac` in debug mode, which takes less time, and returns its path.
pub(crate) fn build_debug_calderac() -> Result<PathBuf, Failure> {
    progress::quiet(
        "building calderac (debug)",
        cargo().args(["build", "--package", "caldera-compiler", "--bin", "calderac"]),
    )?;
    Ok(debug_dir().join("calderac"))
}

/// Returns whether Rust's standard library for a target is installed, or can be installed.
pub(crate) fn has_target(target: &str) -> bool {
    let is_installed = || {
        let output = rustc()
            .args(["--print", "target-libdir", "--target", target])
            .output();
        let Ok(output) = output else { return false };
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let is_std = |f: &PathBuf| f.to_string_lossy().contains("/libstd-");
        files::entries(Path::new(&folder)).iter().any(is_std)
    };
    if !is_installed() {
        // This fails without rustup and without a network.
        let _ = Command::new("rustup").args(["target", "add", target]).output();
    }
    is_installed()
}

fn built(file: &str, package: &str, options: &[&str]) -> Result<PathBuf, Failure> {
    progress::quiet(
        &format!("building {file} (release)"),
        cargo()
            .args(["build", "--release", "--package", package])
            .args(options),
    )?;
    Ok(release_dir().join(file))
}

/// Creates a folder for `OCL_ICD_VENDORS`, in which a loader finds the library only. Returns its absolute path.
pub(crate) fn icd_vendors(dir: &Path, library: &str) -> Result<PathBuf, Failure> {
    let only = dir.join("only.icd");
    for other in files::with_extension(dir, "icd").iter().filter(|f| **f != only) {
        std::fs::remove_file(other)?;
    }
    files::write(&only, format!("{library}\n"))?;
    files::real(dir)
}
