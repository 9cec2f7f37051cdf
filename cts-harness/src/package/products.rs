//! What is packaged: the programs of a release build and the files that belong to them, in the layout below a prefix
//! such as `/usr/local`.

use super::crates::shipped;
use super::{licences, sbom};
use crate::artifacts::{cargo, release_flags, root, target_dir};
use crate::child::Background;
use crate::files::{copy, files_below, fresh, text, write};
use crate::packages::{ARM_COMPILER, ARM_LIBC, ensure};
use crate::{Failure, Outcome, artifacts, child, progress};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The products for one target.
pub(crate) struct Products {
    /// The target, as Rust names it.
    pub(crate) target: String,
    /// The folder with the files, whose name is that of the archive.
    pub(crate) folder: PathBuf,
    /// The revision of the repository; empty outside of a git checkout.
    pub(crate) revision: String,
    /// Whether the programs run on this machine.
    pub(crate) native: bool,
    /// The time for files in packages, in seconds since 1970, so that the same revision gives the same packages.
    pub(crate) epoch: String,
}

/// The places of files below a prefix.
pub(crate) const LIBRARY: &str = "lib/caldera/libcaldera.so";
pub(super) const CALDERAC: &str = "bin/calderac";
pub(super) const DOCUMENTS: &str = "share/doc/caldera";
pub(super) const THIRD_PARTY: &str = "THIRD-PARTY.txt";
pub(super) const SBOM: &str = "sbom.cdx.json";
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/calderac"),
    ("zsh", "share/zsh/site-functions/_calderac"),
    ("fish", "share/fish/vendor_completions.d/calderac.fish"),
];

impl Products {
    /// Returns the path of a file, which is given relative to the prefix.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Returns the processor of the target.
    pub(super) fn processor(&self) -> &str {
        self.target.split('-').next().unwrap_or_default()
    }

    /// Returns a command with the variable from which tools take the time of files.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("SOURCE_DATE_EPOCH", &self.epoch);
        command
    }
}

pub(super) fn package_dir() -> PathBuf {
    target_dir().join("package")
}

/// Builds the programs for a target, by default for this machine, and puts the files together.
pub(crate) fn build(target: Option<&str>) -> Result<Products, Failure> {
    let host = host()?;
    let target = target.map_or_else(|| host.clone(), str::to_owned);
    if target != host {
        prepare(&target)?;
    }
    let revision = revision();
    let programs = programs(&target, &revision)?;
    let folder = package_dir()
        .join(&target)
        .join(format!("caldera-{VERSION}-{target}"));
    let products = Products {
        native: target == host,
        target,
        folder,
        revision,
        epoch: epoch(),
    };
    fresh(&products.folder)?;
    for (file, place) in [("libcaldera.so", LIBRARY), ("calderac", CALDERAC)] {
        copy(&programs.join(file), &products.path(place))?;
    }
    copy(
        &root().join("compiler/docs/calderac.1"),
        &products.path("share/man/man1/calderac.1"),
    )?;
    // The completions are the same for every target and profile, and only this machine's program runs here.
    let calderac = if products.native {
        programs.join("calderac")
    } else {
        artifacts::build_debug_calderac()?
    };
    for (shell, place) in COMPLETIONS {
        let script = Command::new(&calderac)
            .arg(format!("--completions={shell}"))
            .output()?;
        if !script.status.success() {
            return fail!("calderac --completions={shell} failed");
        }
        write(&products.path(place), script.stdout)?;
    }
    let documents = products.path(DOCUMENTS);
    for file in ["CHANGELOG.md", "LICENSE"] {
        copy(&root().join(file), &documents.join(file))?;
    }
    // README's links lead to the copy of the manual beside it.
    let readme = text(&root().join("README.md"))?.replace("](icd/docs/manual/", "](manual/");
    write(&documents.join("README.md"), readme)?;
    let manual = root().join("icd/docs/manual");
    for page in files_below(&manual)? {
        copy(&manual.join(&page), &documents.join("manual").join(&page))?;
    }
    let crates = shipped(&products.target)?;
    write(
        &documents.join(THIRD_PARTY),
        licences::text(&crates, &root().join("LICENSE"))?,
    )?;
    write(
        &documents.join(SBOM),
        format!("{:#}\n", sbom::document(VERSION, &crates)),
    )?;
    Ok(products)
}

/// Installs what a build for another target needs, where that is known.
fn prepare(target: &str) -> Outcome {
    if target == "aarch64-unknown-linux-gnu" {
        ensure(&[&ARM_COMPILER, &ARM_LIBC])?;
    }
    match artifacts::has_target(target) {
        true => Ok(()),
        false => fail!("Rust's target {target} is not installed, and `rustup target add` failed"),
    }
}

/// Starts the build of the programs for this machine beside other work. [`build`] then finds them built.
pub(crate) fn start() -> Result<Background, Failure> {
    let mut command = programs_command(&host()?, &revision())?;
    std::fs::create_dir_all(package_dir())?;
    let mut command = child::at_lowest_priority(command.arg("--quiet"));
    child::start(&mut command, &start_log())
}

/// Returns the file with the output of the build that [`start`] starts.
pub(crate) fn start_log() -> PathBuf {
    package_dir().join("build.log")
}

/// Builds the programs and returns their folder.
fn programs(target: &str, revision: &str) -> Result<PathBuf, Failure> {
    progress::quiet(
        &format!("building the library and calderac for {target} (minutes)"),
        &mut programs_command(target, revision)?,
    )?;
    Ok(build_dir().join(target).join("release"))
}

fn build_dir() -> PathBuf {
    package_dir().join("build")
}

/// Returns the command that builds the programs. They do not depend on the folders of the repository and of cargo.
fn programs_command(target: &str, revision: &str) -> Result<Command, Failure> {
    let mut command = cargo();
    command
        .args(["build", "--release", "--locked", "--target", target])
        .args(["--package", "caldera-icd", "--package", "caldera-compiler"])
        .arg("--target-dir")
        .arg(build_dir())
        .env("CARGO_ENCODED_RUSTFLAGS", release_flags()?);
    if !revision.is_empty() {
        command.env("CALDERA_REVISION", revision);
    }
    Ok(command)
}

/// Returns the target of this machine.
pub(super) fn host() -> Result<String, Failure> {
    let output = artifacts::rustc().arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|l| l.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| failure!("rustc -vV names no host"))
}

/// Returns the revision of the repository, with a mark if files have changed; empty outside of a git checkout.
pub(crate) fn revision() -> String {
    git(
        &root(),
        &["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
    )
    .unwrap_or_default()
}

/// Returns the value of SOURCE_DATE_EPOCH, or the time of the revision; outside of a git checkout the first time that
/// archives of all forms can express.
fn epoch() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    given
        .or_else(|| git(&root(), &["log", "-1", "--format=%ct"]))
        .unwrap_or_else(|| "315532800".into())
}

/// Returns what git answers in a folder, if it succeeds and answers anything.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
