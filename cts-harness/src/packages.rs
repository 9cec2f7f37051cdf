//! Finds the system packages that are missing, and installs them with apt, as root or through sudo.

use crate::{Failure, progress};
use std::path::Path;
use std::process::{Command, Stdio};

/// Something outside of the repository that a sub-command needs, such as a library or a program.
pub(crate) struct Need {
    /// What it is, for messages.
    pub(crate) what: &'static str,
    /// The Debian package that contains it.
    pub(crate) package: &'static str,
    /// Returns whether it is installed.
    pub(crate) found: fn() -> bool,
    /// Environment variables that can hide it although it is installed.
    hidden_by: &'static [&'static str],
}

impl Need {
    const fn new(what: &'static str, package: &'static str, found: fn() -> bool) -> Need {
        Need {
            what,
            package,
            found,
            hidden_by: &[],
        }
    }

    /// Returns what to do if it is not found.
    pub(crate) fn advice(&self) -> String {
        let set = self.hidden_by.iter().filter(|v| std::env::var_os(v).is_some());
        let set: Vec<&str> = set.copied().collect();
        if !set.is_empty() {
            return format!("{} may hide it: unset it and try again", set.join(", "));
        }
        let Need { package, .. } = self;
        if program("apt-get") {
            return format!("apt-get install {package}");
        }
        format!("install it with the system's package manager (the Debian package is {package})")
    }
}

/// The variables with which the Vulkan loader selects drivers.
pub(crate) const VULKAN_VARIABLES: [&str; 4] = [
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_LOADER_DRIVERS_DISABLE",
    "VK_LOADER_DRIVERS_SELECT",
];

macro_rules! needs {
    ($($name:ident = $need:expr;)*) => {
        $(pub(crate) const $name: Need = $need;)*

        #[cfg(test)]
        const ALL: &[Need] = &[$($name),*];
    };
}

needs! {
    VULKAN_LOADER = Need::new("Vulkan loader", "libvulkan1", || library("libvulkan.so.1"));
    LAVAPIPE = Need {
        hidden_by: &VULKAN_VARIABLES,
        ..Need::new(
            "Vulkan driver (lavapipe)",
            "mesa-vulkan-drivers",
            crate::vulkan::has_device,
        )
    };
    MPFR = Need::new("GNU MPFR", "libmpfr6", || library(crate::accuracy::MPFR_LIBRARY));
    OPENCL_LOADER = Need::new("OpenCL loader", "ocl-icd-libopencl1", || {
        library(crate::cl::LOADER)
    });
    CLINFO = Need::new("clinfo", "clinfo", || program("clinfo"));
    CLPEAK = Need::new("clpeak", "clpeak", || program("clpeak"));
    OPENCL_HEADERS = Need::new("OpenCL headers", "opencl-c-headers", || {
        Path::new("/usr/include/CL/cl.h").exists()
    });
    OPENCL_LINK = Need::new("OpenCL loader to link with", "ocl-icd-opencl-dev", || {
        link_library("libOpenCL.so")
    });
    C_COMPILER = Need::new("C compiler", "gcc", || program("cc"));
    SPIRV_TOOLS = Need::new("SPIRV-Tools (spirv-val)", "spirv-tools", || program("spirv-val"));
    MLIR_TOOLS = Need::new("MLIR (mlir-translate)", "mlir-16-tools", || {
        program("mlir-translate-16")
    });
    PYTHON = Need::new("Python 3 with venv and pip", "python3-venv", || {
        answer("python3", &["-c", "import ensurepip, venv"]).is_some_and(|o| o.status.success())
    });
    DEBHELPER = Need::new("debhelper", "debhelper", || program("dh"));
    LINTIAN = Need::new("lintian", "lintian", || program("lintian"));
    DEBOOTSTRAP = Need::new("debootstrap", "debootstrap", || program("debootstrap"));
    ARM_COMPILER = Need::new("C compiler for ARM", "gcc-aarch64-linux-gnu", || {
        program("aarch64-linux-gnu-gcc")
    });
    ARM_LIBC = Need::new("C library for ARM", "libc6-dev-arm64-cross", || {
        Path::new("/usr/aarch64-linux-gnu/lib/libc.so").exists()
    });
    QEMU_ARM = Need::new("QEMU for programs of ARM", "qemu-user-static", || {
        program("qemu-aarch64-static")
    });
    VALIDATION_LAYERS = Need::new("Vulkan validation layer", "vulkan-validationlayers", || {
            const FILE: &str = "vulkan/explicit_layer.d/VkLayer_khronos_validation.json";
            let folders = ["/usr/share", "/usr/local/share", "/etc"];
            folders.iter().any(|d| Path::new(d).join(FILE).exists())
        });
}

