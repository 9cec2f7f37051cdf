//! What cargo built, and how programs are pointed at it.

use crate::{Failure, progress};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Cargo, as the one that runs us.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Where release builds go.
pub(crate) fn release_dir() -> PathBuf {
    target_dir().join("release")
}

/// Where other builds go.
pub(crate) fn debug_dir() -> PathBuf {
    target_dir().join("debug")
}

/// Builds `libcaldera.so`, release, and says where it is.
pub(crate) fn build_library() -> Result<PathBuf, Failure> {
    progress::quiet(
        "building libcaldera.so (release)",
        cargo().args(["build", "--release", "--package", "caldera-icd"]),
    )?;
    Ok(release_dir().join("libcaldera.so"))
}

/// Builds `calderac`, release, and says where it is.
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

/// Makes a directory with one `.icd` file for `OCL_ICD_VENDORS` that names the library.
pub(crate) fn icd_vendors(library: &Path) -> Result<PathBuf, Failure> {
    let dir = release_dir().join("icd-vendors");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("caldera.icd"), format!("{}\n", library.display()))?;
    Ok(dir)
}
