//! The Debian packages: `icd/packaging/debian` and the programs, built by debhelper.

use super::foreign::Foreign;
use super::overlay::Overlay;
use super::products::{DOCUMENTS, Products, VERSION, package_dir};
use super::trial;
use crate::artifacts::root;
use crate::files::{copy, files_below, fresh, write};
use crate::packages::{DEBHELPER, DEBOOTSTRAP, LINTIAN, ensure, is_root};
use crate::{Failure, Outcome, progress};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release of Debian in which the packages are tried out.
const RELEASE: &str = "bookworm";

/// Builds the packages, has lintian check them, and puts them into the folder `output`. If they are for another processor,
/// `system` is a system for it.
pub(super) fn build(
    products: &Products,
    system: Option<&Foreign>,
    output: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    ensure(&[&LINTIAN])?;
    let packages = build_version(products, system, output, VERSION)?;
    // lintian warns of root, as which it runs in containers.
    progress::shown(
        "lintian",
        Command::new("lintian")
            .args(["--allow-root", "--fail-on=error,warning", "--info"])
            .args(&packages),
    )?;
    Ok(packages)
}

fn build_version(
    products: &Products,
    system: Option<&Foreign>,
    output: &Path,
    version: &str,
) -> Result<Vec<PathBuf>, Failure> {
    ensure(&[&DEBHELPER])?;
    let architecture = match products.processor() {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => return fail!("there is no Debian package for {other}"),
    };
    let host = system.map(|_| format!("--host-arch={architecture}"));
    // dpkg-shlibdeps searches these folders first. It cannot find libraries of another processor by itself.
    let libraries = system.map_or(Ok(Vec::new()), Foreign::libraries)?;
    let libraries: Vec<String> = libraries.iter().map(|l| format!("-S{}", l.display())).collect();
    // debhelper writes the packages beside the folder of the source.
    let parent = package_dir().join(&products.target).join("debian");
    let folder = parent.join("source");
    fresh(&parent)?;
    let template = root().join("icd/packaging/debian");
    for file in files_below(&template)? {
        copy(&template.join(&file), &folder.join("debian").join(&file))?;
    }
    for file in files_below(&products.folder)? {
        copy(&products.folder.join(&file), &folder.join("stage").join(&file))?;
    }
    copy(
        &products.path(DOCUMENTS).join("CHANGELOG.md"),
        &folder.join("CHANGELOG.md"),
    )?;
    let triplet = format!("{}-linux-gnu", products.processor());
    write(
        &folder.join("caldera.icd"),
        format!("/usr/lib/{triplet}/caldera/libcaldera.so\n"),
    )?;
    write(&folder.join("debian/changelog"), changelog(products, version)?)?;
    progress::quiet(
        "building the Debian packages",
        products
            .command("dpkg-buildpackage")
            .current_dir(&folder)
            .args([
                "--build=binary",
                "--unsigned-changes",
                "--unsigned-buildinfo",
                "--no-check-builddeps",
            ])
            .args(host)
            .env("SHLIBDEPS_OPTIONS", libraries.join(" "))
            .env("DEB_BUILD_OPTIONS", "nocheck noautodbgsym"),
    )?;
    let mut packages = Vec::new();
    for name in ["caldera-opencl-icd", "calderac"] {
        let file = format!("{name}_{version}_{architecture}.deb");
        let to = output.join(&file);
        copy(&parent.join(&file), &to)?;
        packages.push(to);
    }
    Ok(packages)
}

/// Returns the changelog in Debian's form, which has the version and the date of the packages.
fn changelog(products: &Products, version: &str) -> Result<String, Failure> {
    let date = Command::new("date")
        .args(["--utc", "--rfc-email", "--date"])
        .arg(format!("@{}", products.epoch))
        .output()?;
    let date = String::from_utf8_lossy(&date.stdout).trim().to_owned();
    let control = std::fs::read_to_string(root().join("icd/packaging/debian/control"))?;
    let maintainer = control.lines().find_map(|l| l.strip_prefix("Maintainer: "));
    let maintainer = maintainer.ok_or_else(|| failure!("debian/control names no maintainer"))?;
    Ok(format!(
        "caldera ({version}) unstable; urgency=medium\n\n  * Release {version}; changelog.gz says what is new.\n\n -- {maintainer}  {date}\n"
    ))
}