/// Installs the missing packages of `needs`. If the user may not install packages, the function fails with a
/// message that contains the command to run.
pub(crate) fn ensure(needs: &[&Need]) -> Result<(), Failure> {
    let missing: Vec<&&Need> = needs.iter().filter(|n| !(n.found)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut packages: Vec<&str> = missing.iter().map(|n| n.package).collect();
    packages.dedup();
    let names = packages.join(" ");
    let by_hand = format!("apt-get update && apt-get install --no-install-recommends -y {names}");
    if !program("apt-get") {
        let whats: Vec<&str> = missing.iter().map(|n| n.what).collect();
        return fail!(
            "missing: {}. This system has no apt-get: install them with its package manager (names of the Debian packages: {names})",
            whats.join(", ")
        );
    }
    let Some(prefix) = privilege() else {
        return fail!(
            "packages are missing, and this user may not install them. Run\n\n  sudo sh -c '{by_hand}'\n\nand repeat the command"
        );
    };
    progress::step(&format!("Installing {names}"));
    progress::quiet("apt-get update", &mut apt(prefix, &["update"]))?;
    let mut install = vec!["install", "--no-install-recommends", "-y"];
    install.extend(&packages);
    progress::quiet("apt-get install", &mut apt(prefix, &install))?;
    let still = missing.iter().filter(|n| !(n.found)());
    let still: Vec<String> = still.map(|n| format!("{} ({})", n.what, n.advice())).collect();
    if still.is_empty() {
        Ok(())
    } else {
        fail!(
            "the packages were installed, but these are still not found: {}",
            still.join(", ")
        )
    }
}

/// Returns a command that runs apt-get without questions, after the words of `prefix`.
fn apt(prefix: &[&str], args: &[&str]) -> Command {
    let mut words = prefix.iter().chain(&["apt-get"]).chain(args);
    let mut command = Command::new(words.next().copied().unwrap_or("apt-get"));
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// Returns the words that must precede a command so that it runs as root: none if the harness runs as root,
/// `sudo -n` if sudo needs no password. Returns `None` in all other cases.
fn privilege() -> Option<&'static [&'static str]> {
    if is_root() {
        return Some(&[]);
    }
    answer("sudo", &["-n", "true"])
        .filter(|o| o.status.success())
        .map(|_| ["sudo", "-n"].as_slice())
}

/// Returns whether the harness runs as root.
pub(crate) fn is_root() -> bool {
    answer("id", &["-u"]).is_some_and(|o| o.stdout.trim_ascii() == b"0")
}

/// Returns what a program answers, or `None` if it cannot be started.
pub(crate) fn answer(program: &str, args: &[&str]) -> Option<std::process::Output> {
    Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
}

/// Returns whether a program is on the PATH.
pub(crate) fn program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

/// Returns whether the dynamic linker finds a library.
fn library(name: &str) -> bool {
    crate::cl::can_load(name)
}

/// Returns whether the C compiler finds a library to link with.
fn link_library(name: &str) -> bool {
    Command::new("cc")
        .arg(format!("-print-file-name={name}"))
        .output()
        .is_ok_and(|o| String::from_utf8_lossy(&o.stdout).trim().contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_in_the_list_of_outside_components() {
        let list = include_str!("../../vendor/README.md");
        let missing = ALL.iter().map(|need| need.package).filter(|p| !list.contains(p));
        assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
    }
}
