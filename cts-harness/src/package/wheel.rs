//! The Python wheel: `icd/packaging/python` and the programs, built by pip with hatchling.

use super::foreign::Foreign;
use super::products::{CALDERAC, DOCUMENTS, LIBRARY, Products, SBOM, THIRD_PARTY, VERSION, package_dir};
use super::{elf, trial};
use crate::artifacts::root;
use crate::files::{copy, files_below, fresh, write};
use crate::packages::{PYTHON, ensure};
use crate::{Failure, Outcome, progress};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that is run in the environment with the wheel.
const PROGRAM: &str = include_str!("trial.py");

/// Builds the wheel and puts it into the folder `output`.
pub(super) fn build(products: &Products, output: &Path) -> Result<PathBuf, Failure> {
    ensure(&[&PYTHON])?;
    let folder = package_dir().join(&products.target).join("python");
    fresh(&folder)?;
    let template = root().join("icd/packaging/python");
    for file in files_below(&template)? {
        if !file.starts_with("caldera/__pycache__") {
            copy(&template.join(&file), &folder.join(&file))?;
        }
    }
    for file in [LIBRARY, CALDERAC] {
        let name = Path::new(file).file_name().unwrap_or_default();
        copy(&products.path(file), &folder.join(name))?;
    }
    let documents = products.path(DOCUMENTS);
    for file in ["LICENSE", THIRD_PARTY, SBOM] {
        copy(&documents.join(file), &folder.join(file))?;
    }
    let tag = tag(products)?;
    write(&folder.join("tag.txt"), &tag)?;
    write(&folder.join("caldera.icd"), "libcaldera.so\n")?;
    let revision = &products.revision;
    write(
        &folder.join("caldera/_build.py"),
        format!(
            "\"\"\"The version and the revision of the source code.\"\"\"\n\n__version__ = \"{VERSION}\"\nREVISION = \"{revision}\"\n"
        ),
    )?;
    let python = environment(&package_dir().join("python"), "python3")?;
    progress::quiet(
        "building the wheel",
        products
            .command(python)
            .args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"])
            .arg(output)
            .arg(&folder),
    )?;
    let wheel = output.join(format!("caldera_opencl-{VERSION}-{tag}.whl"));
    match wheel.exists() {
        true => Ok(wheel),
        false => fail!("pip has not written {}", wheel.display()),
    }
}

/// Returns the tag of the wheel: any Python 3, and systems that have the glibc that the programs need (PEP 600).
fn tag(products: &Products) -> Result<String, Failure> {
    let glibc = elf::glibc(&products.path(LIBRARY))?.max(elf::glibc(&products.path(CALDERAC))?);
    Ok(format!("py3-none-manylinux_2_{glibc}_{}", products.processor()))
}

/// Creates a virtual environment of Python. Returns the path of its Python.
fn environment(folder: &Path, python: &str) -> Result<PathBuf, Failure> {
    fresh(folder)?;
    progress::quiet(
        "creating a Python environment",
        Command::new(python).args(["-m", "venv"]).arg(folder),
    )?;
    Ok(folder.join("bin/python"))
}

/// Returns whether pip can download packages, and Python and its environments are installed or can be.
pub(super) fn has_index() -> bool {
    let download = || {
        let folder = package_dir().join("index");
        fresh(&folder)?;
        ensure(&[&PYTHON])?;
        let python = environment(&folder.join("python"), "python3")?;
        progress::quiet(
            "asking for Python's package index",
            Command::new(python)
                .args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir"])
                .args(["--retries=0", "--timeout=10", "--dest"])
                .arg(&folder)
                .arg("hatchling"),
        )
    };
    download().is_ok()
}

/// Installs the wheel and PyOpenCL in a fresh environment, computes, and removes the wheel again.
pub(super) fn try_out(wheel: &Path, interpreter: &str) -> Outcome {
    let folder = package_dir().join("try-python");
    let python = environment(&folder, interpreter)?;
    let pip = |arguments: &[&str]| {
        let mut command = trial::command(&python);
        command.args(["-m", "pip"]).args(arguments).arg("--quiet");
        command
    };
    progress::quiet(
        "installing PyOpenCL and the wheel",
        pip(&["install", "pyopencl"]).arg(wheel),
    )?;
    let doctor = folder.join("bin/caldera-doctor");
    progress::shown("caldera-doctor", &mut trial::command(&doctor))?;
    doctor_names_the_cause(&doctor)?;
    progress::shown(
        "calderac",
        trial::command(folder.join("bin/calderac")).arg("--version"),
    )?;
    progress::shown(
        "PyOpenCL",
        trial::command(&python).args(["-c", PROGRAM, "present"]),
    )?;
    progress::quiet(
        "removing the wheel",
        &mut pip(&["uninstall", "--yes", "caldera-opencl"]),
    )?;
    progress::shown(
        "PyOpenCL without it",
        trial::command(&python).args(["-c", PROGRAM, "absent"]),
    )
}

/// Unpacks a wheel for another processor with PyOpenCL, and computes in a system for that processor.
pub(super) fn try_out_foreign(wheel: &Path, system: &Foreign) -> Outcome {
    let folder = package_dir().join("try-python");
    let python = environment(&folder.join("host"), "python3")?;
    system.unpack(&["python3", "mesa-vulkan-drivers"].map(OsStr::new))?;
    let packages = folder.join("packages");
    // The version of Python is that of the system, which is Debian 12.
    let mut pip = trial::command(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--only-binary=:all:",
        "--python-version=3.11",
    ]);
    for glibc in [17, 24, 26, 27, 28, 31, 34, 35, 36] {
        pip.arg(format!("--platform=manylinux_2_{glibc}_aarch64"));
    }
    pip.args(["--platform=manylinux2014_aarch64", "--target"])
        .arg(&packages)
        .arg("pyopencl")
        .arg(wheel);
    progress::quiet("unpacking PyOpenCL and the wheel", &mut pip)?;
    let mut python = system.program("python3");
    progress::shown(
        "PyOpenCL",
        python
            .env("PYTHONPATH", &packages)
            .args(["-c", PROGRAM, "present"]),
    )
}

/// Checks that the doctor says which variable hides every device.
fn doctor_names_the_cause(doctor: &Path) -> Outcome {
    const CAUSE: [&str; 2] = ["VK_ICD_FILENAMES", "/nonexistent"];
    let output = trial::command(doctor).env(CAUSE[0], CAUSE[1]).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() || !text.contains("device: NONE") || !text.contains(&CAUSE.join("=")) {
        return fail!("without a Vulkan driver, caldera-doctor prints\n{text}");
    }
    Ok(())
}
