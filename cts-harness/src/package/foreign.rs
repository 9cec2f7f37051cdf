//! The system of another processor in a folder: packages of this machine's release of Debian for that processor. Its
//! libraries tell the dependencies of Debian packages, and QEMU runs its programs when packages are tried out. Nothing is
//! installed, so neither root nor the kernel's registration of foreign programs (binfmt_misc) is needed.

use super::products::{Products, package_dir};
use super::trial;
use crate::files::{fresh, with_extension, write};
use crate::packages::{QEMU_ARM, ensure, program};
use crate::{Failure, Outcome, progress};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Foreign {
    folder: PathBuf,
}

impl Foreign {
    /// Makes a folder for the system that belongs to the products, and reads the list of the packages for it.
    pub(super) fn new(products: &Products) -> Result<Foreign, Failure> {
        if products.processor() != "aarch64" || !program("apt-get") {
            return fail!(
                "on this machine, there are no Debian packages and no trials for {}: both need apt-get, and aarch64 as the processor",
                products.target
            );
        }
        let folder = package_dir().join(&products.target).join("try-system");
        fresh(&folder)?;
        let foreign = Foreign {
            folder: folder.canonicalize()?,
        };
        // No package counts as installed, so apt finds everything that a package needs.
        write(&foreign.state().join("status"), "")?;
        for part in ["state/lists/partial", "cache/archives/partial", "root"] {
            std::fs::create_dir_all(foreign.folder.join(part))?;
        }
        progress::quiet("apt-get update for arm64", foreign.apt().arg("update"))?;
        Ok(foreign)
    }

    /// Downloads the packages of the libraries that Caldera's programs need, and unpacks each into a folder of its own, with
    /// the lists of their symbols. Returns the folders.
    pub(super) fn libraries(&self) -> Result<Vec<PathBuf>, Failure> {
        let folder = self.folder.join("libraries");
        fresh(&folder)?;
        progress::quiet(
            "downloading libraries for arm64",
            self.apt()
                .current_dir(&folder)
                .args(["download", "libc6", "libgcc-s1"]),
        )?;
        let mut unpacked = Vec::new();
        for file in with_extension(&folder, "deb") {
            let to = file.with_extension("");
            dpkg_deb("--raw-extract", &file, &to)?;
            unpacked.push(to);
        }
        Ok(unpacked)
    }

    /// Downloads packages and all that they need, and unpacks them. A package is a name, or the absolute path of a file.
    pub(super) fn unpack(&self, packages: &[&OsStr]) -> Outcome {
        ensure(&[&QEMU_ARM])?;
        progress::quiet(
            "downloading packages for arm64",
            self.apt()
                .args(["install", "--yes", "--no-install-recommends", "--download-only"])
                .args(packages),
        )?;
        let mut files = with_extension(&self.folder.join("cache/archives"), "deb");
        files.extend(packages.iter().map(PathBuf::from).filter(|p| p.is_absolute()));
        files
            .iter()
            .try_for_each(|f| dpkg_deb("--extract", f, &self.root()))
    }

    /// Returns a command that runs a program of the system, which is in `/usr/bin`.
    pub(super) fn program(&self, name: &str) -> Command {
        self.command(&self.root().join("usr/bin").join(name))
    }

    /// Returns a command that runs any program for the other processor. It finds the files of the system in place of this
    /// machine's.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = trial::command("qemu-aarch64-static");
        command.arg("-L").arg(self.root()).arg(program).env(
            "VK_DRIVER_FILES",
            self.root().join("usr/share/vulkan/icd.d/lvp_icd.aarch64.json"),
        );
        command
    }

    /// Returns the folder that is the root of the system.
    fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// Returns a command that runs apt-get for the other processor, with a state of its own.
    fn apt(&self) -> Command {
        let mut command = Command::new("apt-get");
        command
            .args(["-oAPT::Architecture=arm64", "-oAPT::Architectures::=arm64"])
            .args(["-oAPT::Sandbox::User=root", "-oDebug::NoLocking=1"])
            .arg(format!("-oDir::State={}", self.state().display()))
            .arg(format!(
                "-oDir::State::status={}",
                self.state().join("status").display()
            ))
            .arg(format!("-oDir::Cache={}", self.folder.join("cache").display()))
            .env("DEBIAN_FRONTEND", "noninteractive");
        command
    }
}

/// Unpacks a package into a folder. `action` is an option of dpkg-deb.
fn dpkg_deb(action: &str, package: &Path, to: &Path) -> Outcome {
    let output = Command::new("dpkg-deb")
        .arg(action)
        .arg(package)
        .arg(to)
        .output()?;
    match output.status.success() {
        true => Ok(()),
        false => fail!(
            "{}: {}",
            package.display(),
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}
