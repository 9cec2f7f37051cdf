//! Link options of `libcaldera.so`.

fn main() {
    // The OpenCL loader and this library define the same functions. The dispatch table must hold this library's
    // functions: those of the loader call through the table and would call themselves for ever.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Programs that look for OpenCL open and close libraries. Vulkan objects and this library's threads stay until the
    // process ends, so their code must stay loaded. A program that opens the library again finds it in its previous state.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
