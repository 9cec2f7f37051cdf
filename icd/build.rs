//! Link options of `libcaldera.so`.

fn main() {
    // Behind the OpenCL loader both libraries define clGetPlatformInfo and the rest. The dispatch table must hold
    // our own functions, not the loader's, which would call themselves for ever.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Programs that look for OpenCL open and close libraries. Vulkan's objects and our threads stay until the process
    // ends, so what they run must stay, too; the next opening finds them again.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
