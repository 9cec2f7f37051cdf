//! The archive of the files in their layout below a prefix.

use super::foreign::Foreign;
use super::products::{CALDERAC, LIBRARY, Products, package_dir};
use super::trial;
use crate::files::{fresh, write};
use crate::packages::{CLINFO, OPENCL_LOADER, ensure};
use crate::{Failure, Outcome, progress};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes the archive into the folder `output`. Its bytes follow from the files and the revision alone.
pub(super) fn build(products: &Products, output: &Path) -> Result<PathBuf, Failure> {
    let name = products.folder.file_name().unwrap_or_default();
    let archive = output.join(name).with_added_extension("tar.gz");
    progress::quiet(
        "writing the archive",
        products
            .command("tar")
            .args([
                "--create",
                "--sort=name",
                "--owner=0",
                "--group=0",
                "--numeric-owner",
            ])
            .args([
                "--mode=u=rwX,go=rX",
                "--format=gnu",
                "--use-compress-program=gzip -9n",
            ])
            .arg(format!("--mtime=@{}", products.epoch))
            .arg("--file")
            .arg(&archive)
            .arg("--directory")
            .arg(products.folder.parent().unwrap_or(&products.folder))
            .arg(name),
    )?;
    Ok(archive)
}

/// Unpacks the archive and runs clinfo on the library in it.
pub(super) fn try_out(archive: &Path) -> Outcome {
    ensure(&[&OPENCL_LOADER, &CLINFO])?;
    run(archive, trial::command("clinfo"), |calderac| {
        trial::command(calderac)
    })
}

/// Does the same with an archive for another processor, in a system for it.
pub(super) fn try_out_foreign(archive: &Path, system: &Foreign) -> Outcome {
    system.unpack(&["clinfo", "mesa-vulkan-drivers"].map(OsStr::new))?;
    run(archive, system.program("clinfo"), |calderac| {
        system.command(calderac)
    })
}

fn run(archive: &Path, mut clinfo: Command, command: impl FnOnce(&Path) -> Command) -> Outcome {
    let folder = package_dir().join("try-tarball");
    fresh(&folder)?;
    progress::quiet(
        "unpacking the archive",
        Command::new("tar")
            .args(["--extract", "--strip-components=1", "--file"])
            .arg(archive)
            .arg("--directory")
            .arg(&folder),
    )?;
    progress::shown("calderac", command(&folder.join(CALDERAC)).arg("--version"))?;
    let vendors = folder.join("vendors");
    let library = folder.join(LIBRARY);
    write(&vendors.join("caldera.icd"), format!("{}\n", library.display()))?;
    trial::clinfo(clinfo.arg("-l").env("OCL_ICD_VENDORS", vendors), true)
}
