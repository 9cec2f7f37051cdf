//! Link options of the library.

use std::path::PathBuf;
use std::process::Command;

/// Makes the linker keep one of several functions with the same code. LLD knows it, with which rustc links for x86-64 Linux.
const FOLD_EQUAL_FUNCTIONS: &str = "-Wl,--icf=all";

fn main() {
    let variable = |name| std::env::var(name).unwrap_or_default();
    // These are options for the format ELF. On other systems, a library's own functions have precedence in any case.
    if !["windows", "macos", "ios"].contains(&&*variable("CARGO_CFG_TARGET_OS")) {
        // The OpenCL loader and this library define the same functions. The dispatch table must hold this library's
        // functions: those of the loader call through the table and would call themselves for ever.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        // Some programs unload the library with dlclose. Its threads and Vulkan objects live until the process ends, so
        // its code must not be unloaded. A program that opens the library again finds it in its previous state.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        if variable("PROFILE") == "release" && links_with(FOLD_EQUAL_FUNCTIONS) {
            println!("cargo:rustc-cdylib-link-arg={FOLD_EQUAL_FUNCTIONS}");
        }
    }
    // Cargo runs this program again when the flags or its source change. Without this line it would do so when any file
    // changes.
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
}

/// Returns whether rustc can link an empty library with an option for the linker. Cargo's settings name the target, the
/// linker and the flags.
fn links_with(option: &str) -> bool {
    let variable = |name| std::env::var_os(name);
    let (Some(rustc), Some(target), Some(folder)) =
        (variable("RUSTC"), variable("TARGET"), variable("OUT_DIR"))
    else {
        return false;
    };
    let source = PathBuf::from(&folder).join("empty.rs");
    if std::fs::write(&source, "").is_err() {
        return false;
    }
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut command = Command::new(rustc);
    command.args(["--crate-type=cdylib", "--target"]).arg(target);
    command.arg("--out-dir").arg(folder).arg(source);
    command.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Some(linker) = variable("RUSTC_LINKER") {
        let mut setting = std::ffi::OsString::from("-Clinker=");
        setting.push(linker);
        command.arg(setting);
    }
    let output = command.arg(format!("-Clink-arg={option}")).output();
    output.is_ok_and(|output| output.status.success())
}
