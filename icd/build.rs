//! Link options of the library.

fn main() {
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // These are options for the format ELF. On other systems, a library's own functions have precedence in any case.
    if !["windows", "macos", "ios"].contains(&&*system) {
        // The OpenCL loader and this library define the same functions. The dispatch table must hold this library's
        // functions: those of the loader call through the table and would call themselves for ever.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        // Some programs unload the library with dlclose. Its threads and Vulkan objects live until the process ends, so
        // its code must not be unloaded. A program that opens the library again finds it in its previous state.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    // Cargo runs this program again when its source changes. Without this line it would do so when any file changes.
    println!("cargo:rerun-if-env-changed=CARGO_CFG_TARGET_OS");
}
