//! The products of cargo's builds, and how programs are made to use them.

use crate::{Failure, progress};
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

fn target_dir() -> PathBuf {
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
    progress::quiet(
        "building libcaldera.so (release)",
        cargo().args(["build", "--release", "--package", "caldera-icd"]),
    )?;
    Ok(release_dir().join("libcaldera.so"))
}

/// Builds `calderac` in release mode and returns its path.
pub(crate) fn build_calderac() -> Result<PathBuf, Failure> {
    progress::quiet(
        "building calderac (release)",
        cargo().args([
            "build",
            "--release",
            "--package",
            "caldera-compiler",
            "--bin",
            "calderac",
        ]),
    )?;
    Ok(release_dir().join("calderac"))
}

/// Creates a folder for `OCL_ICD_VENDORS` with one `.icd` file, which names the library. Returns the
/// folder's path.
pub(crate) fn icd_vendors(library: &Path) -> Result<PathBuf, Failure> {
    let dir = release_dir().join("icd-vendors");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("caldera.icd"), format!("{}\n", library.display()))?;
    Ok(dir)
}