/// Installs the packages in a fresh Debian, runs clinfo, upgrades them, removes them, and runs clinfo again. Only root
/// can do this.
pub(super) fn try_out(products: &Products, packages: &[PathBuf]) -> Outcome {
    if !is_root() {
        return fail!(
            "only root can create a Debian of its own (debootstrap, chroot), to try the packages out in it"
        );
    }
    ensure(&[&DEBOOTSTRAP])?;
    let system = package_dir().join("try-debian");
    fresh(&system)?;
    progress::quiet(
        "creating a fresh Debian 12",
        Command::new("debootstrap")
            .args(["--variant=minbase", RELEASE])
            .arg(&system)
            .args(mirror()?),
    )?;
    let files = || {
        let parts = ["usr", "etc"].map(|folder| files_below(&system.join(folder)));
        parts
            .into_iter()
            .collect::<Result<Vec<_>, _>>()
            .map(|all| all.concat())
    };
    let upgrade = upgrade(products)?;
    install_and_remove(&system, packages, &upgrade, files)?;
    Ok(std::fs::remove_dir_all(&system)?)
}

/// Unpacks packages for another processor in a system for it, where clinfo must find a device, and the offline compiler must
/// write the same bytes as this machine's. What the packages do when they are upgraded and removed is not tried out.
pub(super) fn try_out_foreign(packages: &[PathBuf], system: &Foreign) -> Outcome {
    let names = ["clinfo", "mesa-vulkan-drivers"].map(OsStr::new);
    let files = packages.iter().map(|p| p.as_os_str());
    system.unpack(&names.into_iter().chain(files).collect::<Vec<_>>())?;
    trial::clinfo(system.program("clinfo").arg("-l"), true)?;
    progress::shown("calderac", system.program("calderac").arg("--version"))?;
    trial::same_modules(system.program("calderac"))
}

/// Does what [`try_out`] does in a view of this machine's system, which takes seconds.
pub(super) fn try_out_here(products: &Products, packages: &[PathBuf]) -> Outcome {
    let upgrade = upgrade(products)?;
    let overlay = overlay()?;
    // Another package manager may have been at work when the overlay was mounted.
    progress::quiet(
        "dpkg --configure -a",
        within(&overlay.root(), "dpkg").args(["--configure", "-a"]),
    )?;
    install_and_remove(&overlay.root(), packages, &upgrade, || overlay.written())
}

/// Mounts the view in which packages are tried out. Fails if this user is not root, or if this machine does not have the
/// release of Debian for which the packages are.
pub(super) fn overlay() -> Result<Overlay, Failure> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !is_root() || !release.contains(&format!("VERSION_CODENAME={RELEASE}\n")) {
        return fail!("only root can do it, on Debian 12");
    }
    Overlay::mount(&package_dir().join("try-here"))
}

/// Returns whether the tools that build the packages are installed.
pub(super) fn has_tools() -> bool {
    [&DEBHELPER, &LINTIAN].iter().all(|need| (need.found)())
}

/// Builds the packages of a later version.
fn upgrade(products: &Products) -> Result<Vec<PathBuf>, Failure> {
    let later = package_dir().join("later");
    fresh(&later)?;
    build_version(products, None, &later, &format!("{VERSION}+1"))
}

/// Installs the packages in a system, upgrades them, and removes them, with clinfo after each step. `files` returns the
/// files of which none may be Caldera's at the end.
fn install_and_remove(
    system: &Path,
    packages: &[PathBuf],
    upgrade: &[PathBuf],
    files: impl FnOnce() -> Result<Vec<PathBuf>, Failure>,
) -> Outcome {
    let apt = |arguments: &[&str]| {
        let mut command = within(system, "apt-get");
        command
            .arg("--yes")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    let install = |packages: &[PathBuf]| -> Outcome {
        let mut arguments = vec![String::from("install"), "clinfo".into()];
        for package in packages {
            let name = package.file_name().unwrap_or_default();
            copy(package, &system.join("root").join(name))?;
            arguments.push(format!("/root/{}", name.display()));
        }
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        progress::quiet(&format!("apt-get {}", arguments.join(" ")), &mut apt(&words))
    };
    let clinfo = |expected| trial::clinfo(within(system, "clinfo").arg("-l"), expected);
    install(packages)?;
    clinfo(true)?;
    progress::shown("calderac", within(system, "calderac").arg("--version"))?;
    install(upgrade)?;
    clinfo(true)?;
    for action in ["remove", "purge"] {
        progress::quiet(
            &format!("apt-get {action}"),
            &mut apt(&[action, "caldera-opencl-icd", "calderac"]),
        )?;
        clinfo(false)?;
    }
    let mut left = files()?;
    left.retain(|f| !f.starts_with("root") && f.to_string_lossy().contains("caldera"));
    match left.is_empty() {
        true => Ok(()),
        false => fail!("the packages have left {left:?}"),
    }
}

/// Returns a command that runs in a system of its own.
fn within(system: &Path, program: &str) -> Command {
    let mut command = trial::command("chroot");
    command.arg(system).arg(program).env("HOME", "/root");
    command
}

/// Returns the address from which this machine's apt takes the release's packages, if this machine has that release.
fn mirror() -> Result<Option<String>, Failure> {
    let arguments = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
    let output = Command::new("apt-get")
        .args(arguments)
        .arg(format!("Codename: {RELEASE}"))
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().map(str::to_owned))
}
